// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "delta/schema/types.h"

namespace weir::delta {

/// Why rows that were written under `written` cannot be given out under `read`; nullopt when they
/// can: every column is still there under its name (and physical name), with its type, and may be
/// NULL wherever it was allowed to. Columns that came later are NULL in older rows.
std::optional<std::string> FindSchemaConflict(const DataType& written, const DataType& read);

}  // namespace weir::delta
