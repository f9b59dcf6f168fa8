// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::delta {

/// The place of a file in the store, from its path in the log: percent-decoded once, and below
/// `root` unless it is absolute (a scheme, or a leading slash, as shallow clones have). Errors:
/// kCorruptLog DELTA_CANNOT_RECONSTRUCT_PATH_FROM_URI names the path.
Result<std::string> ResolveFilePath(std::string_view root, std::string_view path_in_log);

/// Whether a path in the log is absolute, as ResolveFilePath has it; else the file is in the
/// table's own folder, or the path is no path.
bool IsAbsoluteInLog(std::string_view path_in_log);

/// Whether a resolved path lies below `root`, `.` and `..` followed. A file that does not is
/// another table's: it may be read, but must never be deleted or overwritten on this table's
/// behalf.
bool IsWithinTable(std::string_view root, std::string_view path);

}  // namespace weir::delta
