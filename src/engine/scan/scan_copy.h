// SPDX-License-Identifier: Apache-2.0
//
// DuckDB copies a part of a plan (a CTE that is inlined twice, say) by writing it out and reading
// it back. The scan of a catalog table is written as the table's name, and is bound anew in the
// same transaction, where it sees the same state.
#pragma once

#include "duckdb/function/table_function.hpp"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Makes `function`, a scan of a catalog table, one that can be copied.
void MakeCopyable(duckdb::TableFunction& function);

/// Registers the function by whose name a copied scan is found. It cannot be called.
void RegisterTableScan(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
