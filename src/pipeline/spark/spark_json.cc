// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spark/spark_json.h"

namespace weir::pipeline {

Result<JsonValue> DescribeForSpark(const std::vector<Column>& columns) {
  JsonValue json = JsonValue::Array();
  for (const Column& column : columns) {
    WEIR_ASSIGN_OR_RETURN(const SqlType type, ParseType(column.type));
    json.items().push_back(JsonValue::Array(
        {JsonValue::String(column.name), JsonValue::String(SparkType(StorableType(type)))}));
  }
  return json;
}

JsonValue DescribeExpectations(const Dataset& dataset) {
  JsonValue json = JsonValue::Array();
  for (const Expectation& expectation : dataset.expectations) {
    const char* violation = expectation.violation == Violation::kDropRow      ? "drop"
                            : expectation.violation == Violation::kFailUpdate ? "fail"
                                                                              : "warn";
    json.items().push_back(
        JsonValue::Object({{"dataset", JsonValue::String(dataset.name.ToString())},
                           {"name", JsonValue::String(expectation.name)},
                           {"condition", JsonValue::String(expectation.condition)},
                           {"violation", JsonValue::String(violation)}}));
  }
  return json;
}

}  // namespace weir::pipeline
