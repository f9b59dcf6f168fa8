// SPDX-License-Identifier: Apache-2.0
//
// The actions of the log (protocol section "Actions"), one struct each, as they stand in a commit:
// every line of a commit file is an object with one member, the action's name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace weir::delta {

/// Column (physical name) to value as text; nullopt is NULL. "" in a log also means NULL and is
/// parsed to nullopt.
using PartitionValues = std::map<std::string, std::optional<std::string>>;
/// Free string pairs, e.g. tags and table properties.
using StringMap = std::map<std::string, std::string>;

/// Where the rows that are deleted from a file are listed (protocol section "Deletion Vectors").
struct DeletionVectorDescriptor {
  char storage_type = 'u';  ///< 'u' (file under the table), 'p' (absolute path), 'i' (inline).
  std::string path_or_inline_dv;  ///< As in the log.
  std::optional<int32_t> offset;  ///< Absent differs from 0 in identity, not in meaning.
  int32_t size_in_bytes = 0;
  int64_t cardinality = 0;

  /// The identity the protocol gives it: storageType + pathOrInlineDv [+ "@" + offset].
  std::string UniqueId() const;
  bool operator==(const DeletionVectorDescriptor&) const = default;
};

struct Protocol {
  int32_t min_reader_version = 1;
  int32_t min_writer_version = 2;
  /// Present exactly when the reader version is 3, or the writer version 7.
  std::optional<std::vector<std::string>> reader_features;
  std::optional<std::vector<std::string>> writer_features;
  bool operator==(const Protocol&) const = default;
};

struct Metadata {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string format_provider = "parquet";
  StringMap format_options;
  std::string schema_string;
  std::vector<std::string> partition_columns;
  std::optional<int64_t> created_time;
  StringMap configuration;
  bool operator==(const Metadata&) const = default;
};

struct AddFile {
  std::string path;  ///< As in the log: a percent-encoded URI, relative to the table or absolute.
  PartitionValues partition_values;
  int64_t size = 0;
  int64_t modification_time = 0;  ///< Milliseconds.
  bool data_change = true;
  std::optional<std::string> stats;  ///< JSON text, see statistics/.
  std::optional<StringMap> tags;
  std::optional<DeletionVectorDescriptor> deletion_vector;
  std::optional<int64_t> base_row_id;
  std::optional<int64_t> default_row_commit_version;
  std::optional<std::string> clustering_provider;
  bool operator==(const AddFile&) const = default;
};

struct RemoveFile {
  std::string path;
  std::optional<int64_t> deletion_timestamp;
  bool data_change = true;
  bool extended_file_metadata = false;
  PartitionValues partition_values;  ///< This and the next two only with extended_file_metadata.
  std::optional<int64_t> size;
  std::optional<StringMap> tags;
  std::optional<std::string> stats;
  std::optional<DeletionVectorDescriptor> deletion_vector;
  std::optional<int64_t> base_row_id;
  std::optional<int64_t> default_row_commit_version;
  bool operator==(const RemoveFile&) const = default;
};

/// A change data file (`cdc`); its dataChange is always false.
struct AddCdcFile {
  std::string path;
  PartitionValues partition_values;
  int64_t size = 0;
  std::optional<StringMap> tags;
  bool operator==(const AddCdcFile&) const = default;
};

struct SetTransaction {
  std::string app_id;
  int64_t version = 0;
  std::optional<int64_t> last_updated;
  bool operator==(const SetTransaction&) const = default;
};

struct DomainMetadata {
  std::string domain;
  std::string configuration;
  bool removed = false;
  bool operator==(const DomainMetadata&) const = default;
};

/// Free-form provenance. Members are kept in order; the accessors read the ones with a meaning.
struct CommitInfo {
  JsonValue members = JsonValue::Object();

  std::optional<int64_t> in_commit_timestamp() const;
  std::optional<int64_t> timestamp() const;
  std::optional<std::string> operation() const;
  std::optional<std::string> txn_id() const;
  bool operator==(const CommitInfo&) const = default;
};

/// Only in V2 checkpoints.
struct CheckpointMetadata {
  int64_t version = 0;
  std::optional<StringMap> tags;
  bool operator==(const CheckpointMetadata&) const = default;
};

/// Only in V2 checkpoints: a file with add and remove actions.
struct Sidecar {
  std::string path;
  int64_t size_in_bytes = 0;
  int64_t modification_time = 0;
  std::optional<StringMap> tags;
  bool operator==(const Sidecar&) const = default;
};

using Action = std::variant<Protocol, Metadata, AddFile, RemoveFile, AddCdcFile, SetTransaction,
                            DomainMetadata, CommitInfo, CheckpointMetadata, Sidecar>;

/// Parses the lines of one commit (or compacted) file in order. Unknown actions and members are
/// skipped, as the protocol demands.
/// Errors: kCorruptLog DELTA_LOG_FILE_MALFORMED names `file` and the line, what was found and what
/// was expected: broken JSON, a known action without a required member or with a wrong type, a line
/// with two actions.
Result<std::vector<Action>> ParseActions(std::string_view file, std::string_view text);

/// The line of a commit, without the line end.
std::string SerializeAction(const Action& action);
void AppendAction(const Action& action, std::string& out);

}  // namespace weir::delta
