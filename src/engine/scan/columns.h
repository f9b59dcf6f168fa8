// SPDX-License-Identifier: Apache-2.0
//
// How a table's columns are found in a data file (protocol section "Column Mapping"). A table names
// its columns for people; a file knows them by physical name or, in id mode, by field id, and may
// hold other types: narrower ones from before a widening, INT96, binary without annotation.
#pragma once

#include <cstdint>
#include <vector>

#include "duckdb/common/multi_file/multi_file_data.hpp"

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::engine {

enum class ColumnMappingMode { kNone, kName, kId };

/// By the property `delta.columnMapping.mode`. Errors: kCorruptLog
/// DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE for a value that is none of none, name, id.
Result<ColumnMappingMode> MappingModeOf(const delta::Metadata& metadata);

/// The columns of `schema` for DuckDB's multi-file reader: logical names and types, NULL where a
/// file lacks them. Errors: kUnsupportedFeature DELTA_UNSUPPORTED_DATA_TYPE.
Result<duckdb::vector<duckdb::MultiFileColumnDefinition>> TableColumns(
    const delta::DataType& schema);

/// `column` as it is to be looked up in one file: the identifiers, at every level, are names that
/// `local` has, or one that no file has. `field` is its schema field.
duckdb::MultiFileColumnDefinition ResolveColumn(
    const duckdb::MultiFileColumnDefinition& column, const delta::StructField& field,
    ColumnMappingMode mode, const duckdb::vector<duckdb::MultiFileColumnDefinition>& local);

}  // namespace weir::engine
