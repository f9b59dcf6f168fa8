// SPDX-License-Identifier: Apache-2.0
//
// JSON files read line by line, so that a line that cannot be read does not stop the others: one
// that is no JSON object, or has a value that is none of its column's type. Empty lines are
// neither.
#pragma once

#include <string>
#include <vector>

#include "pipeline/flows/sql_type.h"

namespace weir::pipeline {

/// SQL that gives `columns` of the lines that can be read, in order.
std::string SelectReadableLines(const std::vector<std::string>& paths,
                                const std::vector<Column>& columns);

/// SQL that gives path and record, the line's text, of the others.
std::string SelectUnreadableLines(const std::vector<std::string>& paths,
                                  const std::vector<Column>& columns);

}  // namespace weir::pipeline
