// SPDX-License-Identifier: Apache-2.0
//
// A snapshot of Iceberg in the making: manifests that are taken over, written anew, or new, and the
// list that makes a snapshot of them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/table_log.h"
#include "iceberg/manifest_list.h"
#include "iceberg/table_metadata.h"

namespace weir::delta {

class IcebergSnapshotWriter {
 public:
  /// `log` and `metadata` must live as long as this; `metadata` has the schema and the spec of the
  /// new snapshot already, and the former snapshot, if any, as the current one. `spec` has types.
  IcebergSnapshotWriter(const TableLog& log, const iceberg::TableMetadata& metadata,
                        iceberg::PartitionSpec spec);

  /// Takes over the manifests of the current snapshot, but for entries of files in `removed`, which
  /// are written down as deleted. Many small manifests become a few larger ones.
  Status TakeOver(const std::set<std::string>& removed);

  /// Adds a new file; it is in a manifest after Finish().
  Status Add(iceberg::DataFile file);

  /// Files of the new snapshot so far.
  int64_t live_files() const;
  bool has_changes() const { return added_files_ > 0 || deleted_files_ > 0; }

  /// Writes the rest and the list. The summary tells of `operation` and counts; `total_size` are
  /// the bytes of all live files.
  Result<iceberg::Snapshot> Finish(std::string_view operation, int64_t total_size,
                                   int64_t timestamp_ms);
  int64_t deleted_files() const { return deleted_files_; }
  int64_t added_files() const { return added_files_; }

 private:
  using Entries = std::vector<iceberg::ManifestEntry>;

  Result<Entries> ReadEntries(const iceberg::ManifestFile& manifest) const;
  Status RemoveFrom(const iceberg::ManifestFile& manifest, const std::set<std::string>& removed);
  Status MergeSmall();
  Status WriteManifest(const Entries& entries);
  Status FlushAdded();

  const TableLog& log_;
  const iceberg::TableMetadata& metadata_;
  iceberg::PartitionSpec spec_;
  std::string schema_json_;
  std::string name_;  ///< How names of this snapshot's files begin.
  int64_t snapshot_id_;
  int64_t sequence_number_;
  std::vector<iceberg::ManifestFile> manifests_;
  Entries added_;
  int written_ = 0;  ///< Manifests so far.
  int64_t added_files_ = 0;
  int64_t added_rows_ = 0;
  int64_t added_size_ = 0;
  int64_t deleted_files_ = 0;
  int64_t deleted_rows_ = 0;
  int64_t deleted_size_ = 0;
};

}  // namespace weir::delta
