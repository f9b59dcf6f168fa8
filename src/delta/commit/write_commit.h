// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "delta/commit/conflict_checks/conflict.h"
#include "delta/commit/prepare_commit.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

enum class WriteOutcome {
  kWritten,  ///< The version is ours.
  kLost,     ///< Another writer has it.
};

/// Writes a commit by put-if-absent. Whatever the store answers, the version itself tells who has
/// it: a lost reply, and also "already exists" (a store may have repeated our own request), are
/// settled by reading it back and looking for `txn_id`. Errors: kStateUnknown
/// WEIR_COMMIT_STATE_UNKNOWN when that cannot be read either; kIo: not written.
Result<WriteOutcome> WriteCommit(const TableLog& log, const PreparedCommit& commit,
                                 const std::string& txn_id);

/// The commit of a version as another writer made it; nullopt when there is none yet.
/// Errors: those of the store and of ParseActions.
Result<std::optional<WinningCommit>> ReadWinner(const TableLog& log, int64_t version);

}  // namespace weir::delta
