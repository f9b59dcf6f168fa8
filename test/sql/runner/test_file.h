// SPDX-License-Identifier: Apache-2.0
//
// A test file as a tree of records. test/sql/README.md describes the format.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::sqltest {

enum class RecordKind {
  kStatementOk,
  kStatementError,
  kQuery,
  kConnection,
  kRestart,
  kRequire,
  kExec,
  kFile,
  kLoop,
};

struct Record {
  RecordKind kind = RecordKind::kStatementOk;
  int line = 0;
  /// The words behind the directive: a connection's name, a command, a path, the types of a query.
  std::string argument;
  /// SQL, or the content of a file.
  std::string body;
  /// Lines behind `----`.
  std::vector<std::string> expected;
  bool sort_rows = false;
  /// kLoop: the values that `${argument}` takes, and the records inside.
  std::vector<std::string> values;
  std::vector<Record> records;
};

/// Parses the text of one file. Errors: kInvalidArgument WEIR_SQLTEST_SYNTAX naming the line.
Result<std::vector<Record>> ParseTestFile(std::string_view text);

/// Replaces every key of `variables` (`__TEST_DIR__`, `${x}`) by its value.
std::string Substitute(std::string text, const std::map<std::string, std::string>& variables);

}  // namespace weir::sqltest
