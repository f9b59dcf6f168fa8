// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/at_clause.h"

#include "duckdb/common/types/timestamp.hpp"

#include "base/text.h"

namespace weir::engine {
namespace {

Error Refused(const std::string& unit, const duckdb::Value& value, const char* expected) {
  return InvalidArgument("DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE",
                         "AT (" + unit + " => " + value.ToSQLString() + "): expected " + expected,
                         "42604");
}

// The last millisecond that has wholly passed: a commit is visible from its own instant on.
int64_t FloorMillis(duckdb::timestamp_t timestamp) {
  const int64_t micros = duckdb::Timestamp::GetEpochMicroSeconds(timestamp);
  return micros / 1000 - (micros % 1000 < 0 ? 1 : 0);
}

}  // namespace

Result<delta::TimeTravel> ParseAtClause(const std::string& unit, const duckdb::Value& value) {
  delta::TimeTravel at;
  duckdb::Value converted = value;
  if (EqualsIgnoreCase(unit, "version")) {
    const bool exact = !value.IsNull() && (value.type().IsIntegral() ||
                                           value.type().id() == duckdb::LogicalTypeId::VARCHAR);
    if (!exact ||
        !converted.DefaultTryCastAs(duckdb::LogicalType(duckdb::LogicalTypeId::BIGINT), true) ||
        converted.GetValue<int64_t>() < 0) {
      return Fail(Refused(unit, value, "a version number from 0"));
    }
    at.version = converted.GetValue<int64_t>();
    return at;
  }
  if (!EqualsIgnoreCase(unit, "timestamp"))
    return Fail(Refused(unit, value, "VERSION or TIMESTAMP"));
  // Text goes through TIMESTAMP WITH TIME ZONE, which honours an offset; everything else has none.
  const bool text = value.type().id() == duckdb::LogicalTypeId::VARCHAR;
  const auto type = duckdb::LogicalType(text ? duckdb::LogicalTypeId::TIMESTAMP_TZ
                                             : duckdb::LogicalTypeId::TIMESTAMP);
  if (value.type().id() == duckdb::LogicalTypeId::TIMESTAMP_TZ) {
    converted.Reinterpret(duckdb::LogicalType(duckdb::LogicalTypeId::TIMESTAMP));
  } else if (value.IsNull() || value.type().IsNumeric() ||
             !converted.DefaultTryCastAs(type, true)) {
    return Fail(Refused(unit, value, "a timestamp, e.g. TIMESTAMP '2024-01-31 12:00:00'"));
  }
  if (converted.IsNull()) return Fail(Refused(unit, value, "a timestamp, not NULL"));
  at.timestamp_ms = FloorMillis(converted.GetValueUnsafe<duckdb::timestamp_t>());
  return at;
}

}  // namespace weir::engine
