// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/write_commit.h"

#include "delta/commit/back_off.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

constexpr int kMaxSettlingReads = 6;

std::string CommitPath(const TableLog& log, int64_t version) {
  return storage::JoinPath(log.log_dir(), CommitFileName(version));
}

Error Unknown(const TableLog& log, int64_t version, const Error& cause) {
  return StateUnknown("WEIR_COMMIT_STATE_UNKNOWN",
                      "it is not known whether version " + std::to_string(version) +
                          " of the table at '" + log.root + "' was committed: " + cause.message +
                          ". Its files must not be deleted; look at the table's history.");
}

enum class Owner { kUs, kOther, kNobody };

Result<Owner> FindOwner(const TableLog& log, int64_t version, const std::string& txn_id) {
  WEIR_ASSIGN_OR_RETURN(auto found, ReadWinner(log, version));
  if (!found) return Owner::kNobody;
  const CommitInfo* info = found->info();
  auto id = info ? info->txn_id() : std::nullopt;
  return id == txn_id ? Owner::kUs : Owner::kOther;
}

}  // namespace

Result<std::optional<WinningCommit>> ReadWinner(const TableLog& log, int64_t version) {
  std::string path = CommitPath(log, version);
  auto text = log.store->Get(path);
  if (!text) {
    if (text.error().kind == ErrorKind::kNotFound) return std::nullopt;
    return Fail(text.error());
  }
  WinningCommit winner;
  winner.version = version;
  WEIR_ASSIGN_OR_RETURN(winner.actions, ParseActions(path, *text));
  return winner;
}

Result<WriteOutcome> WriteCommit(const TableLog& log, const PreparedCommit& commit,
                                 const std::string& txn_id) {
  std::string path = CommitPath(log, commit.version);
  BackOff back_off;
  bool may_be_written = false;
  Error cause;
  for (int attempt = 0; attempt < kMaxSettlingReads; ++attempt) {
    back_off.Wait(attempt);
    auto status = log.store->PutIfAbsent(path, commit.text);
    if (status) return WriteOutcome::kWritten;
    cause = status.error();
    bool is_unknown = cause.kind == ErrorKind::kStateUnknown;
    if (!is_unknown && cause.kind != ErrorKind::kAlreadyExists) {
      // Not by this request; an earlier one of ours may still arrive.
      if (may_be_written) continue;
      return Fail(cause);
    }
    may_be_written = true;
    auto owner = FindOwner(log, commit.version, txn_id);
    if (owner && *owner == Owner::kUs) return WriteOutcome::kWritten;
    if (owner && *owner == Owner::kOther) return WriteOutcome::kLost;
    // Nobody has it: the request was lost on the way. Asking once more settles it, as whichever of
    // our requests comes first makes the others fail.
    if (!owner) cause = owner.error();
  }
  return Fail(Unknown(log, commit.version, cause));
}

}  // namespace weir::delta
