// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delta/checkpoint/load_checkpoint.h"
#include "delta/snapshot/delta_reader.h"
#include "delta/snapshot/log_listing.h"
#include "delta/snapshot/segmented_file_list.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// A commit or compaction with its content.
struct LoadedDelta {
  DeltaFile file;
  DeltaContent content;
};

/// Everything a snapshot knows. What did not change is shared with the snapshot before it.
struct SnapshotState {
  TableLog log;
  int64_t version = -1;
  int64_t timestamp_ms = 0;
  std::shared_ptr<const Protocol> protocol;
  std::shared_ptr<const Metadata> metadata;
  TypePtr schema;
  std::shared_ptr<const SegmentedFileList> files;
  std::vector<FilePart> parts;  ///< While the state is being built; then in `files`.
  std::map<std::string, SetTransaction> transactions;
  std::map<std::string, DomainMetadata> domains;
  std::shared_ptr<const CommitInfo> commit_info;
  std::vector<std::string> warnings;

  /// Parquet files of the checkpoint below, with tombstones not read yet, and the removes since,
  /// ascending.
  std::vector<std::string> checkpoint_files;
  std::vector<std::shared_ptr<const std::vector<RemoveFile>>> removes;

  /// The commit file at `version`, where the log holds one: how an update notices that the log was
  /// replaced.
  std::optional<storage::ObjectInfo> commit_file;
};

/// Takes a checkpoint as the state of its version.
void StartFrom(SnapshotState& state, int64_t version, CheckpointState checkpoint);

/// Brings the state forward by deltas (ascending, without gaps).
void Advance(SnapshotState& state, std::vector<LoadedDelta> deltas);

/// Reads deltas, several at a time. Errors: those of the store and of ReadDelta.
Result<std::vector<LoadedDelta>> ReadDeltas(const TableLog& log,
                                            const std::vector<DeltaFile>& files);

class SnapshotImpl final : public Snapshot, public std::enable_shared_from_this<SnapshotImpl> {
 public:
  explicit SnapshotImpl(SnapshotState state) : state_(std::move(state)) {}

  Result<SnapshotPtr> Update() const override;
  /// Before the snapshot is shared.
  void AddWarning(std::string warning) { state_.warnings.push_back(std::move(warning)); }

  const TableLog& log() const override { return state_.log; }
  int64_t version() const override { return state_.version; }
  int64_t timestamp_ms() const override { return state_.timestamp_ms; }
  const Protocol& protocol() const override { return *state_.protocol; }
  const Metadata& metadata() const override { return *state_.metadata; }
  const TypePtr& schema() const override { return state_.schema; }
  const FileList& files() const override { return *state_.files; }
  Result<std::shared_ptr<const std::vector<RemoveFile>>> Tombstones() const override;
  const std::map<std::string, SetTransaction>& transactions() const override {
    return state_.transactions;
  }
  const std::map<std::string, DomainMetadata>& domains() const override { return state_.domains; }
  const CommitInfo* commit_info() const override { return state_.commit_info.get(); }
  const std::vector<std::string>& warnings() const override { return state_.warnings; }

 private:
  SnapshotState state_;
};

/// Checks the state and makes a snapshot of it.
/// Errors: as Snapshot::Load for what can be wrong with protocol, metadata and schema.
Result<std::shared_ptr<SnapshotImpl>> MakeSnapshot(SnapshotState state);

/// Builds a version from what is listed, and nothing else. Errors: as Snapshot::Load.
Result<std::shared_ptr<SnapshotImpl>> BuildSnapshot(const TableLog& log, const LogListing& listing,
                                                    int64_t version);

}  // namespace weir::delta
