// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace weir::storage {

/// Removes `location` and the folders below it as far as no object is left in them. On the local
/// file system only: object stores have no folders that could stay behind. Best effort; safe
/// beside writers, since a folder with anything in it is never removed.
void RemoveEmptyFolders(const std::string& location);

}  // namespace weir::storage
