// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/change_arguments.h"

#include <mutex>
#include <optional>
#include <utility>

#include "duckdb/common/types/timestamp.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/client_context_state.hpp"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

namespace {

constexpr const char* kAllowOutOfRange = "allow_out_of_range";
constexpr const char* kStartingVersion = "starting_version";
constexpr const char* kEndingVersion = "ending_version";
constexpr const char* kStartingTimestamp = "starting_timestamp";
constexpr const char* kEndingTimestamp = "ending_timestamp";
constexpr const char* kAppends = "appends";
constexpr const char* kIgnoreDeletes = "ignore_deletes";
constexpr const char* kIgnoreChanges = "ignore_changes";
constexpr const char* kSkipChangeCommits = "skip_change_commits";
constexpr const char* kEndSchema = "end_schema";
constexpr const char* kSnapshot = "snapshot";
constexpr const char* kSkipFiles = "skip_files";
constexpr const char* kMaxFiles = "max_files";

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

bool Flag(const duckdb::named_parameter_map_t& options, const char* name) {
  const auto option = options.find(name);
  return option != options.end() && !option->second.IsNull() &&
         duckdb::BooleanValue::Get(option->second);
}

Status ReadNamedBound(const duckdb::named_parameter_map_t& options, const char* name, bool is_start,
                      std::optional<int64_t>& version, std::optional<int64_t>& timestamp_ms) {
  const auto option = options.find(name);
  if (option == options.end()) return {};
  if (version || timestamp_ms) {
    return Fail(InvalidArgument("DELTA_MULTIPLE_CDC_BOUNDARY",
                                std::string("the ") + (is_start ? "start" : "end") +
                                    " of the change feed is given twice; give one version or one "
                                    "timestamp",
                                "42614"));
  }
  return ReadBound(option->second, is_start, version, timestamp_ms);
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
  for (const char* name : {kStartingVersion, kStartingTimestamp}) {
    WEIR_RETURN_IF_ERROR(
        ReadNamedBound(options, name, true, bounds.start_version, bounds.start_timestamp_ms));
  }
  for (const char* name : {kEndingVersion, kEndingTimestamp}) {
    WEIR_RETURN_IF_ERROR(
        ReadNamedBound(options, name, false, bounds.end_version, bounds.end_timestamp_ms));
  }
  bounds.allow_out_of_range = Flag(options, kAllowOutOfRange);
  return bounds;
}

Result<delta::ChangeReading> ReadingOf(const duckdb::named_parameter_map_t& options) {
  delta::ChangeReading reading;
  reading.appends = {Flag(options, kIgnoreDeletes), Flag(options, kIgnoreChanges),
                     Flag(options, kSkipChangeCommits)};
  reading.end_schema = Flag(options, kEndSchema);
  reading.snapshot = Flag(options, kSnapshot);
  if (Flag(options, kAppends)) reading.source = delta::ChangeSource::kAppends;
  if (!Flag(options, kByRowId)) return reading;
  if (Flag(options, kAppends) || Flag(options, kSnapshot)) {
    return Fail(InvalidArgument(
        "WEIR_CHANGE_OPTIONS_CONTRADICT",
        "by_row_id, appends and snapshot are ways to read changes; by_row_id goes with no other"));
  }
  reading.source = delta::ChangeSource::kFiles;
  return reading;
}

Result<std::optional<int64_t>> Count(const duckdb::named_parameter_map_t& options,
                                     const char* name) {
  const auto option = options.find(name);
  if (option == options.end() || option->second.IsNull()) return std::nullopt;
  const int64_t count = duckdb::BigIntValue::Get(option->second);
  if (count >= 0) return std::optional(count);
  return Fail(InvalidArgument(
      "WEIR_CHANGE_OPTIONS_CONTRADICT",
      std::string(name) + " is " + std::to_string(count) + ", but files are counted from 0"));
}

Result<delta::FileSlice> SliceOfCall(const duckdb::named_parameter_map_t& options) {
  delta::FileSlice slice;
  WEIR_ASSIGN_OR_RETURN(const auto skip, Count(options, kSkipFiles));
  slice.skip = skip.value_or(0);
  WEIR_ASSIGN_OR_RETURN(slice.count, Count(options, kMaxFiles));
  return slice;
}

// The plan of a connection's last call.
class LastPlan final : public duckdb::ClientContextState {
 public:
  Result<delta::ChangePlan> Plan(const delta::SnapshotPtr& snapshot,
                                 const delta::ChangeBounds& bounds,
                                 const delta::ChangeReading& reading,
                                 const delta::FileSlice& slice) {
    std::lock_guard lock(mutex_);
    const bool same_table = snapshot_ && snapshot_->log().root == snapshot->log().root &&
                            snapshot_->metadata().id == snapshot->metadata().id;
    // An old version's rows stay what they are while the table goes on.
    const bool holds = snapshot_ == snapshot || (same_table && reading.snapshot);
    const bool has_instant = bounds.start_timestamp_ms || bounds.end_timestamp_ms;
    if (!has_instant && holds && reading_ == reading) {
      WEIR_ASSIGN_OR_RETURN(const auto range, delta::ResolveChangeRange(*snapshot, bounds));
      if (range == plan_->range) return Part(slice);
    }
    WEIR_ASSIGN_OR_RETURN(auto plan, delta::PlanChanges(snapshot, bounds, reading,
                                                        same_table ? &plan_->end : nullptr));
    snapshot_ = snapshot;
    reading_ = reading;
    plan_ = std::move(plan);
    return Part(slice);
  }

 private:
  delta::ChangePlan Part(const delta::FileSlice& slice) const {
    return slice.skip == 0 && !slice.count ? *plan_ : delta::SliceOf(*plan_, slice);
  }

  std::mutex mutex_;             // Two functions of one statement may run at the same time.
  delta::SnapshotPtr snapshot_;  // null until there is a plan
  delta::ChangeReading reading_;
  std::optional<delta::ChangePlan> plan_;
};

// The table that a call names, as of the newest version that this transaction sees.
Result<PlannedChanges> FindTable(duckdb::ClientContext& context, bool by_path, const Value& table) {
  if (table.IsNull()) {
    return Fail(InvalidArgument("DELTA_MISSING_PATH",
                                "the change feed needs the name of a table, not NULL", "42601"));
  }
  const auto text = duckdb::StringValue::Get(table);
  PlannedChanges changes;
  WEIR_ASSIGN_OR_RETURN(changes.table,
                        by_path ? ResolveTablePath(context, text) : ResolveTable(context, text));
  changes.snapshot = changes.table.state->snapshot();
  if (changes.snapshot) return changes;
  return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                       "table " + changes.table.name + " is not committed yet: it has no changes",
                       "42P01"));
}

}  // namespace

void AddChangeOptions(duckdb::named_parameter_type_map_t& options) {
  for (const char* name : {kAllowOutOfRange, kAppends, kIgnoreDeletes, kIgnoreChanges,
                           kSkipChangeCommits, kByRowId, kEndSchema, kSnapshot}) {
    options[name] = LogicalType(LogicalTypeId::BOOLEAN);
  }
  for (const char* name : {kStartingVersion, kEndingVersion, kSkipFiles, kMaxFiles})
    options[name] = LogicalType(LogicalTypeId::BIGINT);
  for (const char* name : {kStartingTimestamp, kEndingTimestamp})
    options[name] = LogicalType(LogicalTypeId::ANY);
}

Result<PlannedChanges> PlanCall(duckdb::ClientContext& context, bool by_path,
                                const duckdb::vector<Value>& inputs,
                                const duckdb::named_parameter_map_t& options) {
  WEIR_ASSIGN_OR_RETURN(PlannedChanges changes, FindTable(context, by_path, inputs[0]));
  WEIR_ASSIGN_OR_RETURN(const delta::ChangeBounds bounds, BoundsOf(inputs, options));
  WEIR_ASSIGN_OR_RETURN(const delta::ChangeReading reading, ReadingOf(options));
  WEIR_ASSIGN_OR_RETURN(const delta::FileSlice slice, SliceOfCall(options));
  auto last = context.registered_state->GetOrCreate<LastPlan>("weir_last_change_plan");
  WEIR_ASSIGN_OR_RETURN(changes.plan, last->Plan(changes.snapshot, bounds, reading, slice));
  return changes;
}

Result<delta::ChangeRange> RangeOfCall(duckdb::ClientContext& context,
                                       const duckdb::vector<Value>& inputs,
                                       const duckdb::named_parameter_map_t& options) {
  WEIR_ASSIGN_OR_RETURN(const PlannedChanges changes, FindTable(context, false, inputs[0]));
  WEIR_ASSIGN_OR_RETURN(const delta::ChangeBounds bounds, BoundsOf(inputs, options));
  return delta::ResolveChangeRange(*changes.snapshot, bounds);
}

}  // namespace weir::engine
