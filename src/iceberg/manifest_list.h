// SPDX-License-Identifier: Apache-2.0
//
// Manifest lists (specification, "Manifest Lists"): the Avro file that makes a snapshot out of
// manifests, of format version 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "iceberg/manifest.h"

namespace weir::iceberg {

/// What a manifest's live files have in one partition field.
struct FieldSummary {
  bool contains_null = false;
  bool contains_nan = false;
  std::optional<std::string> lower_bound;  ///< Of values that are neither NULL nor NaN.
  std::optional<std::string> upper_bound;
  bool operator==(const FieldSummary&) const = default;
};

/// One manifest as its snapshot lists it.
struct ManifestFile {
  std::string path;
  int64_t length = 0;
  int spec_id = 0;
  int64_t sequence_number = 0;      ///< Of the snapshot that added the manifest.
  int64_t min_sequence_number = 0;  ///< Of its live files.
  int64_t added_snapshot_id = 0;
  int64_t added_files = 0;
  int64_t existing_files = 0;
  int64_t deleted_files = 0;
  int64_t added_rows = 0;
  int64_t existing_rows = 0;
  int64_t deleted_rows = 0;
  std::vector<FieldSummary> partitions;

  int64_t live_files() const { return added_files + existing_files; }
  int64_t live_rows() const { return added_rows + existing_rows; }
  bool operator==(const ManifestFile&) const = default;
};

/// What a list says of a manifest with these entries; path, length and the snapshot that adds it
/// are the caller's to fill in.
ManifestFile Summarize(const PartitionSpec& spec, const std::vector<ManifestEntry>& entries);

struct ManifestListHead {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;
};

std::string WriteManifestList(const ManifestListHead& head,
                              const std::vector<ManifestFile>& manifests);

/// The manifests of a list that WriteManifestList has made. Any input is safe. Errors: kCorruptLog
/// WEIR_ICEBERG_METADATA_MALFORMED, also for another writer's lists.
Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes);

}  // namespace weir::iceberg
