// SPDX-License-Identifier: Apache-2.0
//
// Typed statistics (`stats_parsed`) and partition values (`partitionValues_parsed`) as the text
// that the log has for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb/common/types/vector.hpp"

namespace weir::engine {

/// Appends the JSON of one row of a flat vector: structs as objects without their NULL members,
/// decimals with all digits, dates and timestamps as ISO 8601, NaN and infinities as strings.
/// False, and nothing appended, for NULL and for a type that has no form in statistics (binary,
/// lists, maps).
bool AppendJson(duckdb::Vector& vector, size_t row, std::string& out);

/// The text of one row of a flat, scalar vector in a partition value; false for NULL.
bool AppendPartitionText(duckdb::Vector& vector, size_t row, std::string& out);

}  // namespace weir::engine
