// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/insert_partitions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/expression/star_expression.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/query_node/select_node.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

bool IsDynamic(duckdb::ClientContext& context) {
  duckdb::Value mode;
  return context.TryGetCurrentSetting(kPartitionOverwriteMode, mode) &&
         EqualsIgnoreCase(mode.ToString(), "dynamic");
}

void CheckColumns(const WeirTableEntry& table, const WriteTarget& target) {
  const auto& columns = table.state()->metadata().partition_columns;
  for (const auto& [name, value] : target.partition) {
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const auto& column) { return EqualsIgnoreCase(column, name); })) {
      continue;
    }
    Throw(InvalidArgument(
        "NON_PARTITION_COLUMN",
        "PARTITION names \"" + name + "\", which is no partition column of table " + table.name,
        "42000"));
  }
}

bool IsStatic(const WriteTarget& target, const std::string& column) {
  return std::any_of(target.partition.begin(), target.partition.end(), [&](const auto& item) {
    return !item.second.empty() && EqualsIgnoreCase(item.first, column);
  });
}

std::string ConditionOf(const WriteTarget& target) {
  std::string condition;
  for (const auto& [column, value] : target.partition) {
    if (value.empty()) continue;
    if (!condition.empty()) condition += " AND ";
    condition += QuoteIdentifier(column) +
                 (EqualsIgnoreCase(value, "NULL") ? " IS NULL" : " = (" + value + ")");
  }
  return condition;
}

// SELECT *, value AS column, ... FROM (query)
void AddValues(duckdb::InsertStatement& insert, const WeirTableEntry& table,
               const WriteTarget& target) {
  const bool by_name = insert.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME;
  if (insert.columns.empty() && !by_name) {
    for (const auto& column : table.GetColumns().Logical()) {
      if (!IsStatic(target, column.Name())) insert.columns.push_back(column.Name());
    }
  }
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  for (const auto& [column, value] : target.partition) {
    if (value.empty()) continue;
    auto expressions = duckdb::Parser::ParseExpressionList(value);
    expressions.front()->SetAlias(column);
    node->select_list.push_back(std::move(expressions.front()));
    if (!by_name) insert.columns.push_back(column);
  }
  node->from_table =
      duckdb::make_uniq<duckdb::SubqueryRef>(std::move(insert.select_statement), "weir_rows");
  insert.select_statement = duckdb::make_uniq<duckdb::SelectStatement>();
  insert.select_statement->node = std::move(node);
}

}  // namespace

void ApplyPartitions(duckdb::ClientContext& context, duckdb::InsertStatement& insert,
                     const WeirTableEntry& table, WriteTarget& target) {
  CheckColumns(table, target);
  const std::string condition = ConditionOf(target);
  if (target.mode == WriteMode::kOverwrite) {
    if (IsDynamic(context) && !table.state()->metadata().partition_columns.empty()) {
      target.mode = WriteMode::kOverwritePartitions;
    } else if (!condition.empty()) {
      target.mode = WriteMode::kReplaceWhere;
      target.condition = condition;
    }
  }
  if (!condition.empty() && insert.select_statement) AddValues(insert, table, target);
  target.partition.clear();
}

}  // namespace weir::engine
