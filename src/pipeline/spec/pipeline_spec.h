// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::pipeline {

/// The file `spark-pipeline.yml` of a project, with places made absolute. Keys, as in Spark's
/// declarative pipelines: name*, storage*, catalog, database (or schema), configuration, libraries.
struct PipelineSpec {
  std::filesystem::path file;
  std::filesystem::path root;  ///< The folder of `file`; relative paths start here.
  std::string name;
  std::filesystem::path storage;    ///< Checkpoints, event log and lock.
  std::filesystem::path warehouse;  ///< The tables: see WarehouseOf.
  std::string catalog = "lake";
  std::string database = "main";
  std::map<std::string, std::string> configuration;
  std::vector<std::string> libraries;  ///< Paths or folders that end in "/**".
};

/// The spec in `start` or the nearest folder above it: spark-pipeline.yaml or spark-pipeline.yml.
/// Errors: PIPELINE_SPEC_FILE_NOT_FOUND; MULTIPLE_PIPELINE_SPEC_FILES_FOUND for both in one folder.
Result<std::filesystem::path> FindSpec(const std::filesystem::path& start);

/// Reads a spec. `storage` is a local path, absolute or relative to the spec, or a file: URI. The
/// warehouse is configuration `weir.warehouse`, else `spark.sql.catalog.<catalog>.warehouse`, else
/// `spark.sql.warehouse.dir`, else the folder `warehouse` beside the spec.
///
/// Errors (kInvalidArgument unless said): PIPELINE_SPEC_FILE_DOES_NOT_EXIST (kNotFound),
/// PIPELINE_SPEC_UNEXPECTED_FIELD, PIPELINE_SPEC_MISSING_REQUIRED_FIELD,
/// PIPELINE_SPEC_FIELD_NOT_DICT, PIPELINE_SPEC_DICT_KEY_NOT_STRING,
/// PIPELINE_SPEC_DICT_VALUE_NOT_STRING, PIPELINE_SPEC_INVALID_GLOB_PATTERN,
/// PIPELINE_STORAGE_ROOT_INVALID, and WEIR_PIPELINE_SPEC_NOT_YAML for a file that is no YAML
/// mapping.
Result<PipelineSpec> LoadSpec(const std::filesystem::path& file);

/// The definition files that `libraries` name, sorted, each once. A folder's files are taken when
/// they end in .sql or .py. Errors: kNotFound PIPELINE_SPEC_FILE_DOES_NOT_EXIST for a library that
/// is not there; PIPELINE_UNSUPPORTED_DEFINITIONS_FILE_EXTENSION for another kind of file.
Result<std::vector<std::filesystem::path>> DefinitionFiles(const PipelineSpec& spec);

}  // namespace weir::pipeline
