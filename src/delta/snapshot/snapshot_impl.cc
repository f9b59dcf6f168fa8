// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/snapshot_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "delta/catalog/managed_store.h"
#include "delta/features/features.h"
#include "delta/features/properties.h"
#include "delta/snapshot/commit_timestamps.h"

namespace weir::delta {
namespace {

// Reading is mostly waiting when the log is far away.
constexpr size_t kReadThreads = 8;
constexpr size_t kMaxRemoveLayers = 64;

std::vector<std::string> PhysicalPartitionColumns(const Metadata& metadata,
                                                  const DataType& schema) {
  std::vector<std::string> names;
  for (const auto& name : metadata.partition_columns) {
    const StructField* field = schema.FindField(name);
    names.push_back(field ? field->physical_name() : name);
  }
  return names;
}

Error Incomplete(const SnapshotState& state, std::string_view action) {
  return CorruptLog("DELTA_STATE_RECOVER_ERROR",
                    fmt::format("{}: found no {} action in the log up to version {}, expected one",
                                state.log.log_dir(), action, state.version),
                    "XXKDS");
}

void ApplyDomain(std::map<std::string, DomainMetadata>& domains, DomainMetadata domain) {
  if (domain.removed) {
    domains.erase(domain.domain);
  } else {
    domains[domain.domain] = std::move(domain);
  }
}

// A follower of a busy table must not keep every remove it ever saw, nor one layer for each commit.
void ThinOutRemoves(SnapshotState& state) {
  if (state.removes.size() <= kMaxRemoveLayers || !state.metadata) return;
  auto properties = ParseTableProperties(state.metadata->configuration);
  auto retention =
      properties ? properties->deleted_file_retention : TableProperties().deleted_file_retention;
  int64_t oldest = state.log.clock->NowMillis() - retention.count();
  auto removes = ReconcileTombstones(state.removes, {});
  std::erase_if(removes, [oldest](const RemoveFile& remove) {
    return remove.deletion_timestamp.value_or(0) < oldest;
  });
  state.removes = {std::make_shared<const std::vector<RemoveFile>>(std::move(removes))};
}

}  // namespace

void StartFrom(SnapshotState& state, int64_t version, CheckpointState checkpoint) {
  state.version = version;
  state.protocol = std::make_shared<const Protocol>(std::move(checkpoint.protocol));
  state.metadata = std::make_shared<const Metadata>(std::move(checkpoint.metadata));
  state.parts = std::move(checkpoint.files);
  state.checkpoint_files = std::move(checkpoint.parquet_files);
  if (checkpoint.removes && !checkpoint.removes->empty()) state.removes = {checkpoint.removes};
  for (auto& transaction : checkpoint.transactions) {
    state.transactions[transaction.app_id] = std::move(transaction);
  }
  for (auto& domain : checkpoint.domains) ApplyDomain(state.domains, std::move(domain));
}

void Advance(SnapshotState& state, std::vector<LoadedDelta> deltas) {
  std::vector<FileActions> files;
  for (auto& delta : deltas) {
    auto& content = delta.content;
    if (content.protocol) {
      state.protocol = std::make_shared<const Protocol>(std::move(*content.protocol));
    }
    if (content.metadata) {
      state.metadata = std::make_shared<const Metadata>(std::move(*content.metadata));
      state.schema = nullptr;
    }
    for (auto& transaction : content.transactions) {
      state.transactions[transaction.app_id] = std::move(transaction);
    }
    for (auto& domain : content.domains) ApplyDomain(state.domains, std::move(domain));
    for (auto& piece : content.files) {
      if (piece.removes && !piece.removes->empty()) state.removes.push_back(piece.removes);
      files.push_back(std::move(piece));
    }
    state.version = delta.file.end_version;
    state.commit_info = nullptr;
    if (content.commit_info && !delta.file.is_compaction()) {
      state.commit_info = std::make_shared<const CommitInfo>(std::move(*content.commit_info));
    }
  }
  state.parts = CompactParts(ReplayFiles(state.parts, files));
  ThinOutRemoves(state);
}

Status CheckPartitionColumns(const SnapshotState& state) {
  for (const auto& name : state.metadata->partition_columns) {
    if (state.schema->FindField(name)) continue;
    return Fail(CorruptLog("DELTA_PARTITION_COLUMN_NOT_FOUND",
                           "table " + state.log.root + " at version " +
                               std::to_string(state.version) + " is partitioned by \"" + name +
                               "\", which is not a column of its schema",
                           "42703"));
  }
  return {};
}

Result<std::shared_ptr<SnapshotImpl>> MakeSnapshot(SnapshotState state) {
  if (!state.protocol) return Fail(Incomplete(state, "protocol"));
  if (!state.metadata) return Fail(Incomplete(state, "metaData"));
  auto readable = CheckReadable(*state.protocol);
  if (!readable) return Fail(readable.error().WithContext(state.log.root));
  if (IsSupported(*state.protocol, Feature::kCatalogManaged) && !GoesThroughCatalog(state.log))
    return Fail(PathBasedAccessBlocked(state.log.root));
  if (!state.schema) {
    auto schema = ParseSchema(state.metadata->schema_string);
    if (!schema) return Fail(schema.error().WithContext(state.log.root));
    state.schema = std::move(*schema);
  }
  WEIR_RETURN_IF_ERROR(CheckPartitionColumns(state));
  WEIR_ASSIGN_OR_RETURN(state.timestamp_ms, StateTimestamp(state));
  state.files = std::make_shared<const SegmentedFileList>(
      std::move(state.parts), PhysicalPartitionColumns(*state.metadata, *state.schema));
  return std::make_shared<SnapshotImpl>(std::move(state));
}

Result<std::vector<LoadedDelta>> ReadDeltas(const TableLog& log,
                                            const std::vector<DeltaFile>& files) {
  std::vector<LoadedDelta> deltas(files.size());
  WEIR_RETURN_IF_ERROR(TryParallelFor(files.size(), kReadThreads, [&](size_t i) -> Status {
    deltas[i].file = files[i];
    WEIR_ASSIGN_OR_RETURN(auto text, log.store->Get(files[i].info.path));
    WEIR_ASSIGN_OR_RETURN(deltas[i].content, ReadDelta(files[i].info.path, std::move(text)));
    return {};
  }));
  return deltas;
}

Result<SnapshotPtr> SnapshotImpl::Update() const {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListCommitsFrom(state_.log, state_.version));
  // Another file at our version, or none, means that the log below us was cleaned or replaced.
  const DeltaFile* ours = listing.FindCommit(state_.version);
  bool same = ours && state_.commit_file && ours->info.size == state_.commit_file->size &&
              ours->info.modified_ms == state_.commit_file->modified_ms;
  if (!same) return Load(state_.log);
  if (listing.latest_version() == state_.version) return shared_from_this();
  auto cover =
      CoverVersions(state_.log, listing, state_.version + 1, listing.latest_version(), false);
  // What is missing here may be in a newer checkpoint.
  if (!cover) return Load(state_.log);
  auto deltas = ReadDeltas(state_.log, *cover);
  // So is what was cleaned up since the listing.
  if (!deltas && deltas.error().kind == ErrorKind::kNotFound) return Load(state_.log);
  if (!deltas) return Fail(deltas.error());
  SnapshotState next = state_;
  next.parts = state_.files->parts();
  next.files = nullptr;
  next.warnings.clear();
  next.commit_file = cover->back().info;
  next.timestamp_ms = ContinueTimestamps(state_.timestamp_ms, *cover);
  Advance(next, std::move(*deltas));
  WEIR_ASSIGN_OR_RETURN(auto snapshot, MakeSnapshot(std::move(next)));
  return snapshot;
}

Result<std::shared_ptr<const std::vector<RemoveFile>>> SnapshotImpl::Tombstones() const {
  auto layers = state_.removes;
  if (!state_.checkpoint_files.empty()) {
    WEIR_ASSIGN_OR_RETURN(auto old, LoadCheckpointRemoves(state_.log, state_.checkpoint_files));
    layers.insert(layers.begin(), std::make_shared<const std::vector<RemoveFile>>(std::move(old)));
  }
  return std::make_shared<const std::vector<RemoveFile>>(
      ReconcileTombstones(layers, state_.files->parts()));
}

}  // namespace weir::delta
