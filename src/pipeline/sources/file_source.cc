// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/file_source.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "engine/statements/spark/translators.h"
#include "pipeline/flows/sql_text.h"
#include "pipeline/sources/debezium.h"
#include "pipeline/sources/file_listing.h"
#include "pipeline/sources/unreadable_lines.h"

namespace weir::pipeline {
namespace {

/// What a file's name says of its format; "" for nothing. A compression behind it does not matter.
std::string FormatOf(std::string_view path) {
  std::string name = ToLowerAscii(path);
  for (std::string_view compression : {".gz", ".zst", ".bz2", ".snappy"}) {
    if (EndsWith(name, compression)) name.resize(name.size() - compression.size());
  }
  if (EndsWith(name, ".json") || EndsWith(name, ".jsonl") || EndsWith(name, ".ndjson")) {
    return "json";
  }
  if (EndsWith(name, ".csv") || EndsWith(name, ".tsv")) return "csv";
  return EndsWith(name, ".parquet") ? "parquet" : "";
}

std::string PathList(const std::vector<std::string>& paths) {
  return "[" + Join(paths, ", ", QuoteLiteral) + "]";
}

/// {'name': 'TYPE', ...} for the readers' parameters `columns` and `types`.
std::string TypeMap(const std::vector<Column>& columns) {
  return "{" +
         Join(columns, ", ",
              [](const Column& column) {
                return QuoteLiteral(column.name) + ": " + QuoteLiteral(column.type);
              }) +
         "}";
}

Error Malformed(const std::string& key) {
  return CorruptLog("WEIR_CHECKPOINT_MALFORMED",
                    "an offset of source " + key + " is not what Weir writes");
}

/// Spark's names of options under which DuckDB's readers know them; "" for those that have no
/// effect here.
const std::map<std::string, std::string>& ReaderOptions() {
  static const std::map<std::string, std::string> kNames = {{"sep", "delim"},
                                                            {"delimiter", "delim"},
                                                            {"nullvalue", "nullstr"},
                                                            {"multiline", ""},
                                                            {"inferschema", ""},
                                                            {"infercolumntypes", ""},
                                                            {"recursivefilelookup", ""},
                                                            {"schema", ""},
                                                            {"maxfilespertrigger", ""},
                                                            {"badrecordspath", ""},
                                                            {"header", ""}};
  return kNames;
}

/// Text takes everything; numbers that grew inside a known wider type are fine, so are values that
/// are all NULL.
bool Fits(const SqlType& found, const SqlType& known) {
  if (known.name == "VARCHAR" || found.name == "JSON" || found.name == "\"NULL\"") return true;
  if (WidensTo(found, known)) return true;
  return known.name == "DOUBLE" && found.name == "BIGINT";
}

}  // namespace

std::string EmptyRelation(const std::vector<Column>& columns) {
  return "SELECT " +
         Join(columns, ", ",
              [](const Column& column) {
                return "CAST(NULL AS " + column.type + ") AS " + QuoteIdentifier(column.name);
              }) +
         " WHERE false";
}

FileSource::FileSource(engine::Session& session, FileSourceSpec spec, const std::string& root)
    : session_(session), spec_(std::move(spec)) {
  const bool absolute = StartsWith(spec_.path, "/") || spec_.path.find(":/") != std::string::npos;
  location_ =
      storage::NormalizeLocation(absolute ? spec_.path : storage::JoinPath(root, spec_.path));
  key_ = "files:" + spec_.path;
  const std::string aside = Option("badrecordspath");
  if (!aside.empty()) aside_ = StartsWith(aside, "/") ? aside : storage::JoinPath(root, aside);
}

std::string FileSource::Option(std::string_view name) const {
  const auto found =
      std::ranges::find(spec_.options, name, &std::pair<std::string, std::string>::first);
  return found == spec_.options.end() ? "" : found->second;
}

Status FileSource::Replay(const JsonValue& offset) {
  const JsonValue* files = offset.Find("files");
  const JsonValue* schema = offset.Find("schema");
  if (files == nullptr || schema == nullptr) return Fail(Malformed(key_));
  for (const JsonValue& file : files->items()) {
    const JsonValue* path = file.Find("path");
    if (path == nullptr) return Fail(Malformed(key_));
    seen_.insert(path->text());
  }
  columns_.clear();
  for (const JsonValue& column : schema->items()) {
    if (column.items().size() != 2) return Fail(Malformed(key_));
    columns_.push_back({column.items()[0].text(), column.items()[1].text()});
  }
  return {};
}

namespace {

JsonValue MakeOffset(JsonValue files, const std::vector<Column>& columns) {
  JsonValue schema = JsonValue::Array();
  for (const Column& column : columns) {
    schema.items().push_back(
        JsonValue::Array({JsonValue::String(column.name), JsonValue::String(column.type)}));
  }
  return JsonValue::Object({{"files", std::move(files)}, {"schema", std::move(schema)}});
}

}  // namespace

JsonValue FileSource::Compact() const {
  JsonValue files = JsonValue::Array();
  for (const std::string& path : seen_) {
    files.items().push_back(JsonValue::Object({{"path", JsonValue::String(path)}}));
  }
  return MakeOffset(std::move(files), columns_);
}

Result<std::optional<JsonValue>> FileSource::Plan() {
  WEIR_ASSIGN_OR_RETURN(const std::vector<storage::ObjectInfo> listed, ListDataFiles(location_));
  size_t most = listed.size();
  const std::string limit = Option("maxfilespertrigger");
  if (!limit.empty()) std::from_chars(limit.data(), limit.data() + limit.size(), most);

  std::vector<std::string> paths;
  JsonValue files = JsonValue::Array();
  backlog_ = 0;
  for (const storage::ObjectInfo& file : listed) {
    if (file.size == 0 || seen_.contains(file.path)) continue;
    if (paths.size() == std::max<size_t>(most, 1)) {
      ++backlog_;
      continue;
    }
    paths.push_back(file.path);
    files.items().push_back(JsonValue::Object(
        {{"path", JsonValue::String(file.path)}, {"size", JsonValue::Int(file.size)}}));
  }
  if (paths.empty()) return std::nullopt;
  WEIR_ASSIGN_OR_RETURN(const std::vector<Group> groups, GroupByFormat(paths));
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns, MergeColumns(groups));
  return MakeOffset(std::move(files), columns);
}

Result<std::vector<Column>> FileSource::Columns(const std::optional<JsonValue>& planned) {
  if (planned) {
    std::vector<Column> columns;
    for (const JsonValue& column : planned->Find("schema")->items()) {
      columns.push_back({column.items()[0].text(), column.items()[1].text()});
    }
    return columns;
  }
  WEIR_ASSIGN_OR_RETURN(const auto declared, DeclaredColumns());
  if (declared) return *declared;
  if (!columns_.empty()) return columns_;
  return Fail(
      InvalidArgument("UNABLE_TO_INFER_SCHEMA",
                      "there is no file yet in " + location_ +
                          " to infer the columns from; let a file arrive first, or give them: "
                          "read_files('" +
                          spec_.path + "', schema => 'id INT, name STRING')",
                      "42KD9"));
}

Result<std::string> FileSource::Read(const JsonValue& offset) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns, Columns(offset));
  std::vector<std::string> paths;
  for (const JsonValue& file : offset.Find("files")->items())
    paths.push_back(file.Find("path")->text());
  WEIR_ASSIGN_OR_RETURN(const std::vector<Group> groups, GroupByFormat(paths));
  std::string sql;
  for (const Group& group : groups) {
    WEIR_ASSIGN_OR_RETURN(const std::string part, ReadGroup(group, columns));
    sql += (sql.empty() ? "" : " UNION ALL ") + part;
  }
  return sql;
}

Result<JsonValue> FileSource::Describe(const JsonValue& offset) {
  std::vector<std::string> paths;
  for (const JsonValue& file : offset.Find("files")->items())
    paths.push_back(file.Find("path")->text());
  WEIR_ASSIGN_OR_RETURN(const std::vector<Group> groups, GroupByFormat(paths));
  JsonValue files = JsonValue::Array();
  for (const Group& group : groups) {
    for (const std::string& path : group.paths) {
      files.items().push_back(JsonValue::Object(
          {{"path", JsonValue::String(path)}, {"format", JsonValue::String(group.format)}}));
    }
  }
  JsonValue options = JsonValue::Object();
  for (const auto& [name, value] : spec_.options) options.Set(name, JsonValue::String(value));
  return JsonValue::Object({{"files", std::move(files)},
                            {"options", std::move(options)},
                            {"debezium", JsonValue::Bool(is_debezium())}});
}

Result<int64_t> FileSource::SetAside(const JsonValue& offset, const std::string& name) {
  if (aside_.empty()) return int64_t{0};
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns, Columns(offset));
  std::vector<std::string> paths;
  for (const JsonValue& file : offset.Find("files")->items())
    paths.push_back(file.Find("path")->text());
  WEIR_ASSIGN_OR_RETURN(const std::vector<Group> groups, GroupByFormat(paths));
  std::string unreadable;
  for (const Group& group : groups) {
    if (group.format != "json") continue;
    unreadable += unreadable.empty() ? "" : " UNION ALL ";
    unreadable += SelectUnreadableLines(group.paths, columns);
  }
  if (unreadable.empty()) return int64_t{0};
  WEIR_ASSIGN_OR_RETURN(const auto count,
                        session_.QueryInt64("SELECT count(*) FROM (" + unreadable + ")"));
  if (count.value_or(0) == 0) return int64_t{0};
  std::error_code failure;
  std::filesystem::create_directories(aside_, failure);
  if (failure) return Fail(IoError("WEIR_IO_ERROR", aside_ + ": " + failure.message()));
  WEIR_RETURN_IF_ERROR(session_.Execute("COPY (" + unreadable + ") TO " +
                                        QuoteLiteral(storage::JoinPath(aside_, name)) +
                                        " (FORMAT json)"));
  return *count;
}

int64_t FileSource::CountFiles(const JsonValue& offset) const {
  return static_cast<int64_t>(offset.Find("files")->items().size());
}

/// Neighbours of one format go together, so that the order of arrival stays.
Result<std::vector<FileSource::Group>> FileSource::GroupByFormat(
    const std::vector<std::string>& paths) const {
  std::vector<Group> groups;
  for (const std::string& path : paths) {
    std::string format = spec_.format.empty() ? FormatOf(path) : spec_.format;
    if (is_debezium()) format = "json";
    if (format != "json" && format != "csv" && format != "parquet") {
      return Fail(
          InvalidArgument("WEIR_SOURCE_FORMAT_UNKNOWN",
                          path + ": " +
                              (format.empty() ? "its name does not tell the format"
                                              : "`" + format + "` is no format that is read") +
                              "; give format => 'json', 'csv' or 'parquet'"));
    }
    if (groups.empty() || groups.back().format != format) groups.push_back({format, {}});
    groups.back().paths.push_back(path);
  }
  return groups;
}

std::string FileSource::Reader(const Group& group, const std::string& arguments) const {
  std::string call = "read_" + group.format + "(" + PathList(group.paths) + arguments;
  if (group.format == "csv") {
    const std::string header = Option("header");
    call += ", header = " + (header.empty() ? "true" : header);
  }
  for (const auto& [name, value] : spec_.options) {
    const auto known = ReaderOptions().find(name);
    const std::string& reader_name = known == ReaderOptions().end() ? name : known->second;
    if (!reader_name.empty()) call += ", " + reader_name + " = " + QuoteLiteral(value);
  }
  return call + ")";
}

Result<std::vector<Column>> FileSource::Infer(const Group& group) {
  std::string arguments = ", union_by_name = true";
  if (group.format != "parquet") arguments += ", sample_size = -1";
  if (group.format == "json") {
    arguments += ", maximum_sample_files = " + std::to_string(group.paths.size());
    if (!aside_.empty()) arguments += ", format = 'newline_delimited', ignore_errors = true";
  }
  auto columns = DescribeQuery(session_, "SELECT * FROM " + Reader(group, arguments));
  if (columns) return columns;
  return Fail(columns.error().WithContext(
      "reading " + group.paths.front() +
      (group.paths.size() == 1 ? "" : " and " + std::to_string(group.paths.size() - 1) + " more")));
}

Result<std::optional<std::vector<Column>>> FileSource::DeclaredColumns() const {
  const std::string schema = Option("schema");
  if (schema.empty()) return std::optional<std::vector<Column>>();
  WEIR_ASSIGN_OR_RETURN(std::vector<sql::Token> tokens, sql::Tokenize(schema));
  sql::TokenReader reader(schema, std::move(tokens), "schema of " + key_);
  std::vector<Column> columns;
  do {
    WEIR_ASSIGN_OR_RETURN(std::string name, reader.ExpectName("a column's name"));
    reader.TakeSymbolIf(":");
    WEIR_ASSIGN_OR_RETURN(std::string type, engine::spark::TakeType(reader));
    columns.push_back({std::move(name), std::move(type)});
  } while (reader.TakeSymbolIf(","));
  if (!reader.AtEnd()) return Fail(reader.SyntaxError("expected ',' and another column"));
  return std::optional(std::move(columns));
}

Result<std::vector<Column>> FileSource::MergeColumns(const std::vector<Group>& groups) {
  WEIR_ASSIGN_OR_RETURN(const auto declared, DeclaredColumns());
  if (declared) return *declared;
  std::vector<Column> merged = columns_;
  for (const Group& group : groups) {
    WEIR_ASSIGN_OR_RETURN(std::vector<Column> found, Infer(group));
    if (is_debezium()) {
      WEIR_ASSIGN_OR_RETURN(found, FlattenEnvelope(found));
    }
    for (const Column& column : found) {
      WEIR_ASSIGN_OR_RETURN(const SqlType type, ParseType(column.type));
      const Column* known = FindColumn(merged, column.name);
      if (known == nullptr) {
        merged.push_back({column.name, StorableType(type).ToString()});
        continue;
      }
      WEIR_ASSIGN_OR_RETURN(const SqlType before, ParseType(known->type));
      if (Fits(type, before) || (is_debezium() && before.kind == SqlType::Kind::kStruct)) continue;
      return Fail(
          InvalidArgument("WEIR_SOURCE_TYPE_CHANGED",
                          "column `" + column.name + "` of " + group.paths.front() + " is " +
                              column.type + ", it was " + known->type +
                              " before; give the columns with schema => '...', or cast the column "
                              "where the file is written"));
    }
  }
  return merged;
}

Result<std::string> FileSource::ReadGroup(const Group& group, const std::vector<Column>& columns) {
  if (is_debezium()) {
    return ReadEnvelope(columns, [&](const std::vector<Column>& envelope) {
      return Reader(group, ", columns = " + TypeMap(envelope));
    });
  }
  if (group.format == "json" && !aside_.empty()) return SelectReadableLines(group.paths, columns);
  if (group.format == "json") {
    return "SELECT " + Names(columns) + " FROM " + Reader(group, ", columns = " + TypeMap(columns));
  }
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> present, Infer(group));
  std::vector<Column> typed;
  const std::string select = Join(columns, ", ", [&](const Column& column) {
    const Column* there = FindColumn(present, column.name);
    if (there != nullptr) typed.push_back({there->name, column.type});
    return "CAST(" + (there == nullptr ? "NULL" : QuoteIdentifier(there->name)) + " AS " +
           column.type + ") AS " + QuoteIdentifier(column.name);
  });
  std::string arguments = ", union_by_name = true";
  if (group.format == "csv" && !typed.empty()) arguments += ", types = " + TypeMap(typed);
  return "SELECT " + select + " FROM " + Reader(group, arguments);
}

}  // namespace weir::pipeline
