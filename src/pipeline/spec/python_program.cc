// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/python_program.h"

#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace weir::pipeline {
namespace {

namespace fs = std::filesystem;

/// The folder that holds the package `weir`, beside the program or above it; "" when there is none.
std::string PackageFolder() {
  std::error_code failure;
  fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (int level = 0; level < 4 && !failure; ++level, folder = folder.parent_path()) {
    for (const fs::path& place : {folder, folder / "python"}) {
      if (fs::is_regular_file(place / "weir" / "_evaluate.py", failure)) return place.string();
      failure.clear();
    }
  }
  return "";
}

}  // namespace

std::string FindPython() {
  const std::string package = PackageFolder();
  const char* before = std::getenv("PYTHONPATH");
  if (!package.empty() && (before == nullptr || !StartsWith(before, package))) {
    ::setenv("PYTHONPATH", (before == nullptr ? package : package + ":" + before).c_str(), 1);
  }
  const char* chosen = std::getenv("WEIR_PYTHON");
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

}  // namespace weir::pipeline
