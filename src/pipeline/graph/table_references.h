// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// The tables and views that a query names anywhere, each once, without those that its own WITH
/// defines. Errors: kInvalidArgument PARSE_SYNTAX_ERROR with DuckDB's message.
Result<std::vector<QualifiedName>> TableReferences(engine::Session& session,
                                                   const std::string& sql);

}  // namespace weir::pipeline
