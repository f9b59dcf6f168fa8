// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/append.h"

#include "base/text.h"
#include "pipeline/flows/expectations.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

Error Incompatible(const GraphFlow& flow, const Dataset& target, const std::string& message) {
  return InvalidArgument("USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE",
                         flow.flow.origin.ToString() + ": flow `" + flow.flow.name + "`: table `" +
                             target.name.ToString() + "` " + message,
                         "42000");
}

/// The query's columns by the types of the table.
std::string Casts(const std::vector<Column>& columns) {
  return Join(columns, ", ", [](const Column& column) {
    return "CAST(" + QuoteIdentifier(column.name) + " AS " + column.type + ") AS " +
           QuoteIdentifier(column.name);
  });
}

std::string SelectRows(const GraphFlow& flow, const std::vector<Column>& columns) {
  return "SELECT " + Casts(columns) + " FROM (" + flow.query.sql + ")";
}

TableShape Shape(const GraphDataset& target, std::vector<Column> columns) {
  const Dataset& declared = target.declared;
  return {std::move(columns), declared.properties, declared.partition_columns,
          declared.cluster_columns, declared.comment};
}

/// Makes the table or extends it; the columns get the types that the table has.
Status ExtendTarget(TableStore& store, const GraphFlow& flow, const GraphDataset& target,
                    std::vector<Column>& columns) {
  WEIR_ASSIGN_OR_RETURN(const auto there, store.Columns(target.full_name));
  if (!there) return store.Create(target.full_name, Shape(target, columns), false);
  std::vector<Column> missing;
  for (Column& column : columns) {
    const Column* old = FindColumn(*there, column.name);
    if (old == nullptr) {
      missing.push_back(column);
      continue;
    }
    WEIR_ASSIGN_OR_RETURN(const SqlType now, ParseType(column.type));
    WEIR_ASSIGN_OR_RETURN(const SqlType recorded, ParseType(old->type));
    if (!WidensTo(now, recorded)) {
      return Fail(InvalidArgument("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                                  "flow `" + flow.flow.name + "`: column `" + column.name +
                                      "` of table `" + target.full_name.ToString() + "` is " +
                                      old->type + ", the query now gives " + column.type +
                                      "; cast it, or start over with weir run --full-refresh " +
                                      target.declared.name.ToString(),
                                  "42825"));
    }
    column.type = old->type;
  }
  return missing.empty() ? Status() : store.AddColumns(target.full_name, missing);
}

}  // namespace

Result<std::vector<Column>> QueryColumns(engine::Session& session, const GraphFlow& flow,
                                         const Dataset& target) {
  auto given = DescribeQuery(session, flow.query.sql);
  if (!given) {
    return Fail(
        given.error().WithContext(flow.flow.origin.ToString() + ": flow `" + flow.flow.name + "`"));
  }
  std::vector<Column> columns;
  for (const Column& column : *given) {
    WEIR_ASSIGN_OR_RETURN(const SqlType type, ParseType(column.type));
    columns.push_back({column.name, StorableType(type).ToString()});
  }
  if (target.columns.empty()) return columns;
  std::vector<Column> declared;
  for (const ColumnDeclaration& column : target.columns) {
    const Column* found = FindColumn(columns, column.name);
    if (found == nullptr)
      return Fail(Incompatible(
          flow, target, "declares column `" + column.name + "`, which the query does not give"));
    declared.push_back({column.name, column.type.empty() ? found->type : column.type});
  }
  for (const Column& column : columns) {
    if (FindColumn(declared, column.name) == nullptr) {
      return Fail(
          Incompatible(flow, target, "does not declare column `" + column.name + "` of the query"));
    }
  }
  return declared;
}

Result<std::vector<Column>> PrepareTarget(engine::Session& session, TableStore& store,
                                          const GraphFlow& flow, const GraphDataset& target,
                                          bool replace) {
  WEIR_ASSIGN_OR_RETURN(std::vector<Column> columns, QueryColumns(session, flow, target.declared));
  if (replace) {
    WEIR_ASSIGN_OR_RETURN(const auto there, store.Columns(target.full_name));
    if (there && *there == columns) return columns;
    WEIR_RETURN_IF_ERROR(store.Create(target.full_name, Shape(target, columns), there.has_value()));
    return columns;
  }
  WEIR_RETURN_IF_ERROR(ExtendTarget(store, flow, target, columns));
  return columns;
}

Result<BatchCounts> AppendBatch(engine::Session& session, TableStore& store, const GraphFlow& flow,
                                const GraphDataset& target, const BatchId& batch) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns,
                        PrepareTarget(session, store, flow, target, false));
  WEIR_RETURN_IF_ERROR(
      session.Execute("CREATE OR REPLACE TEMP TABLE __weir_batch AS " + SelectRows(flow, columns)));
  BatchCounts counts;
  WEIR_ASSIGN_OR_RETURN(counts.expectations,
                        CountExpectations(session, target.declared, "FROM __weir_batch"));
  const std::string kept = KeepExpected(target.declared, "FROM __weir_batch");
  WEIR_ASSIGN_OR_RETURN(
      auto rows,
      session.Query("SELECT (SELECT count(*) FROM __weir_batch), (SELECT count(*) FROM (" + kept +
                    "))"));
  WEIR_RETURN_IF_ERROR(rows->NextBatch());
  counts.rows_in = rows->Int64(0, 0);
  counts.upserted = rows->Int64(1, 0);
  rows.reset();
  if (counts.upserted == 0) return counts;
  WEIR_RETURN_IF_ERROR(store.Commit(target.full_name, batch.application, batch.number,
                                    "INSERT INTO " + target.full_name.ToSql() + " (" +
                                        Names(columns) + ") SELECT " + Names(columns) + " FROM (" +
                                        kept + ")"));
  return counts;
}

Result<BatchCounts> RecomputeView(engine::Session& session, TableStore& store,
                                  const GraphFlow& flow, const GraphDataset& target) {
  WEIR_ASSIGN_OR_RETURN(std::vector<Column> columns, QueryColumns(session, flow, target.declared));
  BatchCounts counts;
  const std::string query = SelectRows(flow, columns);
  WEIR_ASSIGN_OR_RETURN(counts.expectations, CountExpectations(session, target.declared, query));
  WEIR_ASSIGN_OR_RETURN(counts.upserted,
                        store.Replace(target.full_name, Shape(target, std::move(columns)),
                                      KeepExpected(target.declared, query)));
  return counts;
}

}  // namespace weir::pipeline
