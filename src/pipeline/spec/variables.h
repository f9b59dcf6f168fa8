// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::pipeline {

/// An SQL file with ${name} replaced, wherever it stands, by the value that `SET name = value` has
/// given it further up in the file, else by that of `configuration`. A name that neither knows
/// stays as it is. Errors: kInvalidArgument PARSE_SYNTAX_ERROR for an open quote or comment.
Result<std::string> ReplaceVariables(std::string_view sql,
                                     const std::map<std::string, std::string>& configuration);

}  // namespace weir::pipeline
