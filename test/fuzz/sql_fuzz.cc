// SPDX-License-Identifier: Apache-2.0
//
// Goal: no text harms those who read SQL: the splitter, the words, the translator of Spark's
// statements, the definition files of pipelines and the rewriter of their queries. Method: the
// input goes through all of them; places lie within the text and in order, and errors are of the
// kind that is promised.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/sql/tokens.h"
#include "engine/statement_splitter.h"
#include "engine/statements/spark/translate.h"
#include "engine/statements/write_mode.h"
#include "pipeline/spec/query_text.h"
#include "pipeline/spec/sql_file.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

template <typename T>
void CheckError(const T& result) {
  if (result) return;
  const auto kind = result.error().kind;
  Check(kind == weir::ErrorKind::kInvalidArgument || kind == weir::ErrorKind::kUnsupportedFeature);
}

void CheckTokens(std::string_view text) {
  auto tokens = weir::sql::Tokenize(text);
  if (!tokens) return CheckError(tokens);
  Check(!tokens->empty() && tokens->back().kind == weir::sql::TokenKind::kEnd);
  size_t at = 0;
  for (const auto& token : *tokens) {
    Check(token.begin >= at && token.end >= token.begin && token.end <= text.size());
    at = token.end;
  }
}

void CheckDefinitions(const std::string& text) {
  weir::pipeline::Definitions definitions;
  CheckError(weir::pipeline::ParseSqlFile(text, "fuzz.sql", {}, definitions));
  for (const auto& flow : definitions.flows) {
    auto query = weir::pipeline::RewriteQuery(flow.query, "src", "lake");
    CheckError(query);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckTokens(text);
  for (const auto& statement : weir::engine::SplitSqlText(text).statements) {
    Check(text.find(statement) != std::string::npos);
    CheckError(weir::engine::TranslateStatement(statement));
    CheckError(weir::engine::TranslateStatement(statement, true));
  }
  CheckDefinitions(text);
  CheckError(weir::pipeline::RewriteQuery(text, "src"));
  CheckError(weir::pipeline::RewriteExpression(text));
  const auto target = weir::engine::DecodeWriteTarget(text);
  Check(target.name.size() <= text.size());
  return 0;
}
