// SPDX-License-Identifier: Apache-2.0
//
// Table properties, the `delta.*` keys of Metadata::configuration. One table in properties.cc says
// for each its spelling, its values and where it lands; defaults are those of Delta on Spark 4.4.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"

namespace weir::delta {

enum class ColumnMappingMode { kNone, kName, kId };
enum class CheckpointPolicy { kClassic, kV2 };
enum class TableIsolation { kSerializable, kWriteSerializable };
enum class AutoCompact { kOff, kOn, kAuto };

/// The properties with a meaning to Weir, typed. Absent ones hold their default.
struct TableProperties {
  bool append_only = false;
  bool enable_change_data_feed = false;
  bool enable_deletion_vectors = false;
  bool enable_in_commit_timestamps = false;
  std::optional<int64_t> in_commit_timestamp_enablement_version;
  std::optional<int64_t> in_commit_timestamp_enablement_timestamp;
  bool enable_row_tracking = false;
  bool row_tracking_suspended = false;
  std::optional<std::string> materialized_row_id_column;
  std::optional<std::string> materialized_row_commit_version_column;
  bool enable_type_widening = false;
  bool enable_variant_shredding = false;
  ColumnMappingMode column_mapping_mode = ColumnMappingMode::kNone;
  int64_t column_mapping_max_id = 0;

  TableIsolation isolation_level = TableIsolation::kSerializable;
  std::optional<std::chrono::milliseconds> set_transaction_retention;

  CheckpointPolicy checkpoint_policy = CheckpointPolicy::kClassic;
  int32_t checkpoint_interval = 10;
  bool checkpoint_stats_as_json = true;
  bool checkpoint_stats_as_struct = true;
  int64_t require_checkpoint_protection_before_version = 0;

  bool enable_expired_log_cleanup = true;
  std::chrono::milliseconds log_retention = std::chrono::days(30);
  std::chrono::milliseconds deleted_file_retention = std::chrono::weeks(1);
  std::chrono::milliseconds checkpoint_retention = std::chrono::days(2);
  std::chrono::milliseconds truncate_history_retention = std::chrono::hours(24);

  /// -1: all columns.
  int32_t data_skipping_num_indexed_cols = 32;
  /// Each a path of names; wins over the number above.
  std::optional<std::vector<std::vector<std::string>>> data_skipping_stats_columns;
  std::optional<int32_t> data_skipping_string_prefix_length;

  std::optional<std::string> parquet_compression_codec;
  std::optional<std::string> parquet_format_version;
  std::optional<int64_t> target_file_size;  ///< Bytes.
  bool randomize_file_prefixes = false;
  int32_t random_prefix_length = 2;
  AutoCompact auto_compact = AutoCompact::kOff;
  bool optimize_write = false;
  bool symlink_manifest = false;
};

/// Reads a table's configuration. Keys outside `delta.` and unknown ones are passed over: another
/// writer's table may hold anything. Errors: kCorruptLog WEIR_INVALID_TABLE_PROPERTY for a known
/// property with an impossible value.
Result<TableProperties> ParseTableProperties(const StringMap& configuration);

/// Checks one property that a user sets and gives it the spelling under which it is stored.
/// `delta.` keys are known in any case; constraints and keys outside `delta.` are kept as they are;
/// `delta.feature.` keys become lower case, which ProtocolFor then takes out. Errors:
/// kInvalidArgument DELTA_UNKNOWN_CONFIGURATION, DELTA_CANNOT_MODIFY_TABLE_PROPERTY (only Weir sets
/// it), DELTA_INVALID_INTERVAL, WEIR_INVALID_TABLE_PROPERTY (says which values there are).
Result<std::pair<std::string, std::string>> NormalizeProperty(const std::string& key,
                                                              const std::string& value);

/// All properties that a user sets at once, checked also against each other and against what the
/// table has already (`existing`). Errors: as NormalizeProperty;
/// DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION; WEIR_INVALID_TABLE_PROPERTY when files would be
/// kept longer than the log that names them.
Result<StringMap> NormalizeProperties(const StringMap& properties, const StringMap& existing = {});

/// The stored spelling of a key, for UNSET; an unknown key is returned as it is.
std::string NormalizePropertyKey(std::string_view key);

}  // namespace weir::delta
