// SPDX-License-Identifier: Apache-2.0
#include "delta/check/repair.h"

#include <algorithm>
#include <set>

#include "delta/actions/removal.h"
#include "delta/checkpoint/write_checkpoint.h"
#include "delta/checksum/version_checksum.h"
#include "delta/commit/transaction.h"
#include "delta/features/features.h"
#include "delta/snapshot/log_listing.h"
#include "delta/snapshot/snapshot_impl.h"
#include "delta/uniform/update_iceberg.h"

namespace weir::delta {
namespace {

bool IsLogRepair(const Finding& finding) {
  return finding.repair == RepairKind::kCheckpoint || finding.repair == RepairKind::kChecksum ||
         finding.repair == RepairKind::kCompaction ||
         finding.repair == RepairKind::kLastCheckpoint || finding.repair == RepairKind::kIceberg;
}

// One run over the log. Files are known by their paths; a file may have several findings.
class LogRepair {
 public:
  LogRepair(const TableLog& log, LogListing listing) : log_(log), listing_(std::move(listing)) {}

  // Nothing that is wrong may serve to build a version from.
  void Distrust(const Finding& finding) {
    if (finding.repair == RepairKind::kCheckpoint) {
      std::erase_if(listing_.checkpoints, [&](const CheckpointFiles& checkpoint) {
        if (checkpoint.files.front().path != finding.file) return false;
        broken_.push_back(checkpoint);
        return true;
      });
    } else if (finding.repair == RepairKind::kCompaction) {
      std::erase_if(listing_.compactions, [&](const DeltaFile& compaction) {
        return compaction.info.path == finding.file;
      });
    }
  }

  // Whether the finding is mended now.
  Result<bool> Repair(const Finding& finding) {
    if (done_.count(finding.file) > 0) return true;
    WEIR_ASSIGN_OR_RETURN(const bool repaired, RepairFile(finding));
    if (repaired) done_.insert(finding.file);
    return repaired;
  }

 private:
  Result<bool> RepairFile(const Finding& finding) {
    switch (finding.repair) {
      case RepairKind::kCheckpoint:
        return RewriteCheckpoint(finding);
      case RepairKind::kChecksum:
        return RewriteChecksum(finding);
      case RepairKind::kCompaction:
        return log_.store->Delete(finding.file).map([] { return true; });
      case RepairKind::kLastCheckpoint:
        return RewriteHint(finding);
      case RepairKind::kIceberg:
        return RewriteIceberg();
      default:
        return false;
    }
  }

  Result<bool> RewriteCheckpoint(const Finding& finding) {
    const auto snapshot = BuildSnapshot(log_, listing_, *finding.version);
    if (!snapshot) return false;  // It may be the last there is of this version.
    for (const CheckpointFiles& checkpoint : broken_) {
      if (checkpoint.files.front().path != finding.file) continue;
      for (const auto& file : checkpoint.files) WEIR_RETURN_IF_ERROR(log_.store->Delete(file.path));
    }
    WEIR_RETURN_IF_ERROR(WriteCheckpoint(**snapshot));
    return true;
  }

  Result<bool> RewriteChecksum(const Finding& finding) {
    const auto snapshot = BuildSnapshot(log_, listing_, *finding.version);
    WEIR_RETURN_IF_ERROR(log_.store->Delete(finding.file));
    if (!snapshot) return true;  // None is better than a wrong one.
    const CommitInfo* info = (*snapshot)->commit_info();
    WEIR_RETURN_IF_ERROR(WriteChecksum(**snapshot, info ? info->txn_id() : std::nullopt));
    return true;
  }

  Result<bool> RewriteHint(const Finding& finding) {
    const auto snapshot = BuildSnapshot(log_, listing_, listing_.latest_version());
    WEIR_RETURN_IF_ERROR(log_.store->Delete(finding.file));
    if (!snapshot) return true;  // Readers list the log then.
    WEIR_RETURN_IF_ERROR(WriteCheckpoint(**snapshot));
    return true;
  }

  Result<bool> RewriteIceberg() {
    const auto snapshot = BuildSnapshot(log_, listing_, listing_.latest_version());
    if (!snapshot) return false;
    return RewriteIcebergMetadata(**snapshot).has_value();
  }

  const TableLog& log_;
  LogListing listing_;
  std::vector<CheckpointFiles> broken_;
  std::set<std::string> done_;
};

}  // namespace

Status RepairLog(const TableLog& log, Findings& findings) {
  if (std::none_of(findings.list().begin(), findings.list().end(), IsLogRepair)) return {};
  WEIR_ASSIGN_OR_RETURN(LogListing listing, ListLog(log));
  LogRepair repair(log, listing);
  for (const Finding& finding : findings.list()) repair.Distrust(finding);
  if (const auto latest = Snapshot::Load(log)) {
    WEIR_RETURN_IF_ERROR(
        CheckWritable((*latest)->protocol(), (*latest)->metadata(), *(*latest)->schema()));
  }
  for (Finding& finding : findings.list()) {
    if (!IsLogRepair(finding)) continue;
    WEIR_ASSIGN_OR_RETURN(finding.repaired, repair.Repair(finding));
  }
  return {};
}

Status RemoveMissingFiles(const TableLog& log, Findings& findings) {
  std::set<std::string> missing;
  for (const Finding& finding : findings.list()) {
    if (finding.repair == RepairKind::kMissingFile) missing.insert(finding.file);
  }
  if (missing.empty()) return {};
  WEIR_ASSIGN_OR_RETURN(const SnapshotPtr snapshot, Snapshot::Load(log));
  WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("dryRun", JsonValue::String("false"));
  transaction->SetOperation("FSCK", std::move(parameters));
  int64_t bytes = 0;
  for (size_t i = 0; i < snapshot->files().size(); ++i) {
    if (missing.count(std::string(snapshot->files().path(i))) == 0) continue;
    const AddFile add = snapshot->files().GetWithoutStats(i);
    bytes += add.size;
    transaction->reads().files.insert(add.path);
    transaction->Add(RemovalOf(add, log.clock->NowMillis()));
  }
  transaction->SetMetrics({{"numRemovedFiles", static_cast<int64_t>(transaction->actions().size())},
                           {"removedFilesSize", bytes}});
  WEIR_RETURN_IF_ERROR(transaction->Commit().map([](const CommitResult&) {}));
  for (Finding& finding : findings.list()) {
    if (finding.repair == RepairKind::kMissingFile) finding.repaired = true;
  }
  return {};
}

}  // namespace weir::delta
