// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE: DuckDB's bound statement as the protocol and metadata of a new table.
#pragma once

#include <string>
#include <vector>

#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"

#include "base/json.h"
#include "delta/actions/actions.h"
#include "delta/clustering/clustering_columns.h"
#include "delta/schema/types.h"
#include "engine/catalog/table_state.h"

namespace weir::engine {

/// What a new table begins with.
struct NewTable {
  delta::Protocol protocol;
  delta::Metadata metadata;
  std::vector<delta::ClusteringColumn> clustering_columns;  ///< Physical paths.
};

/// Columns with NOT NULL, PARTITIONED BY, WITH ('property' = value) over
/// `defaults`, and comments. Types without a
/// counterpart in Delta are mapped as FromDuckDB says. `now_ms` is the creation time. Throws
/// DELTA_UNSUPPORTED_DATA_TYPE; kInvalidArgument DELTA_PARTITION_COLUMN_NOT_FOUND,
/// DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION, DELTA_INVALID_PARTITION_COLUMN_TYPE,
/// DELTA_DUPLICATE_COLUMNS_FOUND, DELTA_UNKNOWN_CONFIGURATION and those of property values;
/// kUnsupportedFeature WEIR_UNSUPPORTED_CONSTRAINT for PRIMARY KEY, UNIQUE, FOREIGN KEY.
NewTable DescribeNewTable(duckdb::BoundCreateTableInfo& info, delta::StringMap defaults,
                          int64_t now_ms);

/// Completes `metadata` with `schema` and gives it the protocol it needs; `current` is the existing
/// table, or null. Columns get their mapping, and what enabled features keep in the metadata is put
/// there. Throws as delta::ProtocolFor and delta::CheckWritable; kInvalidArgument
/// DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE, DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS.
void AdoptMetadata(delta::TypePtr schema, const TableState* current, delta::Protocol& protocol,
                   delta::Metadata& metadata);

/// Names of columns in `delta.dataSkippingStatsColumns`, where `properties` have it, must be
/// columns of the table. Throws DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
void CheckStatisticsColumns(const std::string& table, const delta::DataType& schema,
                            const delta::StringMap& properties);

/// The text of a literal in WITH or SET: 'x', 5, true. Throws WEIR_PROPERTY_NOT_CONSTANT for
/// anything else.
std::string PropertyText(const std::string& key, const duckdb::ParsedExpression& expression);

/// operationParameters of CREATE TABLE and its kin in commitInfo, as Spark writes them.
JsonValue CreateParameters(const NewTable& table);

}  // namespace weir::engine
