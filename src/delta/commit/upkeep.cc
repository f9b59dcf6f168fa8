// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/upkeep.h"

#include <charconv>

#include "delta/checksum/version_checksum.h"

namespace weir::delta {
namespace {

constexpr int64_t kDefaultInterval = 10;

int64_t CheckpointInterval(const Metadata& metadata) {
  auto it = metadata.configuration.find("delta.checkpointInterval");
  if (it == metadata.configuration.end()) return kDefaultInterval;
  const std::string& text = it->second;
  int64_t interval = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), interval);
  bool is_number = code == std::errc() && end == text.data() + text.size() && interval > 0;
  return is_number ? interval : kDefaultInterval;
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
}

}  // namespace weir::delta
