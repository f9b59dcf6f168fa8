// SPDX-License-Identifier: Apache-2.0
//
// The net view of a change feed: what a range of versions has changed in all. It is the sum of the
// feed's rows, inserts and post-images counting +1, deletes and pre-images -1: what is left is the
// difference of the table at both ends, whatever order the changes came in.
#pragma once

#include "duckdb/function/table_function.hpp"

namespace weir::engine {

/// The options `net` (BOOLEAN) and `keys` (VARCHAR[], implies net).
void AddNetOptions(duckdb::TableFunction& function);

/// For TableFunction::bind_replace of a function that gives a change feed: the query over that same
/// feed that sums it up, or null when the options do not ask for it. A row that is there n times
/// more or less comes n times; version and time are those of the row's last change.
duckdb::unique_ptr<duckdb::TableRef> ReplaceByNetChanges(duckdb::ClientContext& context,
                                                         duckdb::TableFunctionBindInput& input);

}  // namespace weir::engine
