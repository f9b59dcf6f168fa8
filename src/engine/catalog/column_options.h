// SPDX-License-Identifier: Apache-2.0
//
// What DuckDB's CREATE TABLE has no words for stands among its options: 'weir.comment.COLUMN',
// 'weir.comment' for the table, 'weir.identity.COLUMN' = 'always|default,START,STEP'. They describe
// the table and are no properties of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb/parser/parsed_data/create_table_info.hpp"

#include "delta/schema/types.h"

namespace weir::engine {

/// Whether an option is one of these.
bool IsColumnOption(const std::string& key);

/// Gives the columns what the options say of them. Throws kInvalidArgument
/// WEIR_UNKNOWN_COLUMN_OPTION for a column that is not there, or another option;
/// WEIR_INVALID_COLUMN_OPTION; those of delta::SetIdentity;
/// DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION,
/// DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED.
void ApplyColumnOptions(const duckdb::CreateTableInfo& create,
                        const std::vector<std::string>& partition_columns,
                        std::vector<delta::StructField>& fields);

/// The table's comment among the options.
std::optional<std::string> TableCommentOption(const duckdb::CreateTableInfo& create);

}  // namespace weir::engine
