// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/drop_feature.h"

#include <utility>

#include "base/text.h"
#include "delta/checkpoint/write_checkpoint.h"
#include "delta/commit/log_cleanup.h"
#include "delta/commit/transaction.h"
#include "delta/features/properties.h"
#include "delta/features/protocol_for.h"
#include "delta/maintenance/feature_traces.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {
namespace {

// A reader that cannot read a checkpoint may try two older ones before it gives up.
constexpr int kBarrierCheckpoints = 3;
constexpr int64_t kMillisPerMinute = 60'000;
constexpr const char* kProtectedBelow = "delta.requireCheckpointProtectionBeforeVersion";

// What older versions need of their readers, not only of writers.
bool LeavesTracesInHistory(const FeatureInfo& info) { return info.is_reader_writer(); }

Result<const FeatureInfo*> FindDroppable(const Snapshot& snapshot, std::string_view name) {
  const FeatureInfo* info = FindFeature(name);
  if (info != nullptr) return info;
  if (StartsWith(ToLowerAscii(name), "delta.")) {
    return Fail(InvalidArgument("DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
                                "'" + std::string(name) +
                                    "' is a table property and no table feature; ALTER TABLE ... "
                                    "UNSET TBLPROPERTIES takes it away",
                                "42000"));
  }
  return Fail(UnsupportedFeature("DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
                                 "Weir knows no table feature '" + std::string(name) +
                                     "' that it could drop from the table at '" +
                                     snapshot.log().root + "'",
                                 "0AKDC"));
}

class FeatureDrop {
 public:
  FeatureDrop(SnapshotPtr snapshot, const FeatureInfo& info, bool truncate_history,
              FeatureRewriter& rewriter)
      : snapshot_(std::move(snapshot)),
        info_(info),
        name_(info.name),
        truncate_history_(truncate_history),
        rewriter_(rewriter) {}

  Result<int64_t> Run() {
    // Whether it can be dropped at all.
    WEIR_RETURN_IF_ERROR(ProtocolWithout(snapshot_->protocol(), info_.feature));
    WEIR_RETURN_IF_ERROR(CheckTruncation());
    WEIR_RETURN_IF_ERROR(Transaction::Begin(snapshot_));
    WEIR_ASSIGN_OR_RETURN(const bool changed, RemoveTraces(info_.feature, snapshot_, rewriter_));
    if (info_.feature == Feature::kCheckpointProtection) {
      WEIR_RETURN_IF_ERROR(TruncateProtectedHistory());
    } else if (LeavesTracesInHistory(info_)) {
      WEIR_RETURN_IF_ERROR(truncate_history_ ? TruncateHistory(changed) : FenceOffHistory());
    }
    return LowerProtocol();
  }

 private:
  Status CheckTruncation() const {
    const bool is_protection = info_.feature == Feature::kCheckpointProtection;
    if (truncate_history_ && !is_protection && !LeavesTracesInHistory(info_)) {
      return Fail(InvalidArgument("DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
                                  "feature '" + name_ +
                                      "' leaves nothing in the history of a table that a reader "
                                      "could stumble over: drop it without TRUNCATE HISTORY",
                                  "42000"));
    }
    if (is_protection && !truncate_history_) {
      return Fail(InvalidArgument(
          "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
          "feature 'checkpointProtection' guards versions that need dropped features, and goes "
          "with them only: ALTER TABLE ... DROP FEATURE checkpointProtection TRUNCATE HISTORY",
          "55000"));
    }
    return {};
  }

  // A checkpoint on a commit of its own, which has nothing of the feature any more.
  Status WriteBarrier() {
    WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot_));
    transaction->SetOperation("Empty Commit", JsonValue::Object());
    WEIR_RETURN_IF_ERROR(transaction->Commit());
    WEIR_ASSIGN_OR_RETURN(snapshot_, snapshot_->Update());
    return WriteCheckpoint(*snapshot_);
  }

  Status FenceOffHistory() {
    for (int i = 0; i < kBarrierCheckpoints; ++i) WEIR_RETURN_IF_ERROR(WriteBarrier());
    return {};
  }

  Status CleanUp() {
    WEIR_ASSIGN_OR_RETURN(const auto properties,
                          ParseTableProperties(snapshot_->metadata().configuration));
    return CleanUpLog(*snapshot_, {properties.truncate_history_retention.count(), kMillisPerMinute})
        .map([](int64_t) {});
  }

  std::string Retention() const {
    const std::string* text =
        snapshot_->FindProperty("delta.dropFeatureTruncateHistory.retentionDuration");
    return "delta.dropFeatureTruncateHistory.retentionDuration, " +
           (text ? *text : std::string("24 hours"));
  }

  Status TruncateHistory(bool changed) {
    WEIR_RETURN_IF_ERROR(WriteBarrier());
    if (changed) {
      return Fail(ConflictRetryable(
          "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
          "feature '" + name_ +
              "' is no longer used by the table's newest version, but by older ones. It leaves the "
              "protocol when those are gone: run the same command again when the retention has "
              "passed (" +
              Retention() + ")",
          "22KD0"));
    }
    WEIR_RETURN_IF_ERROR(CleanUp());
    WEIR_ASSIGN_OR_RETURN(const bool is_used, HistoryUses(info_.feature, *snapshot_));
    if (!is_used) return {};
    return Fail(ConflictRetryable("DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
                                  "the log still holds versions of the table at '" +
                                      snapshot_->log().root + "' that use feature '" + name_ +
                                      "'; run the command again when they are older than " +
                                      Retention() + ", or without TRUNCATE HISTORY",
                                  "22KD0"));
  }

  Result<bool> IsProtectedHistoryGone() const {
    const std::string* text = snapshot_->FindProperty(kProtectedBelow);
    if (text == nullptr) return true;
    WEIR_ASSIGN_OR_RETURN(const auto properties,
                          ParseTableProperties(snapshot_->metadata().configuration));
    const int64_t version = properties.require_checkpoint_protection_before_version;
    if (version <= 0) return true;
    WEIR_ASSIGN_OR_RETURN(const LogListing listing, ListLog(snapshot_->log()));
    const bool has_old_commit =
        !listing.commits.empty() && listing.commits.front().version < version;
    return !has_old_commit && !listing.checkpoints.empty() &&
           listing.checkpoints.front().version >= version;
  }

  Status TruncateProtectedHistory() {
    WEIR_ASSIGN_OR_RETURN(bool is_gone, IsProtectedHistoryGone());
    if (is_gone) return {};
    WEIR_RETURN_IF_ERROR(WriteBarrier());
    WEIR_RETURN_IF_ERROR(CleanUp());
    WEIR_ASSIGN_OR_RETURN(is_gone, IsProtectedHistoryGone());
    if (is_gone) return {};
    return Fail(ConflictRetryable(
        "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
        "the log of the table at '" + snapshot_->log().root + "' still holds versions below " +
            *snapshot_->FindProperty(kProtectedBelow) +
            ", which use features that were dropped; run the command again when they are older "
            "than " +
            Retention(),
        "22KD0"));
  }

  Result<int64_t> LowerProtocol() {
    const bool fences_off = LeavesTracesInHistory(info_) && !truncate_history_;
    if (HasTraces(info_.feature, *snapshot_)) {
      return Fail(ConflictRetryable("DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
                                    "another writer has used feature '" + name_ +
                                        "' while it was being dropped; run the command again",
                                    "40000"));
    }
    WEIR_ASSIGN_OR_RETURN(Protocol protocol, ProtocolWithout(snapshot_->protocol(), info_.feature));
    Metadata metadata = snapshot_->metadata();
    RemoveLastProperties(info_.feature, metadata);
    WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot_));
    if (fences_off) {
      protocol =
          WeakestProtocol(SupportedFeatures(protocol) | FeatureSet{Feature::kCheckpointProtection});
      metadata.configuration[kProtectedBelow] = std::to_string(snapshot_->version() + 1);
    }
    // Files that others add meanwhile were made for the old protocol.
    transaction->reads().whole_table = true;
    transaction->Add(std::move(protocol));
    if (!(metadata == snapshot_->metadata())) transaction->Add(std::move(metadata));
    WEIR_ASSIGN_OR_RETURN(auto actions, LastActions(info_.feature, *snapshot_));
    for (Action& action : actions) transaction->Add(std::move(action));
    JsonValue parameters = JsonValue::Object();
    parameters.Set("featureName", JsonValue::String(name_));
    parameters.Set("truncateHistory", JsonValue::String(truncate_history_ ? "true" : "false"));
    transaction->SetOperation("DROP FEATURE", std::move(parameters));
    WEIR_ASSIGN_OR_RETURN(const CommitResult commit, transaction->Commit());
    if (fences_off) {
      WEIR_ASSIGN_OR_RETURN(snapshot_, snapshot_->Update());
      WEIR_RETURN_IF_ERROR(WriteCheckpoint(*snapshot_));
    }
    return commit.version;
  }

  SnapshotPtr snapshot_;
  const FeatureInfo& info_;
  const std::string name_;
  const bool truncate_history_;
  FeatureRewriter& rewriter_;
};

}  // namespace

Result<int64_t> DropFeature(SnapshotPtr snapshot, std::string_view name, bool truncate_history,
                            FeatureRewriter& rewriter) {
  WEIR_ASSIGN_OR_RETURN(const FeatureInfo* info, FindDroppable(*snapshot, name));
  return FeatureDrop(std::move(snapshot), *info, truncate_history, rewriter).Run();
}

}  // namespace weir::delta
