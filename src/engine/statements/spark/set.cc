// SPDX-License-Identifier: Apache-2.0
//
// SET spark.databricks.delta.properties.defaults.<key> = <value>: what every new table gets.
#include <array>

#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

constexpr std::array<std::string_view, 5> kPrefix{"spark", "databricks", "delta", "properties",
                                                  "defaults"};

// Whether `spark.databricks.delta.properties.defaults.` begins at the token `at`.
bool HasPrefix(const sql::TokenReader& reader, size_t at) {
  for (std::string_view word : kPrefix) {
    if (!EqualsIgnoreCase(reader.Peek(at).text, word)) return false;
    if (!reader.Peek(at + 1).IsSymbol(".")) return false;
    at += 2;
  }
  return true;
}

}  // namespace

bool IsSetDefaultProperty(const sql::TokenReader& reader) { return HasPrefix(reader, 1); }

Result<std::string> TranslateSetDefaultProperty(sql::TokenReader& reader) {
  for (size_t i = 0; i < 1 + 2 * kPrefix.size(); ++i) reader.Take();
  std::string key = "delta";
  do {
    WEIR_ASSIGN_OR_RETURN(const std::string part, reader.ExpectName("a property's name"));
    key += "." + part;
  } while (reader.TakeSymbolIf("."));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("=", "behind the property"));
  if (reader.AtStatementEnd()) return Fail(reader.SyntaxError("expected the property's value"));
  std::string value;
  while (!reader.AtStatementEnd()) value += reader.Take().text;
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return "SET weir_default_properties = map_concat(current_setting('weir_default_properties'), " +
         MapLiteral({{key, value}}) + ")";
}

}  // namespace weir::engine::spark
