// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/commands/committed_table.h"

#include "duckdb.hpp"

#include "engine/catalog/catalog.h"

namespace weir::engine {

Result<ResolvedTable> CommittedTable(duckdb::ClientContext& context, std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(ResolvedTable table, ResolveTable(context, text));
  const TableState& state = *table.state;
  if (!state.snapshot() || !state.added().empty() || !state.hidden().empty()) {
    return Fail(InvalidArgument("WEIR_TABLE_HAS_UNCOMMITTED_CHANGES",
                                "this transaction has written to " + table.name +
                                    "; COMMIT before a command that commits on its own"));
  }
  if (table.entry->ParentCatalog().Cast<WeirCatalog>().is_read_only()) {
    return Fail(InvalidArgument("WEIR_READ_ONLY",
                                table.name + " is in a catalog that was attached READ_ONLY"));
  }
  return table;
}

}  // namespace weir::engine
