// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "duckdb/common/types/value.hpp"

#include "delta/schema/types.h"
#include "delta/values/value.h"

namespace weir::engine {

/// A DuckDB constant in the representation that `type` has in delta::Value. nullopt when the
/// constant is of another kind (a DATE where `type` is a timestamp), or out of delta::Value's range
/// (infinite dates): nothing may then be concluded from it. Integers of any width fit any integer
/// type.
std::optional<delta::Value> ToDelta(const duckdb::Value& value, const delta::DataType& type);

/// The constant as a value of `type`, the DuckDB type of the Delta type it was made for.
duckdb::Value ToDuckDB(const delta::Value& value, const duckdb::LogicalType& type);

}  // namespace weir::engine
