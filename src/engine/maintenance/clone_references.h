// SPDX-License-Identifier: Apache-2.0
//
// Shallow clones name files of other tables as theirs. Who deletes files asks here first. Tables
// that cannot be opened are passed over, and nothing is known of tables elsewhere.
#pragma once

#include <string>
#include <vector>

#include "duckdb/main/client_context.hpp"

#include "engine/catalog/warehouse.h"

namespace weir::engine {

/// The full paths of files below `root` that tables of the attached warehouses name as theirs, in
/// their newest version or as removed (which RESTORE may bring back).
std::vector<std::string> FilesOfClones(duckdb::ClientContext& context, const std::string& root);

/// The tables of the warehouse, outside of the folder `root`, whose newest version has files in it.
std::vector<TableFolder> ClonesOf(Warehouse& warehouse, const std::string& root);

}  // namespace weir::engine
