// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/catalog/resolve_table.h"

namespace weir::engine {

/// The table that a command works on, as the running transaction sees it. Commands commit on their
/// own, so a table that the running transaction has written to is refused, as is one of a catalog
/// attached READ_ONLY. Errors: as ResolveTable; kInvalidArgument
/// WEIR_TABLE_HAS_UNCOMMITTED_CHANGES, WEIR_READ_ONLY.
Result<ResolvedTable> CommittedTable(duckdb::ClientContext& context, std::string_view text);

}  // namespace weir::engine
