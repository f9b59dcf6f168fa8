// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/log_cleanup.h"

#include <chrono>
#include <set>

#include "delta/checkpoint/checkpoint_io.h"
#include "delta/commit/pending_commit.h"
#include "delta/features/features.h"
#include "delta/features/property_values.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {
namespace {

constexpr int64_t kMillisPerDay = 86'400'000;
constexpr std::chrono::milliseconds kDefaultRetention = std::chrono::days(30);

int64_t Midnight(int64_t time_ms) { return time_ms - time_ms % kMillisPerDay; }

bool IsCleanupEnabled(const Metadata& metadata) {
  auto it = metadata.configuration.find("delta.enableExpiredLogCleanup");
  return it == metadata.configuration.end() || ParseBooleanProperty(it->second).value_or(true);
}

int64_t RetentionMillis(const Snapshot& snapshot) {
  const std::string* text = snapshot.FindProperty("delta.logRetentionDuration");
  auto retention = text ? ParseIntervalProperty(*text) : std::nullopt;
  return retention.value_or(kDefaultRetention).count();
}

// History below this version must go as a whole or not at all.
int64_t ProtectedBelow(const Snapshot& snapshot) {
  if (!IsSupported(snapshot.protocol(), Feature::kCheckpointProtection)) return 0;
  const std::string* text = snapshot.FindProperty("delta.requireCheckpointProtectionBeforeVersion");
  auto version = text ? ParseIntegerProperty(*text) : std::nullopt;
  return version.value_or(0);
}

// The newest version whose commit is not newer than `cutoff_ms`; -1 when there is none.
Result<int64_t> CutoffVersion(const Snapshot& snapshot, const LogListing& listing,
                              int64_t cutoff_ms) {
  if (listing.commits.empty()) return -1;
  // Commits are made in order, so a young first file means a young log; no commit need be read
  // then.
  if (listing.commits.front().info.modified_ms > cutoff_ms) return -1;
  WEIR_ASSIGN_OR_RETURN(auto times,
                        ReadCommitTimestamps(snapshot.log(), listing.commits.front().version,
                                             listing.commits.back().version));
  int64_t version = -1;
  for (const auto& commit : times) {
    if (commit.timestamp_ms <= cutoff_ms) version = commit.version;
  }
  return version;
}

// Collects the sidecars that a checkpoint names.
class SidecarCollector final : public CheckpointVisitor {
 public:
  explicit SidecarCollector(std::set<std::string>& names) : names_(names) {}
  Status OnAdd(const AddView&) override { return {}; }
  Status OnRemove(RemoveFile) override { return {}; }
  Status OnAction(Action action) override {
    if (const auto* sidecar = std::get_if<Sidecar>(&action)) {
      names_.emplace(storage::BaseName(CanonicalPath(sidecar->path)));
    }
    return {};
  }

 private:
  std::set<std::string>& names_;
};

Status CollectSidecars(const TableLog& log, const CheckpointFiles& checkpoint,
                       std::set<std::string>& names) {
  SidecarCollector collector(names);
  if (checkpoint.json) {
    const std::string& path = checkpoint.files.front().path;
    WEIR_ASSIGN_OR_RETURN(std::string text, log.store->Get(path));
    WEIR_ASSIGN_OR_RETURN(auto actions, ParseActions(path, text));
    for (auto& action : actions) WEIR_RETURN_IF_ERROR(collector.OnAction(std::move(action)));
    return {};
  }
  if (!log.checkpoint_io) return Fail(InternalError("a checkpoint cannot be read here"));
  std::vector<std::string> paths;
  for (const auto& file : checkpoint.files) paths.push_back(file.path);
  return log.checkpoint_io->Read(*log.store, paths, {false, false, false, true}, collector);
}

// Sidecars that are old, and named by no checkpoint that stays. One unreadable checkpoint protects
// all.
Result<std::vector<std::string>> ExpiredSidecars(const Snapshot& snapshot,
                                                 const LogListing& listing, int64_t kept) {
  const TableLog& log = snapshot.log();
  std::vector<std::string> expired;
  WEIR_ASSIGN_OR_RETURN(auto sidecars,
                        log.store->List(storage::JoinPath(log.log_dir(), kSidecarFolder)));
  if (sidecars.empty()) return expired;
  std::set<std::string> named;
  for (const auto& checkpoint : listing.checkpoints) {
    if (checkpoint.version < kept) continue;
    if (!CollectSidecars(log, checkpoint, named)) return expired;
  }
  int64_t youngest = Midnight(log.clock->NowMillis()) - kMillisPerDay;
  for (const auto& sidecar : sidecars) {
    bool is_named = named.contains(std::string(storage::BaseName(sidecar.path)));
    if (!is_named && sidecar.modified_ms < youngest) expired.push_back(sidecar.path);
  }
  return expired;
}

void CollectOlder(const LogListing& listing, int64_t kept, std::vector<std::string>& files) {
  for (const auto& commit : listing.commits) {
    if (commit.version < kept) files.push_back(commit.info.path);
  }
  for (const auto& compaction : listing.compactions) {
    if (compaction.version <= kept) files.push_back(compaction.info.path);
  }
  for (const auto& checksum : listing.checksums) {
    if (checksum.version < kept) files.push_back(checksum.info.path);
  }
  for (const auto& checkpoint : listing.checkpoints) {
    if (checkpoint.version >= kept) continue;
    for (const auto& part : checkpoint.files) files.push_back(part.path);
  }
}

}  // namespace

Result<LogCleanupPlan> PlanLogCleanup(const Snapshot& snapshot, const LogRetention& retention) {
  LogCleanupPlan plan;
  const TableLog& log = snapshot.log();
  if (!retention.millis && !IsCleanupEnabled(snapshot.metadata())) return plan;
  int64_t cutoff_ms = log.clock->NowMillis() - retention.millis.value_or(RetentionMillis(snapshot));
  cutoff_ms -= cutoff_ms % retention.granularity_ms;
  WEIR_ASSIGN_OR_RETURN(LogListing listing, ListLog(log));
  WEIR_ASSIGN_OR_RETURN(int64_t cutoff, CutoffVersion(snapshot, listing, cutoff_ms));
  int64_t kept = -1;
  for (const auto& checkpoint : listing.checkpoints) {
    if (checkpoint.version <= cutoff) kept = checkpoint.version;
  }
  if (kept < 0 || kept < ProtectedBelow(snapshot)) return plan;
  plan.kept_checkpoint = kept;
  CollectOlder(listing, kept, plan.files);
  WEIR_ASSIGN_OR_RETURN(auto sidecars, ExpiredSidecars(snapshot, listing, kept));
  plan.files.insert(plan.files.end(), sidecars.begin(), sidecars.end());
  return plan;
}

Result<int64_t> CleanUpLog(const Snapshot& snapshot, const LogRetention& retention) {
  WEIR_ASSIGN_OR_RETURN(LogCleanupPlan plan, PlanLogCleanup(snapshot, retention));
  int64_t deleted = 0;
  for (const auto& file : plan.files) {
    WEIR_RETURN_IF_ERROR(snapshot.log().store->Delete(file));
    ++deleted;
  }
  return deleted;
}

}  // namespace weir::delta
