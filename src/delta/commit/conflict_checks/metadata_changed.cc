// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"
#include "delta/commit/conflict_checks/harmless_metadata.h"

namespace weir::delta {

/// Our rows, names and properties were made for the metadata that was read. Another INSERT that
/// drew identity values moves their marks in the schema, and a feature may be switched on that our
/// files do well without; neither passes when we set the metadata ourselves.
Status CheckMetadataChanged(const ConflictCase& conflict) {
  for (const auto& action : conflict.winner.actions) {
    const auto* metadata = std::get_if<Metadata>(&action);
    if (!metadata) continue;
    if (conflict.pending.ChangesMetadata() || !IsHarmlessChange(conflict.tip.metadata, *metadata)) {
      return Fail(Conflict("DELTA_METADATA_CHANGED", conflict.winner,
                           "changed the schema or the properties of the table"));
    }
  }
  return {};
}

}  // namespace weir::delta
