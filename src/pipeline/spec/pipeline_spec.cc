// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/pipeline_spec.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "storage/object_store.h"
#include "storage/remote_store.h"

namespace weir::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kSpecNames = {"spark-pipeline.yaml",
                                                        "spark-pipeline.yml"};
constexpr std::array<std::string_view, 7> kKeys = {
    "name", "storage", "catalog", "database", "schema", "configuration", "libraries"};

Error SpecError(const fs::path& file, std::string name, const std::string& message) {
  return InvalidArgument(std::move(name), file.string() + ": " + message);
}

Result<std::string> Text(const fs::path& file, const YAML::Node& node, const std::string& key) {
  if (node.IsScalar()) return node.Scalar();
  return Fail(
      SpecError(file, "PIPELINE_SPEC_DICT_VALUE_NOT_STRING", "`" + key + "` must be a text"));
}

Status CheckKeys(const fs::path& file, const YAML::Node& root) {
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) {
      return Fail(SpecError(file, "PIPELINE_SPEC_DICT_KEY_NOT_STRING", "every key must be a text"));
    }
    const std::string& key = entry.first.Scalar();
    if (std::ranges::find(kKeys, key) == kKeys.end()) {
      return Fail(SpecError(file, "PIPELINE_SPEC_UNEXPECTED_FIELD",
                            "unknown key `" + key +
                                "`; known are name, storage, catalog, database (or schema), " +
                                "configuration and libraries"));
    }
  }
  for (const char* key : {"name", "storage"}) {
    if (!root[key] || root[key].IsNull() || (root[key].IsScalar() && root[key].Scalar().empty())) {
      return Fail(SpecError(file, "PIPELINE_SPEC_MISSING_REQUIRED_FIELD",
                            "`" + std::string(key) + "` is missing"));
    }
  }
  return {};
}

Status ReadConfiguration(const YAML::Node& node, PipelineSpec& spec) {
  if (!node || node.IsNull()) return {};
  if (!node.IsMap()) {
    return Fail(SpecError(spec.file, "PIPELINE_SPEC_FIELD_NOT_DICT",
                          "`configuration` must hold key: value pairs"));
  }
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      return Fail(SpecError(spec.file, "PIPELINE_SPEC_DICT_KEY_NOT_STRING",
                            "a key of `configuration` is no text"));
    }
    WEIR_ASSIGN_OR_RETURN(spec.configuration[entry.first.Scalar()],
                          Text(spec.file, entry.second, "configuration." + entry.first.Scalar()));
  }
  return {};
}

/// A plain path, or a folder followed by "/**": what Spark allows.
Status CheckPattern(const PipelineSpec& spec, const std::string& pattern) {
  const std::string_view folder = EndsWith(pattern, "/**")
                                      ? std::string_view(pattern).substr(0, pattern.size() - 3)
                                      : std::string_view(pattern);
  if (folder.find_first_of("*?[{") == std::string_view::npos) return {};
  return Fail(SpecError(spec.file, "PIPELINE_SPEC_INVALID_GLOB_PATTERN",
                        "`" + pattern + "`: only a file's path, or a folder that ends in /**"));
}

Status ReadLibraries(const YAML::Node& node, PipelineSpec& spec) {
  if (!node || node.IsNull()) return {};
  if (!node.IsSequence()) {
    return Fail(SpecError(spec.file, "PIPELINE_SPEC_FIELD_NOT_DICT", "`libraries` must be a list"));
  }
  for (const auto& item : node) {
    if (!item.IsMap() || !item["glob"] || !item["glob"].IsMap()) {
      return Fail(SpecError(spec.file, "PIPELINE_SPEC_FIELD_NOT_DICT",
                            "each of `libraries` must be `- glob:` with `include:` below it"));
    }
    const YAML::Node include = item["glob"]["include"];
    if (!include) {
      return Fail(SpecError(spec.file, "PIPELINE_SPEC_MISSING_REQUIRED_FIELD",
                            "a library's `glob` has no `include`"));
    }
    WEIR_ASSIGN_OR_RETURN(std::string pattern, Text(spec.file, include, "libraries.glob.include"));
    WEIR_RETURN_IF_ERROR(CheckPattern(spec, pattern));
    spec.libraries.push_back(std::move(pattern));
  }
  return {};
}

/// A local folder from a path or a file: URI.
Result<fs::path> LocalFolder(const PipelineSpec& spec, const std::string& key, std::string text) {
  if (StartsWith(text, "file:")) {
    text = text.substr(5);
    while (StartsWith(text, "//")) text.erase(0, 1);
  } else if (text.find("://") != std::string::npos) {
    return Fail(
        SpecError(spec.file, "PIPELINE_STORAGE_ROOT_INVALID",
                  "`" + key + "` is `" + text + "`: expected a local folder or a file:// URI"));
  }
  const fs::path path = text;
  return (path.is_absolute() ? path : spec.root / path).lexically_normal();
}

Status SetWarehouse(PipelineSpec& spec) {
  for (const std::string& key :
       {std::string("weir.warehouse"), "spark.sql.catalog." + spec.catalog + ".warehouse",
        std::string("spark.sql.warehouse.dir")}) {
    const auto found = spec.configuration.find(key);
    if (found == spec.configuration.end()) continue;
    if (storage::IsRemoteLocation(found->second)) {
      spec.warehouse = storage::NormalizeLocation(found->second);
      return {};
    }
    WEIR_ASSIGN_OR_RETURN(spec.warehouse, LocalFolder(spec, key, found->second));
    return {};
  }
  spec.warehouse = spec.root / "warehouse";
  return {};
}

Result<PipelineSpec> ReadRoot(const fs::path& file, const YAML::Node& root) {
  if (!root.IsMap()) {
    return Fail(SpecError(file, "WEIR_PIPELINE_SPEC_NOT_YAML", "expected keys and values"));
  }
  WEIR_RETURN_IF_ERROR(CheckKeys(file, root));
  PipelineSpec spec;
  spec.file = file;
  spec.root = file.parent_path();
  WEIR_ASSIGN_OR_RETURN(spec.name, Text(file, root["name"], "name"));
  WEIR_ASSIGN_OR_RETURN(std::string storage, Text(file, root["storage"], "storage"));
  WEIR_ASSIGN_OR_RETURN(spec.storage, LocalFolder(spec, "storage", std::move(storage)));
  if (root["catalog"]) {
    WEIR_ASSIGN_OR_RETURN(spec.catalog, Text(file, root["catalog"], "catalog"));
  }
  const char* database = root["database"] ? "database" : "schema";
  if (root[database]) {
    WEIR_ASSIGN_OR_RETURN(spec.database, Text(file, root[database], database));
  }
  // Spark's database `default` lies in the warehouse's own folder, as DuckDB's schema `main` does
  // here.
  if (spec.database == "default") spec.database = "main";
  WEIR_RETURN_IF_ERROR(ReadConfiguration(root["configuration"], spec));
  WEIR_RETURN_IF_ERROR(ReadLibraries(root["libraries"], spec));
  WEIR_RETURN_IF_ERROR(SetWarehouse(spec));
  return spec;
}

bool IsDefinition(const fs::path& file) {
  return file.extension() == ".sql" || file.extension() == ".py";
}

Status AddFolder(const fs::path& folder, std::set<fs::path>& files) {
  std::error_code failure;
  for (auto it = fs::recursive_directory_iterator(folder, failure); !failure && it != fs::end(it);
       it.increment(failure)) {
    const std::string name = it->path().filename().string();
    if (StartsWith(name, ".") || StartsWith(name, "__")) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && IsDefinition(it->path())) {
      files.insert(it->path());
    }
  }
  if (!failure) return {};
  return Fail(
      NotFound("PIPELINE_SPEC_FILE_DOES_NOT_EXIST", folder.string() + ": " + failure.message()));
}

}  // namespace

Result<fs::path> FindSpec(const fs::path& start) {
  std::error_code failure;
  const fs::path first = fs::absolute(start, failure).lexically_normal();
  for (fs::path folder = first;; folder = folder.parent_path()) {
    std::vector<fs::path> found;
    for (std::string_view name : kSpecNames) {
      if (fs::is_regular_file(folder / name, failure)) found.push_back(folder / name);
    }
    if (found.size() > 1) {
      return Fail(InvalidArgument(
          "MULTIPLE_PIPELINE_SPEC_FILES_FOUND",
          folder.string() + " holds spark-pipeline.yaml and spark-pipeline.yml; keep one"));
    }
    if (found.size() == 1) return found.front();
    if (folder == folder.root_path() || folder == folder.parent_path()) break;
  }
  return Fail(NotFound("PIPELINE_SPEC_FILE_NOT_FOUND",
                       "no spark-pipeline.yaml or spark-pipeline.yml in " + first.string() +
                           " or above it; name one with --spec, or " +
                           "make a project with `weir init NAME`"));
}

Result<PipelineSpec> LoadSpec(const fs::path& file) {
  std::error_code failure;
  const fs::path path = fs::absolute(file, failure).lexically_normal();
  if (!fs::is_regular_file(path, failure)) {
    return Fail(NotFound("PIPELINE_SPEC_FILE_DOES_NOT_EXIST", path.string() + " does not exist"));
  }
  try {
    return ReadRoot(path, YAML::LoadFile(path.string()));
  } catch (const YAML::Exception& problem) {
    return Fail(SpecError(path, "WEIR_PIPELINE_SPEC_NOT_YAML", problem.what()));
  }
}

Result<std::vector<fs::path>> DefinitionFiles(const PipelineSpec& spec) {
  std::set<fs::path> files;
  for (const std::string& pattern : spec.libraries) {
    const bool folder = EndsWith(pattern, "/**");
    const fs::path path =
        (spec.root / (folder ? pattern.substr(0, pattern.size() - 3) : pattern)).lexically_normal();
    if (folder) {
      WEIR_RETURN_IF_ERROR(AddFolder(path, files));
      continue;
    }
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) {
      return Fail(NotFound("PIPELINE_SPEC_FILE_DOES_NOT_EXIST",
                           spec.file.string() + ": library " + path.string() + " does not exist"));
    }
    if (!IsDefinition(path)) {
      return Fail(InvalidArgument("PIPELINE_UNSUPPORTED_DEFINITIONS_FILE_EXTENSION",
                                  path.string() + ": definition files end in .sql or .py"));
    }
    files.insert(path);
  }
  return std::vector<fs::path>(files.begin(), files.end());
}

}  // namespace weir::pipeline
