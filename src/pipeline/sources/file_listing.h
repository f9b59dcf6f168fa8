// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "storage/object_store.h"

namespace weir::pipeline {

/// The data files that `location` means, oldest first (modification time, then path): one file, the
/// files below a folder, or those that match a pattern with *, ? and ** in it. Files and folders
/// whose names begin with '_' or '.' are left out, as Spark does, so a writer can hide a file until
/// it is whole. Errors: kNotFound PATH_NOT_FOUND when there is no such file or folder; kIo.
Result<std::vector<storage::ObjectInfo>> ListDataFiles(const std::string& location);

}  // namespace weir::pipeline
