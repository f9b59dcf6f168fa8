// SPDX-License-Identifier: Apache-2.0
#include "runner/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "engine/session.h"
#include "runner/test_file.h"
#include "storage/object_store.h"

namespace weir::sqltest {
namespace {

constexpr std::string_view kRegex = "<REGEX>:";
constexpr std::string_view kNotRegex = "<!REGEX>:";

Result<std::string> ReadText(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Fail(NotFound("WEIR_SQLTEST_FILE", "cannot read " + file.string()));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A cell as a test file writes it: one line, no tabs, NULL and the empty text told apart.
std::string CellText(const engine::QueryResult& result, size_t column, size_t row) {
  if (result.IsNull(column, row)) return "NULL";
  const std::string text = result.Text(column, row);
  if (text.empty()) return "(empty)";
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (c == '\0') {
      line += "\\0";
    } else {
      line += c;
    }
  }
  return line;
}

bool TextMatches(const std::string& actual, const std::string& expected) {
  if (StartsWith(expected, kRegex))
    return std::regex_match(actual, std::regex(expected.substr(kRegex.size())));
  if (StartsWith(expected, kNotRegex)) {
    return !std::regex_match(actual, std::regex(expected.substr(kNotRegex.size())));
  }
  return actual == expected;
}

using Row = std::vector<std::string>;

Row SplitRow(const std::string& line) {
  Row cells;
  std::string_view rest = line;
  while (true) {
    const size_t end = rest.find('\t');
    cells.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return cells;
    rest.remove_prefix(end + 1);
  }
}

std::string JoinRows(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += "    ";
    for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : "\t") + row[i];
    text += '\n';
  }
  return rows.empty() ? "    (no rows)\n" : text;
}

bool RowsMatch(const std::vector<Row>& actual, const std::vector<Row>& expected) {
  if (actual.size() != expected.size()) return false;
  for (size_t r = 0; r < actual.size(); ++r) {
    if (actual[r].size() != expected[r].size()) return false;
    for (size_t c = 0; c < actual[r].size(); ++c) {
      if (!TextMatches(actual[r][c], expected[r][c])) return false;
    }
  }
  return true;
}

// A record that did not hold (kFailed) or that cannot be run here (kSkipped).
struct Stop {
  Outcome::Kind kind;
  std::string message;
};
using Step = std::optional<Stop>;

Step Failed(std::string message) { return Stop{Outcome::Kind::kFailed, std::move(message)}; }

class FileRun {
 public:
  FileRun(const std::filesystem::path& test_dir, const std::filesystem::path& root,
          const Setting& setting, const std::string& store_dir)
      : test_dir_(test_dir), store_dir_(store_dir), setting_(setting) {
    variables_["__TEST_DIR__"] = store_dir.empty() ? test_dir.string() : store_dir;
    if (store_dir.empty()) return;
    // Or DuckDB asks for extensions, and attaches for reading alone.
    for (const std::string attach : {"ATTACH '", "ATTACH IF NOT EXISTS '"})
      variables_[attach + "__TEST_DIR__"] = attach + "weir:" + store_dir;
    variables_["__SOURCE_DIR__"] = root.string();
  }

  Step RunAll(const std::vector<Record>& records) {
    for (const Record& record : records) {
      if (record.kind == RecordKind::kLoop) {
        if (Step stop = RunLoop(record)) return stop;
        continue;
      }
      ++records_run_;
      if (Step stop = RunRecord(record)) {
        if (stop->kind == Outcome::Kind::kFailed)
          stop->message = fmt::format("line {}: {}", record.line, stop->message);
        return stop;
      }
    }
    return std::nullopt;
  }

  int records_run() const { return records_run_; }

 private:
  Step RunLoop(const Record& loop) {
    const std::string name = "${" + loop.argument + "}";
    for (const std::string& value : loop.values) {
      variables_[name] = value;
      Step stop = RunAll(loop.records);
      if (stop) {
        stop->message += fmt::format("  with {} = {}\n", name, value);
        return stop;
      }
    }
    variables_.erase(name);
    return std::nullopt;
  }

  Step RunRecord(const Record& record) {
    const std::string argument = Substitute(record.argument, variables_);
    const std::string body = Substitute(record.body, variables_);
    switch (record.kind) {
      case RecordKind::kStatementOk:
        return RunStatementOk(body);
      case RecordKind::kStatementError:
        return RunStatementError(body, Substitute(record.expected[0], variables_));
      case RecordKind::kQuery:
        return RunQuery(record, body);
      case RecordKind::kConnection:
        connection_ = argument;
        return std::nullopt;
      case RecordKind::kRestart:
        sessions_.clear();
        database_.reset();
        return std::nullopt;
      case RecordKind::kRequire:
        return RunRequire(argument);
      case RecordKind::kExec:
        return RunExec(argument);
      case RecordKind::kFile:
        return WriteFile(argument, body);
      case RecordKind::kLoop:
        break;
    }
    return std::nullopt;
  }

  Step RunStatementOk(const std::string& sql) {
    auto session = CurrentSession();
    if (!session) return Failed(session.error().ToString() + "\n");
    const Status status = (*session)->Execute(sql);
    if (status) return std::nullopt;
    return Failed(fmt::format("the statement failed\n{}  {}\n", sql, status.error().ToString()));
  }

  Step RunStatementError(const std::string& sql, const std::string& expected) {
    auto session = CurrentSession();
    if (!session) return Failed(session.error().ToString() + "\n");
    const Status status = (*session)->Execute(sql);
    if (status) return Failed("the statement should fail, but did not\n" + sql);
    const std::string message = status.error().ToString();
    const bool is_regex = StartsWith(expected, kRegex) || StartsWith(expected, kNotRegex);
    const bool matches =
        is_regex ? TextMatches(message, expected) : message.find(expected) != std::string::npos;
    if (matches) return std::nullopt;
    return Failed(fmt::format("another error than expected\n{}  expected: {}\n  got: {}\n", sql,
                              expected, message));
  }

  Step RunQuery(const Record& record, const std::string& sql) {
    std::vector<Row> expected;
    for (const std::string& line : record.expected)
      expected.push_back(SplitRow(Substitute(line, variables_)));
    auto rows = FetchRows(sql);
    if (!rows)
      return Failed(fmt::format("the query failed\n{}  {}\n", sql, rows.error().ToString()));
    if (column_count_ != record.argument.size()) {
      return Failed(
          fmt::format("{} columns, but types {}\n{}", column_count_, record.argument, sql));
    }
    if (record.sort_rows) {
      std::sort(rows->begin(), rows->end());
      std::sort(expected.begin(), expected.end());
    }
    if (RowsMatch(*rows, expected)) return std::nullopt;
    return Failed(fmt::format("wrong result\n{}  expected:\n{}  got:\n{}", sql, JoinRows(expected),
                              JoinRows(*rows)));
  }

  Result<std::vector<Row>> FetchRows(const std::string& sql) {
    WEIR_ASSIGN_OR_RETURN(engine::Session * session, CurrentSession());
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::QueryResult> result, session->Query(sql));
    column_count_ = result->columns().size();
    std::vector<Row> rows;
    while (true) {
      WEIR_ASSIGN_OR_RETURN(const bool more, result->NextBatch());
      if (!more) return rows;
      for (size_t r = 0; r < result->batch_size(); ++r) {
        Row row;
        for (size_t c = 0; c < column_count_; ++c) row.push_back(CellText(*result, c, r));
        rows.push_back(std::move(row));
      }
    }
  }

  Step RunRequire(const std::string& extension) {
    auto session = CurrentSession();
    if (!session) return Failed(session.error().ToString() + "\n");
    if ((*session)->Execute("LOAD " + extension)) return std::nullopt;
    return Stop{Outcome::Kind::kSkipped, "extension " + extension + " is not here"};
  }

  Step RunExec(const std::string& command) {
    const std::string in_dir = "cd '" + test_dir_.string() + "' && { " + command + "\n}";
    const int status = std::system(in_dir.c_str());
    if (status == 0) return std::nullopt;
    return Failed(fmt::format("exit status {} of: {}\n", status, command));
  }

  Step WriteFile(const std::string& path, const std::string& content) {
    if (!store_dir_.empty()) {
      auto store = storage::OpenStore(store_dir_);
      if (!store) return Failed(store.error().ToString() + "\n");
      const Status put = (*store)->Put(storage::JoinPath(store_dir_, path), content);
      return put ? std::nullopt : Failed(put.error().ToString() + "\n");
    }
    const std::filesystem::path file = test_dir_ / path;
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::ofstream stream(file, std::ios::binary);
    stream << content;
    stream.close();
    if (stream) return std::nullopt;
    return Failed("cannot write " + file.string() + "\n");
  }

  Result<engine::Session*> CurrentSession() {
    std::unique_ptr<engine::Session>& session = sessions_[connection_];
    if (session) return session.get();
    if (!database_) {
      WEIR_ASSIGN_OR_RETURN(database_, engine::Database::Open());
    }
    WEIR_ASSIGN_OR_RETURN(session, database_->Connect());
    for (const std::string& statement : setting_.statements)
      WEIR_RETURN_IF_ERROR(session->Execute(statement));
    return session.get();
  }

  std::filesystem::path test_dir_;
  std::string store_dir_;  // empty on a disk
  const Setting& setting_;
  std::map<std::string, std::string> variables_;
  std::unique_ptr<engine::Database> database_;
  std::map<std::string, std::unique_ptr<engine::Session>> sessions_;
  std::string connection_;
  size_t column_count_ = 0;
  int records_run_ = 0;
};

bool HasCommand(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(), [](const Record& record) {
    return record.kind == RecordKind::kExec || HasCommand(record.records);
  });
}

}  // namespace

Result<Setting> ReadSetting(const std::filesystem::path& file) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, ReadText(file));
  auto document = JsonValue::Parse(text);
  if (!document) return Fail(document.error().WithContext(file.string()));
  Setting setting;
  if (const JsonValue* statements = document->Find("statements")) {
    for (const JsonValue& statement : statements->items())
      setting.statements.push_back(statement.text());
  }
  if (const JsonValue* skip = document->Find("skip")) {
    for (const auto& [path, reason] : skip->members()) setting.skip[path] = reason.text();
  }
  const JsonValue* on_store = document->Find("on_store");
  setting.on_store = on_store != nullptr && on_store->bool_value();
  return setting;
}

Outcome RunTestFile(const std::filesystem::path& file, const std::filesystem::path& test_dir,
                    const std::filesystem::path& root, const Setting& setting) {
  const Result<std::string> text = ReadText(file);
  if (!text) return {Outcome::Kind::kFailed, text.error().ToString() + "\n", 0};
  const Result<std::vector<Record>> records = ParseTestFile(*text);
  if (!records) return {Outcome::Kind::kFailed, records.error().message + "\n", 0};
  std::string store_dir;
  if (setting.on_store) {
    const char* store = std::getenv("WEIR_TEST_STORE");
    if (store == nullptr) return {Outcome::Kind::kFailed, "WEIR_TEST_STORE names no store\n", 0};
    if (HasCommand(*records)) {
      return {Outcome::Kind::kSkipped, "runs commands on the files of a disk", 0};
    }
    store_dir = storage::JoinPath(store, test_dir.filename().string());
  }
  FileRun run(test_dir, root, setting, store_dir);
  const Step stop = run.RunAll(*records);
  if (!stop) return {Outcome::Kind::kPassed, "", run.records_run()};
  return {stop->kind, stop->message, run.records_run()};
}

}  // namespace weir::sqltest
