// SPDX-License-Identifier: Apache-2.0
#include "changes/debezium.h"

#include "base/text.h"

namespace weir::changes {
namespace {

// Behind the table's own columns.
constexpr size_t kFeedColumns = 3;

constexpr const char* kIsNew = "_change_type IN ('insert', 'update_postimage')";

// `struct_pack("a" := "a", ...)` of the table's columns.
Result<std::string> RowStruct(engine::Session& session, const std::string& feed_sql,
                              const std::vector<std::string>& keys) {
  WEIR_ASSIGN_OR_RETURN(const auto result,
                        session.Query("SELECT * FROM (" + feed_sql + ") LIMIT 0"));
  const auto& columns = result->columns();
  const size_t count = columns.size() - kFeedColumns;
  for (const auto& key : keys) {
    bool found = false;
    for (size_t i = 0; i < count; ++i) found |= EqualsIgnoreCase(columns[i].name, key);
    if (found) continue;
    return Fail(InvalidArgument("WEIR_CHANGE_KEY_NOT_FOUND",
                                "the table has no column " + key + " that could be a key"));
  }
  std::string members;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = QuoteIdentifier(columns[i].name);
    members += (i > 0 ? ", " : "") + name + " := " + name;
  }
  return "struct_pack(" + members + ")";
}

std::string Source(const std::string& table, bool is_snapshot) {
  return "{'connector': 'weir', 'table': " + QuoteLiteral(table) +
         ", 'version': _commit_version, 'ts_ms': epoch_ms(_commit_timestamp), 'snapshot': " +
         (is_snapshot ? "true" : "false") + "}";
}

std::string Events(const std::string& feed_sql, const std::string& before, const std::string& after,
                   const std::string& op, const std::string& source) {
  return "SELECT " + before + " AS before, " + after + " AS after, " + source + " AS source, " +
         op + " AS op, epoch_ms(now()) AS ts_ms FROM " + feed_sql;
}

}  // namespace

Result<std::string> DebeziumQuery(engine::Session& session, const std::string& feed_sql,
                                  const std::string& table, const std::vector<std::string>& keys,
                                  bool is_snapshot) {
  WEIR_ASSIGN_OR_RETURN(const std::string row, RowStruct(session, feed_sql, keys));
  const std::string source = Source(table, is_snapshot);
  const std::string feed = "(" + feed_sql + ")";
  const std::string is_new(kIsNew);
  if (keys.empty() || is_snapshot) {
    const std::string insert = is_snapshot ? "'r'" : "'c'";
    return Events(feed, "CASE WHEN NOT (" + is_new + ") THEN " + row + " END",
                  "CASE WHEN " + is_new + " THEN " + row + " END",
                  "CASE WHEN " + is_new + " THEN " + insert + " ELSE 'd' END", source);
  }
  std::string key_list;
  for (const auto& key : keys) key_list += ", " + QuoteIdentifier(key);
  // Deletes and inserts stay apart even where their keys are equal: only updates are paired.
  const std::string kind = "starts_with(_change_type, 'update') AS \"\1update\"";
  auto half = [&](const std::string& condition, const std::string& name) {
    return "(SELECT _commit_version, _commit_timestamp" + key_list + ", " + kind + ", " + row +
           " AS \"" + name + "\" FROM " + feed + " WHERE " + condition + ")";
  };
  std::string equal = "a._commit_version = b._commit_version AND a.\"\1update\" AND b.\"\1update\"";
  for (const auto& key : keys) {
    const std::string name = QuoteIdentifier(key);
    equal += " AND a." + name + " IS NOT DISTINCT FROM b." + name;
  }
  const std::string paired =
      "(SELECT coalesce(a._commit_version, b._commit_version) AS _commit_version, "
      "coalesce(a._commit_timestamp, b._commit_timestamp) AS _commit_timestamp, "
      "\"\1old\", \"\1new\" FROM " +
      half("NOT (" + is_new + ")", "\1old") + " AS a FULL JOIN " + half(is_new, "\1new") +
      " AS b ON " + equal + ")";
  return Events(paired, "\"\1old\"", "\"\1new\"",
                "CASE WHEN \"\1old\" IS NULL THEN 'c' WHEN \"\1new\" IS NULL THEN 'd' ELSE 'u' END",
                source) +
         " ORDER BY _commit_version, op = 'c'";
}

}  // namespace weir::changes
