// SPDX-License-Identifier: Apache-2.0
#include "base/sql/tokens.h"

#include <gtest/gtest.h>

#include "base/sql/token_reader.h"

namespace weir::sql {
namespace {

TEST(Tokens, KnowsEveryKindOfQuote) {
  auto tokens = *Tokenize("a `b``c` \"d\"\"e\" 'f''g' 1.5e3 => -- x\n/* y /* z */ */ h");
  ASSERT_EQ(tokens.size(), 8u);
  EXPECT_EQ(tokens[1].text, "b`c");
  EXPECT_EQ(tokens[1].kind, TokenKind::kQuotedName);
  EXPECT_EQ(tokens[2].text, "d\"e");
  EXPECT_EQ(tokens[3].text, "f'g");
  EXPECT_EQ(tokens[3].kind, TokenKind::kString);
  EXPECT_EQ(tokens[4].kind, TokenKind::kNumber);
  EXPECT_TRUE(tokens[5].IsSymbol("=>"));
  EXPECT_EQ(tokens[6].line, 2);
  EXPECT_EQ(tokens[7].kind, TokenKind::kEnd);
}

TEST(Tokens, OpenQuotesAndCommentsAreErrorsWithTheLine) {
  for (const char* text : {"\n'x", "\n`x", "\n\"x", "\n/* x"}) {
    auto tokens = Tokenize(text);
    ASSERT_FALSE(tokens) << text;
    EXPECT_EQ(tokens.error().name, "PARSE_SYNTAX_ERROR");
    EXPECT_NE(tokens.error().message.find("line 2"), std::string::npos) << tokens.error().message;
  }
}

TEST(TokenReader, CutsOutTextBetweenBrackets) {
  const std::string text = "f(a, (b)) , c";
  TokenReader reader(text, *Tokenize(text), "");
  auto piece = reader.TextUntil([](const TokenReader& r) { return r.Peek().IsSymbol(","); },
                                "an expression");
  ASSERT_TRUE(piece);
  EXPECT_EQ(*piece, "f(a, (b))");
  EXPECT_TRUE(reader.TakeSymbolIf(","));
  EXPECT_EQ(*reader.ExpectName("a name"), "c");
  EXPECT_TRUE(reader.AtEnd());
}

TEST(TokenReader, QualifiedNamesKeepTheirParts) {
  const std::string text = "a.`b.c`.\"d\"\"\"";
  TokenReader reader(text, *Tokenize(text), "");
  auto name = reader.ExpectQualifiedName("a table");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->ToSql(), "\"a\".\"b.c\".\"d\"\"\"");
}

}  // namespace
}  // namespace weir::sql
