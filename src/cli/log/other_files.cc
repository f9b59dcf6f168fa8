// SPDX-License-Identifier: Apache-2.0
#include "cli/log/other_files.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "cli/engine_options.h"
#include "cli/log/action_outline.h"
#include "delta/deletion_vectors/vector_file.h"

namespace weir::cli {
namespace {

LogLine Line(const char* name, JsonValue members) {
  JsonValue object = JsonValue::Object();
  object.Set(name, std::move(members));
  std::string text = object.ToString();
  return {std::move(object), std::move(text), true};
}

// What the lines are called, and the query for them; the path comes behind.
constexpr std::array<std::pair<const char*, const char*>, 4> kFooterParts{{
    {"footer", "SELECT * EXCLUDE (file_name) FROM parquet_file_metadata"},
    {"keyValue", "SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata"},
    {"schemaElement", "SELECT * EXCLUDE (file_name) FROM parquet_schema"},
    {"columnChunk", "SELECT * EXCLUDE (file_name, key_value_metadata) FROM parquet_metadata"},
}};

// Each row as an object of the columns that have a value.
Status AppendRows(engine::QueryResult& rows, const char* name, std::vector<LogLine>& lines) {
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, rows.NextBatch());
    if (!more) return {};
    for (size_t row = 0; row < rows.batch_size(); ++row) {
      JsonValue members = JsonValue::Object();
      for (size_t column = 0; column < rows.columns().size(); ++column) {
        if (rows.IsNull(column, row)) continue;
        std::string text;
        rows.AppendJson(column, row, text);
        WEIR_ASSIGN_OR_RETURN(JsonValue value, JsonValue::Parse(text));
        members.Set(rows.columns()[column].name, std::move(value));
      }
      lines.push_back(Line(name, std::move(members)));
    }
  }
}

}  // namespace

Result<std::vector<LogLine>> VectorFile(std::string_view content) {
  WEIR_ASSIGN_OR_RETURN(const auto vectors, delta::ReadVectorFile(content));
  std::vector<LogLine> lines;
  for (const delta::StoredVector& vector : vectors) {
    JsonValue members = JsonValue::Object();
    members.Set("offset", JsonValue::Int(vector.offset));
    members.Set("sizeInBytes", JsonValue::Int(vector.size));
    members.Set("checksum",
                JsonValue::String(vector.checksum_matches ? "matches" : "does not match"));
    if (vector.rows)
      members.Set("cardinality", JsonValue::Int(static_cast<int64_t>(vector.rows->cardinality())));
    members.Set("rows", JsonValue::String(vector.rows ? RowsText(*vector.rows)
                                                      : vector.rows.error().ToString()));
    lines.push_back(Line("vector", std::move(members)));
  }
  return lines;
}

Result<std::vector<LogLine>> ParquetFooter(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine({}));
  std::vector<LogLine> lines;
  for (const auto& [name, query] : kFooterParts) {
    WEIR_ASSIGN_OR_RETURN(const auto rows, engine.session->Query(std::string(query) + "(" +
                                                                 QuoteLiteral(path) + ")"));
    WEIR_RETURN_IF_ERROR(AppendRows(*rows, name, lines));
  }
  return lines;
}

}  // namespace weir::cli
