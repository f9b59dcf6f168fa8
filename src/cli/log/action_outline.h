// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/log/log_files.h"
#include "delta/deletion_vectors/row_bitmap.h"

namespace weir::cli {

/// Appends an action as an indented outline: JSON inside of strings (schema, statistics) is
/// unfolded, times are also written as dates. With `rows_of_vectors` the rows of a deletion vector
/// are listed below it.
void AppendOutline(const LogLine& line, const LogFiles& log, bool rows_of_vectors,
                   std::string& out);

/// Rows as runs: "0-2, 7".
std::string RowsText(const delta::RowBitmap& rows);

}  // namespace weir::cli
