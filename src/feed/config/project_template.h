// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::feed {

/// Makes the folder `name` in `parent` with a feed project that runs as it is: feed.yml and a small
/// source table. Returns the files it wrote. Errors: kAlreadyExists WEIR_FEED_PROJECT_EXISTS;
/// kInvalidArgument WEIR_FEED_BAD_NAME; kIo.
Result<std::vector<std::string>> MakeFeedProject(const std::filesystem::path& parent,
                                                 const std::string& name);

}  // namespace weir::feed
