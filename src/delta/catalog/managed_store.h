// SPDX-License-Identifier: Apache-2.0
//
// The log of a catalog-managed table as the rest of Weir wants to see it (protocol section
// "Catalog-managed tables"): every ratified commit stands in `_delta_log` under its version,
// whether it is published or not; what nobody has ratified does not. A commit that is put there
// becomes a staged commit, is ratified by the catalog, and is published.
#pragma once

#include <memory>
#include <string>

#include "delta/catalog/commit_catalog.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// `log` by way of `catalog`. Checkpoints and compactions are written behind published commits
/// only; commits are published in order, and none is ratified before the one before it is
/// published, so that at most the newest is not. A clean-up of a commit takes its staged file and
/// the catalog's record with it.
TableLog ThroughCatalog(const TableLog& log, std::shared_ptr<CommitCatalog> catalog);

/// Whether a table's log goes through its catalog.
bool GoesThroughCatalog(const TableLog& log);

/// The error of a catalog-managed table whose log does not.
inline constexpr const char* kPathBasedAccessBlocked =
    "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED";
Error PathBasedAccessBlocked(const std::string& root);

}  // namespace weir::delta
