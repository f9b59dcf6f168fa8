// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/variables.h"

#include <vector>

#include "base/sql/tokens.h"
#include "base/text.h"

namespace weir::pipeline {
namespace {

struct Setting {
  size_t end = 0;  ///< From where in the text it holds.
  std::string name;
  std::string value;
};

/// The SET statements of a text. What is none is left to the parser.
std::vector<Setting> Settings(std::string_view sql, const std::vector<sql::Token>& tokens) {
  std::vector<Setting> settings;
  for (size_t at = 0; at < tokens.size(); ++at) {
    const bool begins = at == 0 || tokens[at - 1].IsSymbol(";");
    if (!begins || !tokens[at].IsWord("SET")) continue;
    size_t equals = 0;
    size_t end = at + 1;
    for (; end < tokens.size() && !tokens[end].IsSymbol(";"); ++end) {
      if (equals == 0 && tokens[end].IsSymbol("=")) equals = end;
      if (tokens[end].kind == sql::TokenKind::kEnd) break;
    }
    if (equals <= at + 1 || end <= equals + 1) continue;
    const size_t name = tokens[at + 1].begin;
    const std::string_view value =
        sql.substr(tokens[equals + 1].begin, tokens[end - 1].end - tokens[equals + 1].begin);
    settings.push_back({tokens[end - 1].end,
                        std::string(sql.substr(name, tokens[equals - 1].end - name)),
                        end == equals + 2 ? tokens[equals + 1].text : std::string(value)});
    at = end;
  }
  return settings;
}

}  // namespace

Result<std::string> ReplaceVariables(std::string_view sql,
                                     const std::map<std::string, std::string>& configuration) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<sql::Token> tokens, sql::Tokenize(sql));
  const std::vector<Setting> settings = Settings(sql, tokens);
  std::string text;
  size_t copied = 0;
  size_t next = 0;
  std::map<std::string, std::string> values = configuration;
  for (size_t at = sql.find("${"); at != std::string_view::npos; at = sql.find("${", at + 2)) {
    const size_t close = sql.find('}', at);
    if (close == std::string_view::npos) break;
    for (; next < settings.size() && settings[next].end <= at; ++next)
      values[settings[next].name] = settings[next].value;
    const auto value = values.find(std::string(Trim(sql.substr(at + 2, close - at - 2))));
    if (value == values.end()) continue;
    text += sql.substr(copied, at - copied);
    text += value->second;
    copied = close + 1;
  }
  text += sql.substr(copied);
  return text;
}

}  // namespace weir::pipeline
