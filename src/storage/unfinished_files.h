// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/object_store.h"

namespace weir::storage {

/// A new name for a file that LocalStore is writing and that has not got its own name yet.
std::string UnfinishedName();
bool IsUnfinished(std::string_view name);

/// What writers have not finished at `location` and below, hidden folders too: those at work, and
/// those that were killed. On the local file system only, whose listings leave these files out.
/// Best effort; symbolic links are not followed.
std::vector<ObjectInfo> FindUnfinishedFiles(const std::string& location);

}  // namespace weir::storage
