// SPDX-License-Identifier: Apache-2.0
//
// The metadata file of a table (specification, "Table Metadata"), format version 2: what says where
// its snapshots are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "iceberg/manifest.h"

namespace weir::iceberg {

/// Partition field ids begin here.
inline constexpr int kFirstPartitionFieldId = 1000;

/// A struct type with a number. `fields` is the JSON array of its fields.
struct Schema {
  int id = 0;
  JsonValue fields = JsonValue::Array();

  /// The JSON object of the schema.
  JsonValue ToJson() const;
};

struct Snapshot {
  int64_t id = 0;
  std::optional<int64_t> parent_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::string manifest_list;  ///< Its path.
  int schema_id = 0;
  std::map<std::string, std::string> summary;  ///< With "operation".
};

struct SnapshotLogEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
};

struct MetadataLogEntry {
  int64_t timestamp_ms = 0;
  std::string file;
};

/// What Weir writes of a table's metadata, and needs of it to go on.
struct TableMetadata {
  std::string uuid;
  std::string location;
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  int last_column_id = 0;
  std::vector<Schema> schemas;
  int current_schema_id = 0;
  std::vector<PartitionSpec> specs;  ///< Types of fields are not in the file: unset when read.
  int default_spec_id = 0;
  int last_partition_id = kFirstPartitionFieldId - 1;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> current_snapshot_id;
  std::vector<Snapshot> snapshots;  ///< Ascending by sequence number.
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;

  /// The current snapshot, or null while there is none.
  const Snapshot* current_snapshot() const;
  /// The schema with that number, or null.
  const Schema* FindSchema(int id) const;
  /// A property, or null.
  const std::string* FindProperty(const std::string& key) const;
};

std::string SerializeTableMetadata(const TableMetadata& metadata);

/// Any input is safe. Errors: kCorruptLog WEIR_ICEBERG_METADATA_MALFORMED names the member, also
/// for what Weir never writes: another format version, a partition transform other than identity.
Result<TableMetadata> ParseTableMetadata(std::string_view text);

}  // namespace weir::iceberg
