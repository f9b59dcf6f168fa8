// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/transaction.h"

#include <algorithm>

#include "base/uuid.h"
#include "delta/commit/back_off.h"
#include "delta/commit/backfill_in_parts.h"
#include "delta/commit/carry_row_ids.h"
#include "delta/commit/commit_info.h"
#include "delta/commit/conflict_checks/conflict.h"
#include "delta/commit/prepare_commit.h"
#include "delta/commit/upkeep.h"
#include "delta/commit/validate_commit.h"
#include "delta/commit/write_commit.h"
#include "delta/features/features.h"
#include "delta/row_tracking/backfill.h"
#include "delta/row_tracking/row_tracking.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

// Every lost attempt is another writer's success, so this bounds starvation, not progress.
constexpr int kMaxAttempts = 1000;
constexpr int64_t kMillisPerDay = 86'400'000;

Error TableExists(const TableLog& log) {
  return AlreadyExists("DELTA_TABLE_ALREADY_EXISTS",
                       "there is a Delta table at '" + log.root + "' already", "42P07");
}

Result<TableTip> TipOf(const Snapshot& snapshot) {
  TableTip tip;
  tip.version = snapshot.version();
  tip.protocol = snapshot.protocol();
  tip.metadata = snapshot.metadata();
  tip.timestamp_ms = snapshot.timestamp_ms();
  auto it = snapshot.domains().find(std::string(kRowTrackingDomain));
  if (it != snapshot.domains().end()) {
    WEIR_ASSIGN_OR_RETURN(tip.row_id_high_water_mark, ReadHighWaterMark(it->second.configuration));
  }
  return tip;
}

// Moves the tip over a winner's commit.
Status Advance(TableTip& tip, const WinningCommit& winner) {
  for (const auto& action : winner.actions) {
    if (const auto* protocol = std::get_if<Protocol>(&action)) tip.protocol = *protocol;
    if (const auto* metadata = std::get_if<Metadata>(&action)) tip.metadata = *metadata;
    const auto* domain = std::get_if<DomainMetadata>(&action);
    if (domain && domain->domain == kRowTrackingDomain && !domain->removed) {
      WEIR_ASSIGN_OR_RETURN(int64_t mark, ReadHighWaterMark(domain->configuration));
      tip.row_id_high_water_mark = std::max(tip.row_id_high_water_mark, mark);
    }
  }
  tip.version = winner.version;
  auto in_commit = winner.info() ? winner.info()->in_commit_timestamp() : std::nullopt;
  if (in_commit) tip.timestamp_ms = std::max(tip.timestamp_ms, *in_commit);
  return {};
}

bool IsOfToday(const TableLog& log, const TableTip& tip) {
  const int64_t now_ms = log.clock->NowMillis();
  return tip.timestamp_ms >= now_ms - now_ms % kMillisPerDay;
}

Error TooOld(const TableLog& log, int64_t version) {
  return ConflictFinal("WEIR_SNAPSHOT_TOO_OLD",
                       "the commits behind version " + std::to_string(version) +
                           " of the table at '" + log.root +
                           "' are cleaned up by now, so that nobody can tell whether they "
                           "contradict this one; run the operation again on the new version",
                       "2D521");
}

Result<int64_t> CommitFileTime(const TableLog& log, int64_t version) {
  auto file = log.store->Head(storage::JoinPath(log.log_dir(), CommitFileName(version)));
  if (file) return file->modified_ms;
  const bool is_gone = file.error().kind == ErrorKind::kNotFound;
  return Fail(is_gone ? TooOld(log, version - 1) : file.error());
}

// Whether the log holds the version behind the tip: false when it holds no later one at all, an
// error when those between are cleaned up.
Result<bool> HasNextCommit(const TableLog& log, const TableTip& tip) {
  WEIR_ASSIGN_OR_RETURN(auto files, log.store->List(log.log_dir(), CommitFileName(tip.version)));
  bool has_later = false;
  for (const auto& file : files) {
    auto name = ParseLogFileName(storage::BaseName(file.path));
    if (!name || name->version <= tip.version) continue;
    if (name->kind == LogFileKind::kCommit && name->version == tip.version + 1) return true;
    has_later = true;
  }
  if (!has_later) return false;
  return Fail(TooOld(log, tip.version));
}

// Whether two actions set the same thing.
bool IsSameState(const Action& a, const Action& b) {
  if (a.index() != b.index()) return false;
  if (const auto* domain = std::get_if<DomainMetadata>(&a)) {
    return domain->domain == std::get<DomainMetadata>(b).domain;
  }
  if (const auto* txn = std::get_if<SetTransaction>(&a)) {
    return txn->app_id == std::get<SetTransaction>(b).app_id;
  }
  return std::holds_alternative<Protocol>(a) || std::holds_alternative<Metadata>(a);
}

class TransactionImpl final : public Transaction {
 public:
  TransactionImpl(TableLog log, SnapshotPtr base, TableTip tip)
      : log_(std::move(log)), base_(std::move(base)), tip_(std::move(tip)) {
    pending_.txn_id = Uuid::Random().ToString();
    if (base_) pending_.read_version = base_->version();
  }

  const SnapshotPtr& base() const override { return base_; }
  const std::string& id() const override { return pending_.txn_id; }
  ReadSet& reads() override { return pending_.reads; }
  void SetIsolationLevel(IsolationLevel level) override { pending_.isolation = level; }
  const std::vector<Action>& actions() const override { return pending_.actions; }

  void Add(Action action) override {
    if (auto* info = std::get_if<CommitInfo>(&action)) {
      for (auto& [key, value] : info->members.members()) SetCommitInfo(key, std::move(value));
      return;
    }
    if (const auto* remove = std::get_if<RemoveFile>(&action)) {
      if (TakeBack(remove->path)) return;
    }
    added_files_ += std::holds_alternative<AddFile>(action) ? 1 : 0;
    // A table has one protocol and metadata, a domain and an application one state: the last
    // counts.
    bool is_state = !std::holds_alternative<AddFile>(action) &&
                    !std::holds_alternative<RemoveFile>(action) &&
                    !std::holds_alternative<AddCdcFile>(action);
    if (is_state) {
      std::erase_if(pending_.actions,
                    [&](const Action& other) { return IsSameState(action, other); });
    }
    pending_.actions.push_back(std::move(action));
  }

  void SetOperation(std::string name, JsonValue parameters) override {
    pending_.operation = std::move(name);
    pending_.operation_parameters = std::move(parameters);
  }

  void SetMetrics(std::map<std::string, int64_t> metrics) override {
    pending_.metrics = std::move(metrics);
  }

  void SetCommitInfo(std::string key, JsonValue value) override {
    pending_.extra_info.Set(key, std::move(value));
  }

  Result<CommitResult> Commit() override {
    if (is_spent_) return Fail(InternalError("a transaction was committed twice"));
    is_spent_ = true;
    WEIR_RETURN_IF_ERROR(ValidateCommit(pending_, tip_));
    if (base_) WEIR_RETURN_IF_ERROR(BackfillRowIds());
    const auto* protocol = pending_.FindLast<Protocol>();
    if (base_ && IsSupported(protocol ? *protocol : tip_.protocol, Feature::kRowTracking)) {
      CarryRowIds(pending_.actions, base_->files());
    }
    if (base_) WEIR_RETURN_IF_ERROR(CatchUp());
    WEIR_ASSIGN_OR_RETURN(CommitResult result, WriteUntilWon());
    RunUpkeep(log_, base_, result.version, pending_.txn_id);
    return result;
  }

 private:
  // A file that this very transaction has added was never there: its removal cancels the add.
  // (Where the add replaced a live file's entry, that entry's own remove stays.)
  bool TakeBack(const std::string& path) {
    if (added_files_ == 0) return false;
    const auto erased = std::erase_if(pending_.actions, [&](const Action& other) {
      const auto* add = std::get_if<AddFile>(&other);
      return add && add->path == path;
    });
    added_files_ -= erased;
    return erased > 0;
  }

  // Once rows are tracked every file has ids, also those that were there before.
  Status BackfillRowIds() {
    const auto* new_protocol = pending_.FindLast<Protocol>();
    const auto* metadata = pending_.FindLast<Metadata>();
    const Protocol protocol = new_protocol ? *new_protocol : tip_.protocol;
    backfills_ = IsRowTrackingEnabled(protocol, metadata ? *metadata : tip_.metadata) &&
                 !IsRowTrackingEnabled(tip_.protocol, tip_.metadata);
    if (!backfills_) return {};
    WEIR_ASSIGN_OR_RETURN(auto files, FilesWithoutRowIds(pending_.actions, base_->files()));
    if (files.size() > kFilesPerBackfill && !pending_.HasFiles()) {
      WEIR_ASSIGN_OR_RETURN(base_, BackfillInParts(base_, protocol));
      WEIR_ASSIGN_OR_RETURN(tip_, TipOf(*base_));
      pending_.read_version = base_->version();
      WEIR_ASSIGN_OR_RETURN(files, FilesWithoutRowIds(pending_.actions, base_->files()));
    }
    for (Action& file : files) pending_.actions.push_back(std::move(file));
    return {};
  }

  // What others add while we give ids to the table's files gets ids as well; what they remove must
  // not come back.
  void FollowWithBackfill(const WinningCommit& winner) {
    std::set<std::string> gone;
    for (const auto& action : winner.actions) {
      if (const auto* remove = std::get_if<RemoveFile>(&action)) {
        gone.insert(CanonicalPath(remove->path));
      }
    }
    std::erase_if(pending_.actions, [&](const Action& action) {
      const auto* add = std::get_if<AddFile>(&action);
      return add && !add->data_change && gone.contains(CanonicalPath(add->path));
    });
    for (const auto& action : winner.actions) {
      const auto* add = std::get_if<AddFile>(&action);
      if (!add || (add->base_row_id && add->default_row_commit_version)) continue;
      pending_.actions.emplace_back(*add);
      std::get<AddFile>(pending_.actions.back()).data_change = false;
    }
  }

  Result<CommitResult> WriteUntilWon() {
    BackOff back_off;
    for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
      WEIR_ASSIGN_OR_RETURN(PreparedCommit commit,
                            PrepareCommit(pending_, tip_, log_.clock->NowMillis()));
      WEIR_ASSIGN_OR_RETURN(WriteOutcome outcome, WriteCommit(log_, commit, pending_.txn_id));
      if (outcome == WriteOutcome::kWritten) {
        return CommitResult{commit.version, commit.timestamp_ms, attempt};
      }
      if (!base_) return Fail(TableExists(log_));
      back_off.Wait(attempt);
      WEIR_RETURN_IF_ERROR(Rebase());
    }
    return Fail(ConflictRetryable("DELTA_MAX_COMMIT_RETRIES_EXCEEDED",
                                  "other writers were faster " + std::to_string(kMaxAttempts) +
                                      " times; the last version seen is " +
                                      std::to_string(tip_.version),
                                  "40000"));
  }

  // The clean-up of a log takes commits of earlier days away, also while we look. A version that is
  // missing behind an old base may be one that was there, and writing it again would be a commit
  // that nobody ever reads. So an old base first moves on to the end of the log: what is missing
  // there was never there.
  Status CatchUp() {
    if (IsOfToday(log_, tip_)) return {};
    while (true) {
      WEIR_ASSIGN_OR_RETURN(bool has_next, HasNextCommit(log_, tip_));
      if (!has_next) return {};
      WEIR_RETURN_IF_ERROR(Rebase());
    }
  }

  // Checks everything that others have committed since and moves on behind it.
  Status Rebase() {
    const Metadata& metadata =
        pending_.ChangesMetadata() ? *pending_.FindLast<Metadata>() : tip_.metadata;
    IsolationLevel isolation = IsolationOf(pending_, metadata);
    while (true) {
      WEIR_ASSIGN_OR_RETURN(auto winner, ReadWinner(log_, tip_.version + 1));
      if (!winner) return {};
      ConflictCase conflict{pending_, isolation, tip_, *winner, base_.get()};
      for (ConflictCheck check : AllConflictChecks()) WEIR_RETURN_IF_ERROR(check(conflict));
      if (backfills_) FollowWithBackfill(*winner);
      WEIR_RETURN_IF_ERROR(Advance(tip_, *winner));
      // The commit that brings in-commit timestamps must be later than the file before it.
      if (pending_.ChangesMetadata() && !UsesInCommitTimestamps(tip_.protocol, tip_.metadata)) {
        WEIR_ASSIGN_OR_RETURN(int64_t modified_ms, CommitFileTime(log_, winner->version));
        tip_.timestamp_ms = std::max(tip_.timestamp_ms, modified_ms);
      }
    }
  }

  TableLog log_;
  SnapshotPtr base_;
  TableTip tip_;
  PendingCommit pending_;
  bool is_spent_ = false;
  bool backfills_ = false;  ///< Switches row tracking on.
  size_t added_files_ = 0;
};

}  // namespace

Result<std::unique_ptr<Transaction>> Transaction::Begin(SnapshotPtr base) {
  auto writable = CheckWritable(base->protocol(), base->metadata(), *base->schema());
  if (!writable) return Fail(writable.error().WithContext("table at '" + base->log().root + "'"));
  WEIR_ASSIGN_OR_RETURN(TableTip tip, TipOf(*base));
  TableLog log = base->log();
  return std::make_unique<TransactionImpl>(std::move(log), std::move(base), std::move(tip));
}

Result<std::unique_ptr<Transaction>> Transaction::BeginCreate(TableLog log) {
  WEIR_ASSIGN_OR_RETURN(auto files, log.store->List(log.log_dir()));
  for (const auto& file : files) {
    if (ParseLogFileName(storage::BaseName(file.path))) return Fail(TableExists(log));
  }
  return std::make_unique<TransactionImpl>(std::move(log), nullptr, TableTip{});
}

}  // namespace weir::delta
