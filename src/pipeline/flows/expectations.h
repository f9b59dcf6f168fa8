// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// What an expectation has found in some rows. Failed rows were dropped or only counted, as its
/// definition says.
struct ExpectationCount {
  std::string dataset;
  std::string name;
  Violation violation = Violation::kWarn;
  int64_t passed = 0;
  int64_t failed = 0;
};

/// Counts, over the rows of `query`, those that break the dataset's expectations; NULL breaks one.
/// Errors: kConstraintViolated EXPECTATION_VIOLATION when one that must hold is broken;
/// kInvalidArgument when a condition does not bind or is no boolean.
Result<std::vector<ExpectationCount>> CountExpectations(engine::Session& session,
                                                        const Dataset& dataset,
                                                        const std::string& query);

/// `query` without the rows that break an expectation ON VIOLATION DROP ROW.
std::string KeepExpected(const Dataset& dataset, const std::string& query);

}  // namespace weir::pipeline
