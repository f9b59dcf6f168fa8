// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/unreadable_lines.h"

#include "base/json.h"
#include "base/text.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

/// The lines of the files: read as CSV of one column, parted by a character that JSON cannot have.
std::string Lines(const std::vector<std::string>& paths, const std::vector<Column>& columns) {
  JsonValue structure = JsonValue::Object();
  for (const Column& column : columns) structure.Set(column.name, JsonValue::String(column.type));
  return "(SELECT path, record, json, json_transform(json, " + QuoteLiteral(structure.ToString()) +
         ") AS row FROM (SELECT filename AS path, record, CASE WHEN json_valid(record) THEN record "
         "END AS json FROM read_csv([" +
         Join(paths, ", ", QuoteLiteral) +
         "], columns = {'record': 'VARCHAR'}, delim = chr(1), quote = '', escape = '', header = "
         "false, auto_detect = false, filename = true, max_line_size = 67108864) WHERE "
         "trim(record) <> ''))";
}

std::string IsReadable(const std::vector<Column>& columns) {
  std::string condition = "coalesce(json_type(json) = 'OBJECT'";
  for (const Column& column : columns) {
    const std::string path = "$." + QuoteIdentifier(column.name);
    condition += " AND (row." + QuoteIdentifier(column.name) +
                 " IS NOT NULL OR coalesce(json_type(json, " + QuoteLiteral(path) +
                 "), 'NULL') = 'NULL')";
  }
  return condition + ", false)";
}

}  // namespace

std::string SelectReadableLines(const std::vector<std::string>& paths,
                                const std::vector<Column>& columns) {
  return "SELECT " + Names(columns, "row") + " FROM " + Lines(paths, columns) + " WHERE " +
         IsReadable(columns);
}

std::string SelectUnreadableLines(const std::vector<std::string>& paths,
                                  const std::vector<Column>& columns) {
  return "SELECT path, record FROM " + Lines(paths, columns) + " WHERE NOT " + IsReadable(columns);
}

}  // namespace weir::pipeline
