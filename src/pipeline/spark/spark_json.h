// SPDX-License-Identifier: Apache-2.0
//
// Pieces of what the Spark engine is told (spark_engine.h), in JSON.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "pipeline/flows/sql_type.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// [[name, Spark's type]...]. Errors: WEIR_TYPE_NOT_UNDERSTOOD.
Result<JsonValue> DescribeForSpark(const std::vector<Column>& columns);

/// [{"dataset", "name", "condition", "violation": "warn" | "drop" | "fail"}...]
JsonValue DescribeExpectations(const Dataset& dataset);

}  // namespace weir::pipeline
