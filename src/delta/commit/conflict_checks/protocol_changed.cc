// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {

/// A new protocol may demand of our commit what it does not do. Writing the old one again (as
/// RESTORE does) changes nothing, unless we change it ourselves.
Status CheckProtocolChanged(const ConflictCase& conflict) {
  for (const auto& action : conflict.winner.actions) {
    const auto* protocol = std::get_if<Protocol>(&action);
    if (!protocol) continue;
    if (*protocol != conflict.tip.protocol || conflict.pending.ChangesProtocol()) {
      return Fail(
          Conflict("DELTA_PROTOCOL_CHANGED", conflict.winner, "changed the protocol of the table"));
    }
  }
  return {};
}

}  // namespace weir::delta
