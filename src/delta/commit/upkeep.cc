// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/upkeep.h"

#include "delta/checkpoint/write_checkpoint.h"
#include "delta/checksum/version_checksum.h"
#include "delta/commit/log_cleanup.h"
#include "delta/features/property_values.h"
#include "delta/maintenance/symlink_manifest.h"
#include "delta/uniform/update_iceberg.h"

namespace weir::delta {
namespace {

constexpr int64_t kDefaultInterval = 10;

int64_t CheckpointInterval(const Metadata& metadata) {
  auto it = metadata.configuration.find("delta.checkpointInterval");
  if (it == metadata.configuration.end()) return kDefaultInterval;
  int64_t interval = ParseIntegerProperty(it->second).value_or(kDefaultInterval);
  return interval > 0 ? interval : kDefaultInterval;
}

}  // namespace

bool IsCheckpointDue(const Metadata& metadata, int64_t version) {
  return version > 0 && version % CheckpointInterval(metadata) == 0;
}

void RunUpkeep(const TableLog& log, const SnapshotPtr& base, int64_t version,
               const std::string& txn_id) {
  auto snapshot = base ? base->Update() : Snapshot::Load(log);
  // A later version, made by another writer by now, is that writer's to look after.
  if (!snapshot || (*snapshot)->version() != version) {
    snapshot = Snapshot::Load(log, {version, std::nullopt});
  }
  if (!snapshot) return;
  // Failures are left to the next writer; readers do without.
  (void)WriteChecksum(**snapshot, txn_id);
  (void)UpdateSymlinkManifests(*snapshot);
  (void)UpdateIcebergMetadata(**snapshot);  // Before the clean-up of commits that it may need.
  if (!log.checkpoint_io || !IsCheckpointDue((*snapshot)->metadata(), version)) return;
  if (WriteCheckpoint(**snapshot)) (void)CleanUpLog(**snapshot);
}

}  // namespace weir::delta
