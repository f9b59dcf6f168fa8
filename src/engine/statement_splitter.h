// SPDX-License-Identifier: Apache-2.0
//
// Where one SQL statement ends and the next begins, by DuckDB's lexical rules and the backticks of
// Spark's. It knows no grammar, so it is as good for the statements that only Weir understands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::engine {

struct SplitSql {
  /// Statements in order, trimmed, without their semicolons; those of blanks and comments alone are
  /// left out.
  std::vector<std::string> statements;
  /// Whether the text ends where a statement may end: outside of quotes and comments, with no
  /// statement begun behind the last semicolon. A shell asks for another line until this is so.
  bool complete = true;
};

/// Splits at semicolons outside of 'strings' (E'...' with backslashes too), "names", `names`, $tag$
/// texts $tag$, -- comments and nested /* comments */. Never fails: an unclosed quote reaches to
/// the end of the text.
SplitSql SplitSqlText(std::string_view sql);

}  // namespace weir::engine
