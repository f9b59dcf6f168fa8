// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/change_arguments.h"

#include <utility>

#include "duckdb/common/types/timestamp.hpp"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

namespace {

Error NotABound(const Value& value) {
  return InvalidArgument(
      "DELTA_TIMESTAMP_INVALID",
      "the bound " + value.ToSQLString() +
          " of the change feed is no version (an integer) and no timestamp, e.g. "
          "TIMESTAMP '2024-01-31 12:00:00'",
      "42816");
}

Result<int64_t> MicrosOf(const Value& value) {
  Value converted = value;
  // Text goes through TIMESTAMP WITH TIME ZONE, which honours an offset; everything else has none.
  const bool is_text = value.type().id() == LogicalTypeId::VARCHAR;
  const LogicalType type(is_text ? LogicalTypeId::TIMESTAMP_TZ : LogicalTypeId::TIMESTAMP);
  if (value.type().id() == LogicalTypeId::TIMESTAMP_TZ) {
    converted.Reinterpret(LogicalType(LogicalTypeId::TIMESTAMP));
  } else if (value.type().IsNumeric() || !converted.DefaultTryCastAs(type, true)) {
    return Fail(NotABound(value));
  }
  const auto timestamp = converted.GetValueUnsafe<duckdb::timestamp_t>();
  if (!duckdb::Timestamp::IsFinite(timestamp)) return Fail(NotABound(value));
  return duckdb::Timestamp::GetEpochMicroSeconds(timestamp);
}

// Commits have milliseconds: the first one at or after the instant, or the last one at or before.
int64_t ToMillis(int64_t micros, bool round_up) {
  const int64_t rest = ((micros % 1000) + 1000) % 1000;
  return (micros - rest) / 1000 + (round_up && rest != 0 ? 1 : 0);
}

Status ReadBound(const Value& value, bool is_start, std::optional<int64_t>& version,
                 std::optional<int64_t>& timestamp_ms) {
  if (value.IsNull()) {
    return Fail(InvalidArgument("DELTA_CDC_READ_NULL_RANGE_BOUNDARY",
                                std::string("the ") + (is_start ? "start" : "end") +
                                    " of the change feed is NULL; give a version or a timestamp",
                                "22004"));
  }
  if (value.type().IsIntegral()) {
    Value converted = value;
    if (!converted.DefaultTryCastAs(LogicalType(LogicalTypeId::BIGINT), true))
      return Fail(NotABound(value));
    version = converted.GetValue<int64_t>();
    return {};
  }
  WEIR_ASSIGN_OR_RETURN(const int64_t micros, MicrosOf(value));
  timestamp_ms = ToMillis(micros, is_start);
  return {};
}

Result<delta::ChangeBounds> BoundsOf(const duckdb::vector<Value>& inputs,
                                     const duckdb::named_parameter_map_t& options) {
  delta::ChangeBounds bounds;
  if (inputs.size() > 1) {
    WEIR_RETURN_IF_ERROR(
        ReadBound(inputs[1], true, bounds.start_version, bounds.start_timestamp_ms));
  }
  if (inputs.size() > 2) {
    WEIR_RETURN_IF_ERROR(ReadBound(inputs[2], false, bounds.end_version, bounds.end_timestamp_ms));
  }
  const auto option = options.find(kAllowOutOfRange);
  bounds.allow_out_of_range = option != options.end() && !option->second.IsNull() &&
                              duckdb::BooleanValue::Get(option->second);
  return bounds;
}

}  // namespace

Result<PlannedChanges> PlanCall(duckdb::ClientContext& context, bool by_path,
                                const duckdb::vector<Value>& inputs,
                                const duckdb::named_parameter_map_t& options) {
  if (inputs[0].IsNull()) {
    return Fail(InvalidArgument("DELTA_MISSING_PATH",
                                "the change feed needs the name of a table, not NULL", "42601"));
  }
  const auto text = duckdb::StringValue::Get(inputs[0]);
  PlannedChanges changes;
  WEIR_ASSIGN_OR_RETURN(changes.table,
                        by_path ? ResolveTablePath(context, text) : ResolveTable(context, text));
  changes.snapshot = changes.table.state->snapshot();
  if (!changes.snapshot) {
    return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                         "table " + changes.table.name + " is not committed yet: it has no changes",
                         "42P01"));
  }
  WEIR_ASSIGN_OR_RETURN(const delta::ChangeBounds bounds, BoundsOf(inputs, options));
  WEIR_ASSIGN_OR_RETURN(changes.plan, delta::PlanChanges(changes.snapshot, bounds));
  return changes;
}

}  // namespace weir::engine
