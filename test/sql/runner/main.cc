// SPDX-License-Identifier: Apache-2.0
//
// weir_sqltest [--setting NAME] [--keep] [FILTER...]: runs test/sql/**/*.test, or those whose path
// holds a FILTER.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "runner/runner.h"

namespace {

namespace fs = std::filesystem;
using weir::sqltest::Outcome;

struct Options {
  std::string setting;
  bool keep = false;
  std::vector<std::string> filters;
};

// False for a wrong command line.
bool ParseOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--setting" && i + 1 < argc) {
      options.setting = argv[++i];
    } else if (argument == "--keep") {
      options.keep = true;
    } else if (argument.rfind("--", 0) == 0) {
      return false;
    } else {
      options.filters.push_back(argument);
    }
  }
  return true;
}

// Paths relative to test/sql, sorted.
std::vector<std::string> FindTests(const fs::path& folder,
                                   const std::vector<std::string>& filters) {
  std::vector<std::string> tests;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = fs::relative(entry.path(), folder).generic_string();
    const bool wanted = filters.empty() ||
                        std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
                          return ("test/sql/" + path).find(filter) != std::string::npos;
                        });
    if (wanted && entry.path().extension() == ".test") tests.push_back(path);
  }
  std::sort(tests.begin(), tests.end());
  return tests;
}

Outcome RunInOwnFolder(const fs::path& root, const std::string& test,
                       const weir::sqltest::Setting& setting, bool keep) {
  if (const auto skip = setting.skip.find(test); skip != setting.skip.end()) {
    return {Outcome::Kind::kSkipped, skip->second, 0};
  }
  std::string folder = (fs::temp_directory_path() / "weir_sqltest_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return {Outcome::Kind::kFailed, "cannot make " + folder + "\n", 0};
  Outcome outcome = RunTestFile(root / "test" / "sql" / test, folder, root, setting);
  std::error_code ignored;
  if (keep) {
    std::cout << test << ": " << folder << "\n";
  } else {
    fs::remove_all(folder, ignored);
  }
  return outcome;
}

int RunTests(const fs::path& root, const Options& options) {
  weir::sqltest::Setting setting;
  if (!options.setting.empty()) {
    auto read = weir::sqltest::ReadSetting(root / "test" / "sql" / "settings" /
                                           (options.setting + ".json"));
    if (!read) {
      std::cerr << read.error().ToString() << "\n";
      return 2;
    }
    setting = *read;
  }
  int passed = 0, failed = 0, skipped = 0, records = 0;
  for (const std::string& test : FindTests(root / "test" / "sql", options.filters)) {
    const Outcome outcome = RunInOwnFolder(root, test, setting, options.keep);
    records += outcome.records;
    if (outcome.kind == Outcome::Kind::kPassed) {
      ++passed;
    } else if (outcome.kind == Outcome::Kind::kSkipped) {
      ++skipped;
      std::cout << "skipped test/sql/" << test << ": " << outcome.message << "\n";
    } else {
      ++failed;
      std::cout << "FAILED test/sql/" << test << " " << outcome.message << std::endl;
    }
  }
  std::cout << passed << " passed, " << failed << " failed";
  if (skipped > 0) std::cout << ", " << skipped << " skipped";
  std::cout << " (" << records << " statements)\n";
  if (passed + failed + skipped == 0) std::cout << "no test has such a name\n";
  return failed == 0 && passed + skipped > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, options)) {
    std::cerr << "usage: weir_sqltest [--setting NAME] [--keep] [FILTER...]\n";
    return 2;
  }
  return RunTests(WEIR_SOURCE_DIR, options);
}
