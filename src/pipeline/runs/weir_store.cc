// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/weir_store.h"

#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

/// PARTITIONED BY and WITH, in the order that the grammar wants.
std::string Clauses(const TableShape& shape) {
  std::string sql;
  if (!shape.partition_columns.empty())
    sql += " PARTITIONED BY (" + Names(shape.partition_columns) + ")";
  if (shape.properties.empty()) return sql;
  return sql + " WITH (" +
         Join(shape.properties, ", ",
              [](const auto& property) {
                return QuoteLiteral(property.first) + " = " + QuoteLiteral(property.second);
              }) +
         ")";
}

std::string Argument(const QualifiedName& table) { return QuoteLiteral(table.ToSql()); }

bool IsMissing(const Error& error) {
  return error.kind == ErrorKind::kNotFound ||
         error.message.find("does not exist") != std::string::npos;
}

}  // namespace

Result<std::optional<std::vector<Column>>> WeirStore::Columns(const QualifiedName& table) {
  auto columns = DescribeQuery(session_, "SELECT * FROM " + table.ToSql());
  if (columns) return std::optional(std::move(*columns));
  if (IsMissing(columns.error())) return std::optional<std::vector<Column>>();
  return Fail(columns.error());
}

Result<std::map<std::string, std::string>> WeirStore::Properties(const QualifiedName& table) {
  WEIR_ASSIGN_OR_RETURN(
      auto rows, session_.Query("SELECT key, value FROM weir_properties(" + Argument(table) + ")"));
  std::map<std::string, std::string> properties;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, rows->NextBatch());
    if (!more) return properties;
    for (size_t row = 0; row < rows->batch_size(); ++row)
      properties[rows->Text(0, row)] = rows->Text(1, row);
  }
}

Result<std::string> WeirStore::Location(const QualifiedName& table) {
  WEIR_ASSIGN_OR_RETURN(
      auto rows, session_.Query("SELECT location FROM weir_detail(" + Argument(table) + ")"));
  WEIR_RETURN_IF_ERROR(rows->NextBatch());
  return rows->Text(0, 0);
}

Status WeirStore::MakeSchema(const QualifiedName& table) {
  QualifiedName schema = table;
  schema.parts.pop_back();
  return session_.Execute("CREATE SCHEMA IF NOT EXISTS " + schema.ToSql());
}

Status WeirStore::Create(const QualifiedName& table, const TableShape& shape, bool replace) {
  WEIR_RETURN_IF_ERROR(MakeSchema(table));
  return session_.Execute(
      std::string("CREATE ") + (replace ? "OR REPLACE " : "") + "TABLE " + table.ToSql() + " (" +
      Join(shape.columns, ", ",
           [](const Column& column) { return QuoteIdentifier(column.name) + " " + column.type; }) +
      ")" + Clauses(shape));
}

Result<int64_t> WeirStore::Replace(const QualifiedName& table, const TableShape& shape,
                                   const std::string& query) {
  WEIR_RETURN_IF_ERROR(MakeSchema(table));
  WEIR_ASSIGN_OR_RETURN(const std::optional<int64_t> rows,
                        session_.QueryInt64("CREATE OR REPLACE TABLE " + table.ToSql() +
                                            Clauses(shape) + " AS " + query));
  return rows.value_or(0);
}

Status WeirStore::Empty(const QualifiedName& table) {
  WEIR_ASSIGN_OR_RETURN(const auto columns, Columns(table));
  if (!columns) return {};
  return session_.Execute("DELETE FROM " + table.ToSql());
}

Status WeirStore::AddColumns(const QualifiedName& table, const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    WEIR_RETURN_IF_ERROR(session_.Execute("ALTER TABLE " + table.ToSql() + " ADD COLUMN " +
                                          QuoteIdentifier(column.name) + " " + column.type));
  }
  return {};
}

Status WeirStore::WidenColumn(const QualifiedName& table, const Column& column) {
  return session_.Execute("ALTER TABLE " + table.ToSql() + " ALTER COLUMN " +
                          QuoteIdentifier(column.name) + " TYPE " + column.type);
}

Status WeirStore::SetProperty(const QualifiedName& table, const std::string& key,
                              const std::string& value) {
  return session_.Execute("ALTER TABLE " + table.ToSql() + " SET (" + QuoteLiteral(key) + " = " +
                          QuoteLiteral(value) + ")");
}

Result<std::optional<int64_t>> WeirStore::LastBatch(const QualifiedName& table,
                                                    const std::string& application) {
  WEIR_ASSIGN_OR_RETURN(const auto columns, Columns(table));
  if (!columns) return std::optional<int64_t>();
  return session_.QueryInt64("SELECT max(version) FROM weir_transactions(" + Argument(table) +
                             ") WHERE app_id = " + QuoteLiteral(application));
}

Result<std::optional<int64_t>> WeirStore::VersionBefore(const QualifiedName& table,
                                                        int64_t time_us) {
  return session_.QueryInt64("SELECT max(version) FROM weir_history(" + Argument(table) +
                             ") WHERE \"timestamp\" <= make_timestamptz(" +
                             std::to_string(time_us) + ")");
}

Status WeirStore::Commit(const QualifiedName&, const std::string& application, int64_t batch,
                         const std::string& statement) {
  WEIR_RETURN_IF_ERROR(session_.Execute("SET weir_txn_app_id = " + QuoteLiteral(application) +
                                        "; SET weir_txn_version = " + std::to_string(batch)));
  const Status done = session_.Execute(statement);
  const Status reset = session_.Execute("RESET weir_txn_app_id; RESET weir_txn_version");
  return done ? reset : done;
}

}  // namespace weir::pipeline
