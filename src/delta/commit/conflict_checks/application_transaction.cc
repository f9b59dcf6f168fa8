// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {

/// The progress of an application (protocol section "Transaction Identifiers") was read or is
/// written by us: its batch may be there already. Who sets it without a look depends on it just as
/// well.
Status CheckApplicationTransaction(const ConflictCase& conflict) {
  std::set<std::string> ours = conflict.pending.reads.app_ids;
  for (const auto& action : conflict.pending.actions) {
    if (const auto* txn = std::get_if<SetTransaction>(&action)) ours.insert(txn->app_id);
  }
  for (const auto& action : conflict.winner.actions) {
    const auto* txn = std::get_if<SetTransaction>(&action);
    if (txn && ours.contains(txn->app_id)) {
      return Fail(Conflict("DELTA_CONCURRENT_TRANSACTION", conflict.winner,
                           "moved application '" + txn->app_id + "' to transaction version " +
                               std::to_string(txn->version)));
    }
  }
  return {};
}

}  // namespace weir::delta
