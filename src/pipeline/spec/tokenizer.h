// SPDX-License-Identifier: Apache-2.0
//
// The words of a definition file. Only the statements of a pipeline are understood by us; the queries and
// expressions inside them are cut out by their place in the text and handed to the engine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::pipeline {

enum class TokenKind {
  kWord,        ///< A bare identifier or keyword; letters, digits, '_' and '$'.
  kQuotedName,  ///< "name" or `name`.
  kString,      ///< 'text', also with the prefixes e, r and b of the dialects.
  kNumber,
  kSymbol,  ///< One character, or one of => :: <= >= <> != || -> ->> ==.
  kEnd,     ///< Behind the last word; `begin` is the length of the text.
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  ///< Names and strings without quotes, doubled quotes made single.
  size_t begin = 0;  ///< Byte offsets into the text that was cut up.
  size_t end = 0;
  int line = 1;

  /// True for the bare word `keyword`, in any case. `keyword` is given in upper case.
  bool IsWord(std::string_view keyword) const;
  bool IsSymbol(std::string_view symbol) const;
  /// A bare or a quoted name.
  bool IsName() const { return kind == TokenKind::kWord || kind == TokenKind::kQuotedName; }
};

/// Cuts `sql` into words; comments (`--`, `/* */`, nested) and blanks are left out. The last token is kEnd.
/// Errors: kInvalidArgument PARSE_SYNTAX_ERROR for an open quote or comment, with the line.
Result<std::vector<Token>> Tokenize(std::string_view sql);

}  // namespace weir::pipeline
