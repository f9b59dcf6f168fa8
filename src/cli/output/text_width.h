// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// Columns that UTF-8 `text` takes on a terminal: two for wide characters, none for combining ones.
/// A byte that is no UTF-8 counts as one. Needs an LC_CTYPE of UTF-8 in the process.
size_t TextWidth(std::string_view text);

/// The lines of a cell, with control characters made visible (\t, \x1b), so that data cannot steer
/// the terminal.
std::vector<std::string> CellLines(std::string_view text);

/// `text` with control characters but tabs and line ends made visible: for messages, which quote
/// names, paths and answers that others chose.
std::string VisibleText(std::string_view text);

}  // namespace weir::cli
