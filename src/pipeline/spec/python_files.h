// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "pipeline/spec/definitions.h"
#include "pipeline/spec/pipeline_spec.h"

namespace weir::pipeline {

/// Runs the Python definition files in the user's Python ($WEIR_PYTHON, else python3 of the PATH),
/// all in one process, and appends what they define to `out`. Weir's package `weir` is taken from
/// beside the program, else from that Python. What the files print goes to stderr.
///
/// Errors (kInvalidArgument unless said): the class that a definition raised, or
/// WEIR_PYTHON_DEFINITION_FAILED, each with file and line; WEIR_PYTHON_NOT_RUN (kIo) when Python
/// could not be started or had no package `weir`.
Status LoadPythonFiles(const PipelineSpec& spec, const std::vector<std::filesystem::path>& files,
                       Definitions& out);

/// Appends the definitions of one JSON document, as weir._evaluate writes it. Errors: as above.
Status ReadPythonDefinitions(const PipelineSpec& spec, std::string_view json, Definitions& out);

}  // namespace weir::pipeline
