// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/python_files.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "pipeline/spec/python_program.h"

namespace weir::pipeline {
namespace {

namespace fs = std::filesystem;

/// What the child executes; only calls that are safe after fork.
[[noreturn]] void ExecPython(int output, const std::vector<char*>& arguments) {
  ::dup2(output, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

Error NotRun(const std::string& python, const std::string& why) {
  return IoError("WEIR_PYTHON_NOT_RUN", "the Python definition files need " + python +
                                            " with the package `weir`: " + why +
                                            "; set WEIR_PYTHON to another Python");
}

std::string ConfigurationJson(const PipelineSpec& spec) {
  std::string json;
  JsonWriter writer(json);
  writer.BeginObject();
  for (const auto& [key, value] : spec.configuration) writer.Key(key).String(value);
  writer.EndObject();
  return json;
}

Result<std::string> RunPython(const PipelineSpec& spec, const std::vector<fs::path>& files) {
  const std::string python = FindPython();
  std::vector<std::string> texts = {
      python, "-B", "-m", "weir._evaluate", spec.root.string(), ConfigurationJson(spec)};
  for (const fs::path& file : files) texts.push_back(file.string());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(NotRun(python, std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) ExecPython(ends[1], arguments);
  ::close(ends[1]);
  std::string output;
  std::array<char, 65536> buffer{};
  while (child > 0) {
    const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
    if (got > 0) output.append(buffer.data(), static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  ::close(ends[0]);
  if (child < 0) return Fail(NotRun(python, std::strerror(errno)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (output.empty()) {
    return Fail(NotRun(python, WIFEXITED(status) && WEXITSTATUS(status) == 127
                                   ? "it could not be started"
                                   : "it ended without an answer"));
  }
  return output;
}

std::string Text(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.Find(key);
  return value != nullptr && value->is_string() ? value->text() : "";
}

bool Flag(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.Find(key);
  return value != nullptr && value->bool_value();
}

std::vector<std::string> Texts(const JsonValue& node, std::string_view key) {
  std::vector<std::string> texts;
  if (const JsonValue* list = node.Find(key)) {
    for (const JsonValue& item : list->items()) texts.push_back(item.text());
  }
  return texts;
}

Origin OriginOf(const PipelineSpec& spec, const JsonValue& node) {
  const fs::path file = Text(node, "file");
  const JsonValue* line = node.Find("line");
  return {file.lexically_proximate(spec.root).string(),
          static_cast<int>(line == nullptr ? 0 : line->AsInt64().value_or(0))};
}

Result<QualifiedName> Name(const std::string& text, const Origin& origin) {
  auto tokens = sql::Tokenize(text);
  if (!tokens) return Fail(tokens.error().WithContext(origin.ToString()));
  sql::TokenReader reader(text, std::move(*tokens), origin.ToString());
  WEIR_ASSIGN_OR_RETURN(QualifiedName name, reader.ExpectQualifiedName("a table's name"));
  if (!reader.AtEnd()) return Fail(reader.SyntaxError("expected the end of the name"));
  return name;
}

/// "id INT, name STRING NOT NULL": the columns of a schema in DDL.
Result<std::vector<ColumnDeclaration>> Columns(const std::string& ddl, const Origin& origin) {
  std::vector<ColumnDeclaration> columns;
  if (Trim(ddl).empty()) return columns;
  WEIR_ASSIGN_OR_RETURN(std::vector<sql::Token> tokens, sql::Tokenize(ddl));
  sql::TokenReader reader(ddl, std::move(tokens), origin.file);
  const auto at_end = [](const sql::TokenReader& r) {
    return r.Peek().IsSymbol(",") || r.LooksAt({"NOT", "NULL"});
  };
  do {
    ColumnDeclaration column;
    WEIR_ASSIGN_OR_RETURN(column.name, reader.ExpectName("a column's name"));
    WEIR_ASSIGN_OR_RETURN(column.type, reader.TextUntil(at_end, "a type"));
    column.not_null = reader.TakeIf({"NOT", "NULL"});
    columns.push_back(std::move(column));
  } while (reader.TakeSymbolIf(","));
  return columns;
}

ColumnSelection Selection(const JsonValue* node) {
  ColumnSelection selection;
  if (node == nullptr) return selection;
  const std::string kind = Text(*node, "kind");
  if (kind == "only") selection.kind = ColumnSelection::Kind::kOnly;
  if (kind == "except") selection.kind = ColumnSelection::Kind::kExcept;
  selection.names = Texts(*node, "names");
  return selection;
}

AutoCdcClauses Clauses(const JsonValue& node) {
  AutoCdcClauses clauses;
  clauses.keys = Texts(node, "keys");
  clauses.sequence_by = Text(node, "sequence_by");
  clauses.delete_when = Text(node, "delete_when");
  clauses.truncate_when = Text(node, "truncate_when");
  clauses.columns_to_update = Text(node, "columns_to_update");
  clauses.columns = Selection(node.Find("columns"));
  clauses.track_history = Selection(node.Find("track_history"));
  if (const JsonValue* ignore = node.Find("ignore_null_updates"))
    clauses.ignore_null_updates = Selection(ignore);
  const JsonValue* type = node.Find("scd_type");
  clauses.scd_type = type != nullptr && type->AsInt64() == 2 ? 2 : 1;
  return clauses;
}

Result<Dataset> ReadDataset(const PipelineSpec& spec, const JsonValue& node) {
  Dataset dataset;
  dataset.origin = OriginOf(spec, node);
  const std::string kind = Text(node, "kind");
  if (kind == "materialized_view") dataset.kind = DatasetKind::kMaterializedView;
  if (kind == "temporary_view") dataset.kind = DatasetKind::kTemporaryView;
  WEIR_ASSIGN_OR_RETURN(dataset.name, Name(Text(node, "name"), dataset.origin));
  WEIR_ASSIGN_OR_RETURN(dataset.columns, Columns(Text(node, "schema"), dataset.origin));
  dataset.either = Flag(node, "either");
  dataset.comment = Text(node, "comment");
  dataset.partition_columns = Texts(node, "partition_columns");
  dataset.cluster_columns = Texts(node, "cluster_columns");
  if (const JsonValue* properties = node.Find("properties")) {
    for (const auto& [key, value] : properties->members())
      dataset.properties.emplace_back(key, value.text());
  }
  if (const JsonValue* expectations = node.Find("expectations")) {
    for (const JsonValue& item : expectations->items()) {
      const std::string violation = Text(item, "violation");
      dataset.expectations.push_back({Text(item, "name"), Text(item, "condition"),
                                      violation == "drop"   ? Violation::kDropRow
                                      : violation == "fail" ? Violation::kFailUpdate
                                                            : Violation::kWarn});
    }
  }
  return dataset;
}

Result<Flow> ReadFlow(const PipelineSpec& spec, const JsonValue& node) {
  Flow flow;
  flow.origin = OriginOf(spec, node);
  const std::string kind = Text(node, "kind");
  if (kind == "recompute") flow.kind = FlowKind::kRecompute;
  if (kind == "view") flow.kind = FlowKind::kView;
  if (kind == "auto_cdc") flow.kind = FlowKind::kAutoCdc;
  if (kind == "snapshot_cdc") flow.kind = FlowKind::kSnapshotCdc;
  WEIR_ASSIGN_OR_RETURN(const QualifiedName name, Name(Text(node, "name"), flow.origin));
  flow.name = name.last();
  WEIR_ASSIGN_OR_RETURN(flow.target, Name(Text(node, "target"), flow.origin));
  flow.query = Text(node, "query");
  flow.once = Flag(node, "once");
  if (const JsonValue* clauses = node.Find("auto_cdc")) flow.auto_cdc = Clauses(*clauses);
  return flow;
}

}  // namespace

Status ReadPythonDefinitions(const PipelineSpec& spec, std::string_view json, Definitions& out) {
  const auto document = JsonValue::Parse(json);
  if (!document)
    return Fail(NotRun("python3", "its answer is no JSON: " + document.error().message));
  if (const JsonValue* error = document->Find("error")) {
    return Fail(InvalidArgument(Text(*error, "name"), Text(*error, "message")));
  }
  const JsonValue* datasets = document->Find("datasets");
  const JsonValue* flows = document->Find("flows");
  if (datasets == nullptr || flows == nullptr)
    return Fail(NotRun("python3", "its answer has no definitions"));
  for (const JsonValue& node : datasets->items()) {
    WEIR_ASSIGN_OR_RETURN(Dataset dataset, ReadDataset(spec, node));
    out.datasets.push_back(std::move(dataset));
  }
  for (const JsonValue& node : flows->items()) {
    WEIR_ASSIGN_OR_RETURN(Flow flow, ReadFlow(spec, node));
    out.flows.push_back(std::move(flow));
  }
  return {};
}

Status LoadPythonFiles(const PipelineSpec& spec, const std::vector<fs::path>& files,
                       Definitions& out) {
  WEIR_ASSIGN_OR_RETURN(const std::string json, RunPython(spec, files));
  return ReadPythonDefinitions(spec, json, out);
}

}  // namespace weir::pipeline
