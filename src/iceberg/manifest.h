// SPDX-License-Identifier: Apache-2.0
//
// Manifests (specification, "Manifests"): Avro files that list data files of a snapshot, of format
// version 2, with the members that a data file of Delta has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "iceberg/single_value.h"

namespace weir::iceberg {

/// A column that partitions as it is (transform identity).
struct PartitionField {
  int source_id = 0;  ///< The column's field id.
  int field_id = 0;   ///< The partition field's own, from 1000 on.
  std::string name;
  PrimitiveType type;
  bool operator==(const PartitionField&) const = default;
};

struct PartitionSpec {
  int id = 0;
  std::vector<PartitionField> fields;

  /// The JSON array of the fields.
  std::string FieldsJson() const;
};

/// A Parquet file with rows. The maps are by field id; bounds are single values.
struct DataFile {
  std::string path;
  /// One value for each field of the spec; nullopt is NULL.
  std::vector<std::optional<std::string>> partition;
  int64_t record_count = 0;
  int64_t size = 0;
  std::vector<std::pair<int, int64_t>> value_counts;
  std::vector<std::pair<int, int64_t>> null_value_counts;
  std::vector<std::pair<int, std::string>> lower_bounds;
  std::vector<std::pair<int, std::string>> upper_bounds;
  bool operator==(const DataFile&) const = default;
};

enum class EntryStatus { kExisting = 0, kAdded = 1, kDeleted = 2 };

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  int64_t snapshot_id = 0;           ///< That added the file, or deleted it.
  int64_t sequence_number = 0;       ///< Of the data.
  int64_t file_sequence_number = 0;  ///< Of the snapshot that added the file.
  DataFile file;
  bool operator==(const ManifestEntry&) const = default;
};

/// A manifest's bytes. `schema_json` is the table's schema as the metadata file has it, with number
/// `schema_id`.
std::string WriteManifest(const PartitionSpec& spec, int schema_id, std::string_view schema_json,
                          const std::vector<ManifestEntry>& entries);

/// The entries of a manifest that WriteManifest has made for a table with the same partition
/// fields. Any input is safe. Errors: kCorruptLog WEIR_ICEBERG_METADATA_MALFORMED, also for another
/// writer's manifests, whose records may look different.
Result<std::vector<ManifestEntry>> ReadManifest(std::string_view bytes, const PartitionSpec& spec);

}  // namespace weir::iceberg
