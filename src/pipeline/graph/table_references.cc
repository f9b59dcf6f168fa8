// SPDX-License-Identifier: Apache-2.0
#include "pipeline/graph/table_references.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace weir::pipeline {
namespace {

std::string Member(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.Find(key);
  return value != nullptr && value->is_string() ? value->text() : "";
}

/// Walks over DuckDB's syntax tree in JSON.
class Walker {
 public:
  void Visit(const JsonValue& node, std::set<std::string> with) {
    for (const JsonValue& item : node.items()) Visit(item, with);
    if (!node.is_object()) return;
    AddWith(node, with);
    if (Member(node, "type") == "BASE_TABLE") AddTable(node, with);
    for (const auto& [key, value] : node.members()) Visit(value, with);
  }

  std::vector<QualifiedName> Take() { return std::move(found_); }

 private:
  static void AddWith(const JsonValue& node, std::set<std::string>& with) {
    const JsonValue* map = node.Find("cte_map");
    if (map == nullptr || map->Find("map") == nullptr) return;
    for (const JsonValue& entry : map->Find("map")->items())
      with.insert(ToLowerAscii(Member(entry, "key")));
  }

  void AddTable(const JsonValue& node, const std::set<std::string>& with) {
    QualifiedName name;
    for (const char* part : {"catalog_name", "schema_name", "table_name"}) {
      std::string text = Member(node, part);
      if (!text.empty()) name.parts.push_back(std::move(text));
    }
    if (name.parts.empty() || (name.parts.size() == 1 && with.contains(ToLowerAscii(name.last()))))
      return;
    const auto same = [&](const QualifiedName& other) { return other.parts == name.parts; };
    if (std::ranges::none_of(found_, same)) found_.push_back(std::move(name));
  }

  std::vector<QualifiedName> found_;
};

}  // namespace

Result<std::vector<QualifiedName>> TableReferences(engine::Session& session,
                                                   const std::string& sql) {
  WEIR_ASSIGN_OR_RETURN(auto rows,
                        session.Query("SELECT json_serialize_sql(" + QuoteLiteral(sql) + ")"));
  WEIR_ASSIGN_OR_RETURN(const bool any, rows->NextBatch());
  if (!any) return Fail(InternalError("json_serialize_sql gave no row"));
  WEIR_ASSIGN_OR_RETURN(const JsonValue tree, JsonValue::Parse(rows->Text(0, 0)));
  const JsonValue* failed = tree.Find("error");
  if (failed != nullptr && failed->bool_value()) {
    return Fail(InvalidArgument("PARSE_SYNTAX_ERROR", Member(tree, "error_message"), "42601"));
  }
  Walker walker;
  walker.Visit(tree, {});
  return walker.Take();
}

}  // namespace weir::pipeline
