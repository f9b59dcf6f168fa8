// SPDX-License-Identifier: Apache-2.0
//
// Delta's types as DuckDB's and back: timestamp is TIMESTAMP WITH TIME ZONE (an instant),
// timestamp_ntz is TIMESTAMP, binary is BLOB, void is "NULL", variant is VARIANT;
// byte/short/integer/long are TINYINT/SMALLINT/INTEGER/BIGINT. Nested types map member by member.
#pragma once

#include "duckdb/common/types.hpp"

#include "base/result.h"
#include "delta/schema/types.h"

namespace weir::engine {

/// Errors: kUnsupportedFeature DELTA_UNSUPPORTED_DATA_TYPE for intervals, naming the type.
Result<duckdb::LogicalType> ToDuckDB(const delta::DataType& type);

/// For CREATE TABLE and added columns; struct members and lists get no field metadata and are
/// nullable. Types that Delta lacks but which have one exact home are mapped to it: UTINYINT to
/// short, USMALLINT to integer, UINTEGER to long, UBIGINT to decimal(20,0), HUGEINT (what sum()
/// gives) to decimal(38,0), TIMESTAMP_S and TIMESTAMP_MS to timestamp_ntz, ENUM to string,
/// fixed-size ARRAY to array. Errors: kUnsupportedFeature DELTA_UNSUPPORTED_DATA_TYPE for all
/// others (UHUGEINT, TIME, INTERVAL, UUID, TIMESTAMP_NS, UNION, BIT, GEOMETRY, ...), naming the
/// type and a cast that helps.
Result<delta::TypePtr> FromDuckDB(const duckdb::LogicalType& type);

}  // namespace weir::engine
