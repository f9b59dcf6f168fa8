// SPDX-License-Identifier: Apache-2.0
//
// Goal: no spec of a pipeline, no feed.yml and no answer of a definition program harms the reader.
// Method: the first byte of the input chooses what the rest is taken for; errors are of the kinds
// that are promised.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "feed/config/feed_project.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/spec/python_files.h"

namespace {

namespace fs = std::filesystem;

void Check(bool holds) {
  if (!holds) std::abort();
}

// A folder of this process, as each fuzzer runs many.
const fs::path& Folder() {
  static const fs::path folder = [] {
    fs::path path = fs::temp_directory_path() / ("weir-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path);
    return path;
  }();
  return folder;
}

fs::path WriteFile(const std::string& name, const std::string& text) {
  const fs::path file = Folder() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) {
    auto spec = weir::pipeline::LoadSpec(WriteFile("spark-pipeline.yml", text));
    if (spec) Check(spec->storage.is_absolute() && !spec->name.empty());
    if (!spec) Check(spec.error().kind == weir::ErrorKind::kInvalidArgument);
  } else if (data[0] % 3 == 1) {
    auto project = weir::feed::LoadProject(WriteFile("feed.yml", text));
    if (!project) Check(project.error().kind == weir::ErrorKind::kInvalidArgument);
  } else {
    weir::pipeline::Definitions definitions;
    auto read = weir::pipeline::ReadPythonDefinitions({}, text, definitions);
    if (!read) Check(!read.error().message.empty() || !read.error().name.empty());
  }
  return 0;
}
