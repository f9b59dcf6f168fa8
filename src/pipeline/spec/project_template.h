// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::pipeline {

enum class ProjectLanguage { kSql, kPython };

/// Makes the folder `parent`/`name` with a pipeline that runs as it is: spec, definitions and
/// change events to begin with. Returns the files that were written, relative to the folder.
/// Errors: kInvalidArgument WEIR_PROJECT_NAME_INVALID for a name that is no single folder's;
/// kAlreadyExists WEIR_PROJECT_EXISTS; kIo.
Result<std::vector<std::string>> MakeProject(const std::filesystem::path& parent,
                                             const std::string& name, ProjectLanguage language);

}  // namespace weir::pipeline
