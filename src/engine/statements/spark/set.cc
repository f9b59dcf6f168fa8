// SPDX-License-Identifier: Apache-2.0
//
// SET spark.databricks.delta.properties.defaults.<key> = <value>: what every new table gets. SET of
// those of Spark's settings that Weir has by another name.
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

struct Setting {
  std::string_view spark;
  std::string_view ours;
};
constexpr std::array kSettings{
    Setting{"spark.databricks.delta.retentionDurationCheck.enabled", "weir_vacuum_retention_check"},
    Setting{"spark.databricks.delta.vacuum.logging.enabled", "weir_vacuum_logging"},
    Setting{"spark.databricks.delta.schema.autoMerge.enabled", "weir_schema_auto_merge"},
    Setting{"spark.sql.sources.partitionOverwriteMode", "weir_partition_overwrite_mode"}};

// The dotted name from the second word on, up to a sign.
std::string SettingName(const sql::TokenReader& reader) {
  std::string name = reader.Peek(1).text;
  for (size_t at = 2; reader.Peek(at).IsSymbol("."); at += 2)
    name += "." + reader.Peek(at + 1).text;
  return name;
}

const Setting* FindSetting(const sql::TokenReader& reader) {
  const std::string name = SettingName(reader);
  for (const Setting& setting : kSettings) {
    if (EqualsIgnoreCase(setting.spark, name)) return &setting;
  }
  return nullptr;
}

}  // namespace

bool IsSetKnown(const sql::TokenReader& reader) { return FindSetting(reader) != nullptr; }

Result<std::string> TranslateSetKnown(sql::TokenReader& reader) {
  const Setting& setting = *FindSetting(reader);
  reader.Take();
  while (!reader.AtStatementEnd() && !reader.Peek().IsSymbol("=")) reader.Take();
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("=", "behind the setting"));
  if (reader.AtStatementEnd()) return Fail(reader.SyntaxError("expected the setting's value"));
  const std::string value = reader.Take().text;
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return "SET " + std::string(setting.ours) + " = " + QuoteLiteral(value);
}

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
