// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/cluster_by.h"

#include <utility>

#include "duckdb/parser/expression/columnref_expression.hpp"

#include "delta/features/features.h"
#include "engine/catalog/create_table.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

delta::ClusteringColumn ColumnOf(const duckdb::ParsedExpression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) {
    Throw(InvalidArgument("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                          "CLUSTER BY takes columns, found " + expression.ToString(), "42703"));
  }
  const auto& names = expression.Cast<duckdb::ColumnRefExpression>().column_names;
  return {names.begin(), names.end()};
}

// The domain as this transaction has it.
std::vector<delta::ClusteringColumn> CurrentColumns(const delta::Transaction& writer) {
  std::map<std::string, delta::DomainMetadata> domains;
  if (writer.base()) domains = writer.base()->domains();
  for (const auto& action : writer.actions()) {
    const auto* domain = std::get_if<delta::DomainMetadata>(&action);
    if (domain) domains[domain->domain] = *domain;
  }
  return OrThrow(delta::ClusteringColumnsOf(domains));
}

}  // namespace

std::vector<delta::ClusteringColumn> ClusterByColumns(const duckdb::CreateTableInfo& create) {
  std::vector<delta::ClusteringColumn> columns;
  for (const auto& key : create.sort_keys) columns.push_back(ColumnOf(*key));
  return columns;
}

std::string ClusterByText(const std::vector<delta::ClusteringColumn>& columns) {
  std::string text;
  for (const auto& column : columns)
    text += (text.empty() ? "" : ",") + delta::JoinColumnPath(column);
  return text;
}

void AlterClustering(WeirTransaction& transaction, WeirTableEntry& table,
                     const duckdb::SetSortedByInfo& info) {
  const auto& state = *table.state();
  if (!state.metadata().partition_columns.empty()) {
    Throw(InvalidArgument("DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED",
                          "table " + table.name +
                              " is partitioned, and a table is clustered or partitioned, not both",
                          "42000"));
  }
  std::vector<delta::ClusteringColumn> named;
  for (const auto& order : info.orders) named.push_back(ColumnOf(*order.expression));
  const auto columns =
      OrThrow(delta::ResolveClusteringColumns(*state.schema(), state.metadata(), named));

  auto& writer = transaction.WriterFor(table);
  const auto old = delta::LogicalClusteringColumns(*state.schema(), CurrentColumns(writer));
  const bool is_supported = delta::IsSupported(state.protocol(), delta::Feature::kClustering);
  // A table that never was clustered needs no feature to stay so.
  if (!is_supported && columns.empty()) return;
  if (!is_supported) {
    delta::Metadata metadata = state.metadata();
    metadata.configuration["delta.feature.clustering"] = "supported";
    delta::Protocol protocol;
    AdoptMetadata(state.schema(), &state, protocol, metadata);
    writer.Add(std::move(protocol));
    writer.Add(std::move(metadata));
  }
  writer.Add(delta::MakeClusteringDomain(columns));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("oldClusteringColumns", JsonValue::String(ClusterByText(old)));
  parameters.Set(
      "newClusteringColumns",
      JsonValue::String(ClusterByText(delta::LogicalClusteringColumns(*state.schema(), columns))));
  const std::string root = state.log().root;
  transaction.RecordStatement(root, "CLUSTER BY", std::move(parameters), {});
  transaction.Publish(root);
}

}  // namespace weir::engine
