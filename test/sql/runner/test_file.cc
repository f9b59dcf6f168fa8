// SPDX-License-Identifier: Apache-2.0
#include "runner/test_file.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"

namespace weir::sqltest {
namespace {

constexpr std::string_view kSeparator = "----";

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = Trim(text)).empty()) {
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (EndsWith(line, "\r")) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<long> ParseInteger(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class FileParser {
 public:
  explicit FileParser(std::string_view text) : lines_(SplitLines(text)) {}

  Result<std::vector<Record>> Run() {
    WEIR_ASSIGN_OR_RETURN(std::vector<Record> records, ParseRecords(false));
    return records;
  }

 private:
  Result<std::vector<Record>> ParseRecords(bool in_loop) {
    std::vector<Record> records;
    while (next_ < lines_.size()) {
      const std::string_view line = Trim(lines_[next_++]);
      if (line.empty() || line[0] == '#') continue;
      if (line == "endloop") {
        if (!in_loop) return Syntax("endloop without a loop");
        return records;
      }
      WEIR_ASSIGN_OR_RETURN(Record record, ParseRecord(line));
      records.push_back(std::move(record));
    }
    if (in_loop) return Syntax("a loop without endloop");
    return records;
  }

  Result<Record> ParseRecord(std::string_view line) {
    Record record;
    record.line = static_cast<int>(next_);
    const std::vector<std::string> words = SplitWords(line);
    const std::string& directive = words[0];
    record.argument = Trim(line.substr(directive.size()));
    if (directive == "statement") return ParseStatement(std::move(record));
    if (directive == "query") return ParseQuery(std::move(record), words);
    if (directive == "loop" || directive == "foreach") return ParseLoop(std::move(record), words);
    static const std::map<std::string, RecordKind> kPlain{{"connection", RecordKind::kConnection},
                                                          {"restart", RecordKind::kRestart},
                                                          {"require", RecordKind::kRequire},
                                                          {"exec", RecordKind::kExec},
                                                          {"file", RecordKind::kFile}};
    const auto plain = kPlain.find(directive);
    if (plain == kPlain.end()) return Syntax("unknown directive '" + directive + "'");
    record.kind = plain->second;
    if (record.argument.empty() != (record.kind == RecordKind::kRestart)) {
      return Syntax("'" + directive + "' with a wrong number of words");
    }
    if (record.kind == RecordKind::kFile) ReadBlock(record);
    return record;
  }

  Result<Record> ParseStatement(Record record) {
    if (record.argument != "ok" && record.argument != "error")
      return Syntax("expected 'statement ok' or 'statement error'");
    record.kind = record.argument == "ok" ? RecordKind::kStatementOk : RecordKind::kStatementError;
    const bool has_expected = ReadBlock(record);
    if (record.body.empty()) return Syntax("a statement without SQL");
    if (record.kind == RecordKind::kStatementOk && has_expected)
      return Syntax("'statement ok' expects no result");
    if (record.kind == RecordKind::kStatementError && record.expected.size() != 1) {
      return Syntax("'statement error' needs ---- and one line with a part of the message");
    }
    return record;
  }

  Result<Record> ParseQuery(Record record, const std::vector<std::string>& words) {
    record.kind = RecordKind::kQuery;
    if (words.size() < 2 || words.size() > 3)
      return Syntax("expected 'query TYPES [nosort|rowsort]'");
    record.argument = words[1];
    if (words.size() == 3 && words[2] != "nosort" && words[2] != "rowsort")
      return Syntax("unknown order '" + words[2] + "'");
    record.sort_rows = words.size() == 3 && words[2] == "rowsort";
    if (!ReadBlock(record)) return Syntax("a query needs ---- and its rows");
    if (record.body.empty()) return Syntax("a query without SQL");
    return record;
  }

  Result<Record> ParseLoop(Record record, const std::vector<std::string>& words) {
    record.kind = RecordKind::kLoop;
    if (words.size() < 3)
      return Syntax("expected 'foreach NAME VALUE...' or 'loop NAME FIRST END'");
    record.argument = words[1];
    if (words[0] == "foreach") {
      record.values.assign(words.begin() + 2, words.end());
    } else {
      const auto first = ParseInteger(words[2]);
      const auto end = words.size() == 4 ? ParseInteger(words[3]) : std::nullopt;
      if (!first || !end) return Syntax("expected 'loop NAME FIRST END'");
      for (long i = *first; i < *end; ++i) record.values.push_back(std::to_string(i));
    }
    WEIR_ASSIGN_OR_RETURN(record.records, ParseRecords(true));
    return record;
  }

  // Reads up to the next blank line into body and, behind `----`, expected. True when there was a
  // `----`.
  bool ReadBlock(Record& record) {
    bool in_expected = false;
    for (; next_ < lines_.size() && !lines_[next_].empty(); ++next_) {
      const std::string_view line = lines_[next_];
      if (in_expected) {
        record.expected.emplace_back(line);
      } else if (line == kSeparator && record.kind != RecordKind::kFile) {
        in_expected = true;
      } else {
        record.body.append(line).append("\n");
      }
    }
    return in_expected;
  }

  tl::unexpected<Error> Syntax(const std::string& what) const {
    return Fail(InvalidArgument("WEIR_SQLTEST_SYNTAX", fmt::format("line {}: {}", next_, what)));
  }

  std::vector<std::string_view> lines_;
  size_t next_ = 0;
};

}  // namespace

Result<std::vector<Record>> ParseTestFile(std::string_view text) { return FileParser(text).Run(); }

std::string Substitute(std::string text, const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    for (size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

}  // namespace weir::sqltest
