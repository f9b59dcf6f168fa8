// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace weir::storage {

/// Whether folders at `location` can be renamed in one step: those of the local file system can,
/// object stores have none.
bool CanRenameFolders(const std::string& location);

/// Gives the folder `from` the name `to`, in one step and with all that is in it. Nothing is
/// replaced but an empty folder. Both are on the local file system.
/// Errors: kAlreadyExists WEIR_OBJECT_ALREADY_EXISTS when something is at `to`, kNotFound
/// WEIR_OBJECT_NOT_FOUND when nothing is at `from`, kIo WEIR_IO_ERROR (denied, another device);
/// kStateUnknown WEIR_WRITE_STATE_UNKNOWN when it is renamed, perhaps not durably.
Status RenameFolder(const std::string& from, const std::string& to);

}  // namespace weir::storage
