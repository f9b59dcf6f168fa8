// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/common/types/value.hpp"

#include "delta/schema/types.h"
#include "delta/values/value.h"

namespace weir::engine {

/// A DuckDB value of the type that `type` maps to, as a constant of the log; for single values
/// (partition values, literals), not for hot loops. NULL stays NULL; a nested value gives NULL.
delta::Value ToDeltaValue(const duckdb::Value& value, const delta::DataType& type);

}  // namespace weir::engine
