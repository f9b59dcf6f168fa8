// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {

/// Two commits must not both set one domain. The mark of row ids is the exception: it is worked out
/// anew for every attempt.
Status CheckDomainMetadata(const ConflictCase& conflict) {
  std::set<std::string> ours;
  for (const auto& action : conflict.pending.actions) {
    const auto* domain = std::get_if<DomainMetadata>(&action);
    if (domain && domain->domain != "delta.rowTracking") ours.insert(domain->domain);
  }
  for (const auto& action : conflict.winner.actions) {
    const auto* domain = std::get_if<DomainMetadata>(&action);
    if (domain && ours.contains(domain->domain)) {
      return Fail(Conflict("DELTA_CONCURRENT_TRANSACTION", conflict.winner,
                           "set the metadata domain '" + domain->domain + "', as this one does"));
    }
  }
  return {};
}

}  // namespace weir::delta
