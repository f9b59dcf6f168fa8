// SPDX-License-Identifier: Apache-2.0
#include "delta/features/properties.h"

#include <limits>

#include "base/text.h"
#include "delta/features/property_values.h"

namespace weir::delta {
namespace {

using std::chrono::milliseconds;

// Reading a value of each type; false for what is none.
bool Read(std::string_view text, bool& out) {
  auto value = ParseBooleanProperty(text);
  out = value.value_or(out);
  return value.has_value();
}
bool Read(std::string_view text, int64_t& out) {
  auto value = ParseIntegerProperty(text);
  out = value.value_or(out);
  return value.has_value();
}
bool Read(std::string_view text, int32_t& out) {
  int64_t wide = 0;
  if (!Read(text, wide) || wide < std::numeric_limits<int32_t>::min() ||
      wide > std::numeric_limits<int32_t>::max()) {
    return false;
  }
  out = static_cast<int32_t>(wide);
  return true;
}
bool Read(std::string_view text, milliseconds& out) {
  auto value = ParseIntervalProperty(text);
  out = value.value_or(out);
  return value.has_value();
}
bool Read(std::string_view text, std::string& out) {
  out = text;
  return true;
}
bool Read(std::string_view text, std::vector<std::vector<std::string>>& out) {
  auto value = ParseColumnListProperty(text);
  if (value) out = std::move(*value);
  return value.has_value();
}
bool Read(std::string_view text, ColumnMappingMode& out) {
  if (EqualsIgnoreCase(text, "none"))
    out = ColumnMappingMode::kNone;
  else if (EqualsIgnoreCase(text, "name"))
    out = ColumnMappingMode::kName;
  else if (EqualsIgnoreCase(text, "id"))
    out = ColumnMappingMode::kId;
  else
    return false;
  return true;
}
bool Read(std::string_view text, CheckpointPolicy& out) {
  out = EqualsIgnoreCase(text, "v2") ? CheckpointPolicy::kV2 : CheckpointPolicy::kClassic;
  return out == CheckpointPolicy::kV2 || EqualsIgnoreCase(text, "classic");
}
bool Read(std::string_view text, TableIsolation& out) {
  bool is_serializable = EqualsIgnoreCase(text, "Serializable");
  out = is_serializable ? TableIsolation::kSerializable : TableIsolation::kWriteSerializable;
  return is_serializable || EqualsIgnoreCase(text, "WriteSerializable");
}
bool Read(std::string_view text, AutoCompact& out) {
  if (EqualsIgnoreCase(text, "false"))
    out = AutoCompact::kOff;
  else if (EqualsIgnoreCase(text, "true"))
    out = AutoCompact::kOn;
  else if (EqualsIgnoreCase(text, "auto"))
    out = AutoCompact::kAuto;
  else
    return false;
  return true;
}
template <typename T>
bool Read(std::string_view text, std::optional<T>& out) {
  return Read(text, out.emplace());
}

/// Reads into a member of TableProperties.
template <auto kMember>
bool Into(std::string_view text, TableProperties& properties) {
  return Read(text, properties.*kMember);
}

/// The same for a number that may not be less than `kLeast`.
template <auto kMember, int kLeast>
bool AtLeast(std::string_view text, TableProperties& properties) {
  int64_t value = 0;
  return Read(text, value) && value >= kLeast && Into<kMember>(text, properties);
}

/// Checks a value that Weir itself has no use for.
template <typename T>
bool Only(std::string_view text, TableProperties&) {
  T ignored{};
  return Read(text, ignored);
}

bool IntoCodec(std::string_view text, TableProperties& properties) {
  for (std::string_view codec :
       {"uncompressed", "none", "snappy", "gzip", "lz4", "lz4_raw", "zstd", "brotli"}) {
    if (EqualsIgnoreCase(text, codec)) {
      properties.parquet_compression_codec = codec;
      return true;
    }
  }
  return false;
}

/// Three numbers, from 1.0.0 on.
bool IntoFormatVersion(std::string_view text, TableProperties& properties) {
  size_t first = text.find('.');
  size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return false;
  auto major = ParseIntegerProperty(text.substr(0, first));
  auto minor = ParseIntegerProperty(text.substr(first + 1, second - first - 1));
  auto patch = ParseIntegerProperty(text.substr(second + 1));
  if (!major || !minor || !patch || *major < 1 || *minor < 0 || *patch < 0) return false;
  properties.parquet_format_version = text;
  return true;
}

bool IntoTargetFileSize(std::string_view text, TableProperties& properties) {
  properties.target_file_size = ParseByteSizeProperty(text);
  return properties.target_file_size.value_or(0) > 0;
}

/// Hudi's metadata is for engines that write it, and goes unharmed here.
bool IsUniversalFormat(std::string_view text, TableProperties&) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string format = ToLowerAscii(Trim(text.substr(0, end)));
    if (format != "iceberg" && format != "hudi") return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

struct PropertyDefinition {
  std::string_view key;
  std::string_view rule;  ///< What its value must be.
  bool (*read)(std::string_view text, TableProperties& properties);
  bool is_editable = true;
};

using P = TableProperties;
constexpr std::string_view kBoolean = "true or false";
constexpr std::string_view kInteger = "an integer";
constexpr std::string_view kAnything = "text";
constexpr std::string_view kInterval =
    "a length of time such as '2 weeks' or 'interval 30 days', without months and years";
constexpr bool kSetByWeir = false;

// clang-format off
constexpr PropertyDefinition kDefinitions[] = {
    {"delta.appendOnly", kBoolean, Into<&P::append_only>},
    {"delta.autoOptimize", kBoolean, Only<bool>},
    {"delta.autoOptimize.autoCompact", "true, false or auto", Into<&P::auto_compact>},
    {"delta.autoOptimize.optimizeWrite", kBoolean, Into<&P::optimize_write>},
    {"delta.castIcebergTimeType", kBoolean, Only<bool>},
    {"delta.checkpoint.writeStatsAsJson", kBoolean, Into<&P::checkpoint_stats_as_json>},
    {"delta.checkpoint.writeStatsAsStruct", kBoolean, Into<&P::checkpoint_stats_as_struct>},
    {"delta.checkpointInterval", "a positive integer", AtLeast<&P::checkpoint_interval, 1>},
    {"delta.checkpointPolicy", "classic or v2", Into<&P::checkpoint_policy>},
    {"delta.checkpointRetentionDuration", kInterval, Into<&P::checkpoint_retention>},
    {"delta.columnMapping.maxColumnId", kInteger, Into<&P::column_mapping_max_id>, kSetByWeir},
    {"delta.columnMapping.mode", "none, name or id", Into<&P::column_mapping_mode>},
    {"delta.compatibility.symlinkFormatManifest.enabled", kBoolean, Into<&P::symlink_manifest>},
    {"delta.dataSkippingNumIndexedCols", "an integer from -1 on", AtLeast<&P::data_skipping_num_indexed_cols, -1>},
    {"delta.dataSkippingStatsColumns", "column names separated by commas, special ones in backticks", Into<&P::data_skipping_stats_columns>},
    {"delta.dataSkippingStringPrefixLength", "an integer from 0 on", AtLeast<&P::data_skipping_string_prefix_length, 0>},
    {"delta.deletedFileRetentionDuration", kInterval, Into<&P::deleted_file_retention>},
    {"delta.dropFeatureTruncateHistory.retentionDuration", kInterval, Into<&P::truncate_history_retention>},
    {"delta.enableChangeDataCapture", kBoolean, Into<&P::enable_change_data_feed>},
    {"delta.enableChangeDataFeed", kBoolean, Into<&P::enable_change_data_feed>},
    {"delta.enableDeletionVectors", kBoolean, Into<&P::enable_deletion_vectors>},
    {"delta.enableExpiredLogCleanup", kBoolean, Into<&P::enable_expired_log_cleanup>},
    {"delta.enableFullRetentionRollback", kBoolean, Only<bool>},
    {"delta.enableIcebergCompatV1", kBoolean, Only<bool>},
    {"delta.enableIcebergCompatV2", kBoolean, Only<bool>},
    {"delta.enableIcebergCompatV3", kBoolean, Only<bool>},
    {"delta.enableInCommitTimestamps", kBoolean, Into<&P::enable_in_commit_timestamps>},
    {"delta.enableMaterializePartitionColumnsFeature", kBoolean, Only<bool>},
    {"delta.enableRowTracking", kBoolean, Into<&P::enable_row_tracking>},
    {"delta.enableTypeWidening", kBoolean, Into<&P::enable_type_widening>},
    {"delta.enableVariantShredding", kBoolean, Into<&P::enable_variant_shredding>},
    {"delta.ignoreProtocolDefaults", kBoolean, Only<bool>},
    {"delta.inCommitTimestampEnablementTimestamp", kInteger, Into<&P::in_commit_timestamp_enablement_timestamp>},
    {"delta.inCommitTimestampEnablementVersion", kInteger, Into<&P::in_commit_timestamp_enablement_version>},
    {"delta.isolationLevel", "Serializable or WriteSerializable", Into<&P::isolation_level>},
    {"delta.logRetentionDuration", kInterval, Into<&P::log_retention>},
    {"delta.minReaderVersion", kInteger, Only<int32_t>},
    {"delta.minWriterVersion", kInteger, Only<int32_t>},
    {"delta.parquet.compression.codec", "a Parquet codec: uncompressed, snappy, gzip, lz4, lz4_raw, zstd or brotli", IntoCodec},
    {"delta.parquet.format.version", "a version such as 1.0.0 or 2.12.0", IntoFormatVersion},
    {"delta.randomizeFilePrefixes", kBoolean, Into<&P::randomize_file_prefixes>},
    {"delta.randomPrefixLength", "a positive integer", AtLeast<&P::random_prefix_length, 1>},
    {"delta.requireCheckpointProtectionBeforeVersion", "an integer from 0 on", AtLeast<&P::require_checkpoint_protection_before_version, 0>},
    {"delta.rowTracking.materializedRowCommitVersionColumnName", kAnything, Into<&P::materialized_row_commit_version_column>, kSetByWeir},
    {"delta.rowTracking.materializedRowIdColumnName", kAnything, Into<&P::materialized_row_id_column>, kSetByWeir},
    {"delta.rowTrackingSuspended", kBoolean, Into<&P::row_tracking_suspended>},
    {"delta.sampleRetentionDuration", kInterval, Only<milliseconds>},
    {"delta.setTransactionRetentionDuration", kInterval, Into<&P::set_transaction_retention>},
    {"delta.targetFileSize", "a size such as 104857600 or 128mb", IntoTargetFileSize},
    {"delta.universalFormat.enabledFormats", "iceberg, hudi or both, separated by a comma", IsUniversalFormat},
    {"delta.universalFormat.iceberg.atomicConversion.supported", kBoolean, Only<bool>},
};
// clang-format on

constexpr std::string_view kDeltaPrefix = "delta.";
constexpr std::string_view kConstraintPrefix = "delta.constraints.";
constexpr std::string_view kFeaturePrefix = "delta.feature.";

// Properties that are not Delta's but whose spelling others depend on. SQL may have lost it:
// DuckDB's parser makes the names of options lower case.
constexpr std::array<std::string_view, 3> kForeignKeys = {
    "pipelines.autocdc.keyColumnNames", "pipelines.autocdc.scdType",
    "pipelines.autocdc.trackHistoryColumnNames"};

std::string ForeignKey(std::string_view key) {
  for (std::string_view known : kForeignKeys) {
    if (EqualsIgnoreCase(known, key)) return std::string(known);
  }
  return std::string(key);
}

const PropertyDefinition* FindDefinition(std::string_view key) {
  for (const auto& definition : kDefinitions) {
    if (EqualsIgnoreCase(definition.key, key)) return &definition;
  }
  return nullptr;
}

std::string InvalidValue(const PropertyDefinition& definition, const std::string& value) {
  return "table property " + std::string(definition.key) + " must be " +
         std::string(definition.rule) + ", found '" + value + "'";
}

/// Against each other. Only what this change brings about is refused.
Status CheckTogether(const StringMap& changed, const StringMap& all) {
  WEIR_ASSIGN_OR_RETURN(auto properties, ParseTableProperties(all));
  if (properties.enable_row_tracking && properties.row_tracking_suspended) {
    return Fail(InvalidArgument("DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
                                "delta.enableRowTracking and delta.rowTrackingSuspended must not "
                                "both be true",
                                "55000"));
  }
  if (properties.symlink_manifest && (properties.enable_deletion_vectors ||
                                      properties.column_mapping_mode != ColumnMappingMode::kNone)) {
    return Fail(InvalidArgument(
        "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED",
        "delta.compatibility.symlinkFormatManifest.enabled goes neither with "
        "delta.enableDeletionVectors nor with delta.columnMapping.mode: readers of a manifest know "
        "neither",
        "0A000"));
  }
  bool touches_retention = changed.contains("delta.logRetentionDuration") ||
                           changed.contains("delta.deletedFileRetentionDuration");
  if (touches_retention && properties.log_retention < properties.deleted_file_retention) {
    return Fail(InvalidArgument(
        "WEIR_INVALID_TABLE_PROPERTY",
        "delta.logRetentionDuration (" + std::to_string(properties.log_retention.count()) +
            " ms) must not be less than delta.deletedFileRetentionDuration (" +
            std::to_string(properties.deleted_file_retention.count()) +
            " ms): the log would forget files that are still kept"));
  }
  return {};
}

}  // namespace

Result<TableProperties> ParseTableProperties(const StringMap& configuration) {
  TableProperties properties;
  // The old name of the change feed's property comes first in the table and so yields to the new
  // one.
  for (const auto& definition : kDefinitions) {
    auto it = configuration.find(std::string(definition.key));
    if (it == configuration.end()) continue;
    if (!definition.read(it->second, properties)) {
      return Fail(CorruptLog("WEIR_INVALID_TABLE_PROPERTY", InvalidValue(definition, it->second)));
    }
  }
  return properties;
}

Result<std::pair<std::string, std::string>> NormalizeProperty(const std::string& key,
                                                              const std::string& value) {
  std::string lower = ToLowerAscii(key);
  if (!StartsWith(lower, kDeltaPrefix) || StartsWith(lower, kConstraintPrefix)) {
    return std::pair(ForeignKey(key), value);
  }
  if (StartsWith(lower, kFeaturePrefix)) return std::pair(lower, value);
  const PropertyDefinition* definition = FindDefinition(key);
  if (definition == nullptr) {
    return Fail(InvalidArgument("DELTA_UNKNOWN_CONFIGURATION",
                                "'" + key + "' is no table property of Delta", "F0000"));
  }
  std::string canonical(definition->key);
  if (!definition->is_editable) {
    return Fail(InvalidArgument("DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
                                canonical + " is kept by the table itself and cannot be set",
                                "42939"));
  }
  TableProperties ignored;
  if (!definition->read(value, ignored)) {
    const std::string text = ToLowerAscii(value);
    const bool has_months =
        text.find("month") != std::string::npos || text.find("year") != std::string::npos;
    if (definition->rule == kInterval && !has_months) {
      return Fail(
          InvalidArgument("DELTA_INVALID_INTERVAL", InvalidValue(*definition, value), "22006"));
    }
    return Fail(InvalidArgument("WEIR_INVALID_TABLE_PROPERTY", InvalidValue(*definition, value)));
  }
  return std::pair(std::move(canonical), value);
}

Result<StringMap> NormalizeProperties(const StringMap& properties, const StringMap& existing) {
  StringMap changed;
  StringMap all = existing;
  for (const auto& [key, value] : properties) {
    WEIR_ASSIGN_OR_RETURN(auto pair, NormalizeProperty(key, value));
    all.insert_or_assign(pair.first, pair.second);
    changed.insert_or_assign(std::move(pair.first), std::move(pair.second));
  }
  WEIR_RETURN_IF_ERROR(CheckTogether(changed, all));
  return changed;
}

std::string NormalizePropertyKey(std::string_view key) {
  std::string lower = ToLowerAscii(key);
  if (StartsWith(lower, kFeaturePrefix)) return lower;
  const PropertyDefinition* definition = FindDefinition(key);
  return definition != nullptr ? std::string(definition->key) : ForeignKey(key);
}

}  // namespace weir::delta
