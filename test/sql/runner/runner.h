// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::sqltest {

/// Conditions under which the whole corpus is run again: test/sql/settings/NAME.json.
struct Setting {
  /// Run on every new connection.
  std::vector<std::string> statements;
  /// Files that do not hold under these conditions, relative to test/sql, each with its reason.
  std::map<std::string, std::string> skip;
  /// Whether test folders are in an object store: below the URL in WEIR_TEST_STORE.
  bool on_store = false;
};

/// Reads a setting. Errors: kNotFound, kInvalidArgument naming what is wrong.
Result<Setting> ReadSetting(const std::filesystem::path& file);

struct Outcome {
  enum class Kind { kPassed, kFailed, kSkipped };
  Kind kind = Kind::kPassed;
  /// Where and what failed, or why it was skipped.
  std::string message;
  /// Records that were run.
  int records = 0;
};

/// Runs one file in a database of its own. `test_dir` exists and is empty; `root` is the
/// repository.
Outcome RunTestFile(const std::filesystem::path& file, const std::filesystem::path& test_dir,
                    const std::filesystem::path& root, const Setting& setting);

}  // namespace weir::sqltest
