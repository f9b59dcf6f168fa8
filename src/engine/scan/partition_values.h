// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "duckdb/common/types/value.hpp"

namespace weir::engine {

/// A partition value as a value of its column's type (protocol section "Partition Value Serialization"): the
/// empty text and nullopt are NULL; a timestamp is ISO 8601 with Z, or without zone and then UTC; binary is
/// the text's bytes. Errors: kCorruptLog DELTA_INVALID_PARTITION_VALUE names the text and the type.
Result<duckdb::Value> ParsePartitionValue(std::optional<std::string_view> text, const duckdb::LogicalType& type);

}  // namespace weir::engine
