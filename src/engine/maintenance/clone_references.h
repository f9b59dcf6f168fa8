// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/catalog/resolve_table.h"

namespace weir::engine {

/// The full paths of files of `table` that other tables of its warehouse name as theirs, as shallow
/// clones do. Tables that cannot be opened are passed over, and nothing is known of tables outside
/// of the warehouse; none for a table that was named by its path.
std::vector<std::string> FilesOfClones(const ResolvedTable& table);

}  // namespace weir::engine
