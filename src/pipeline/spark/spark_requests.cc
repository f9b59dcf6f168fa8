// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spark/spark_requests.h"

#include "pipeline/spark/spark_json.h"

namespace weir::pipeline {
namespace {

JsonValue Names(const std::vector<std::string>& names) {
  JsonValue json = JsonValue::Array();
  for (const std::string& name : names) json.items().push_back(JsonValue::String(name));
  return json;
}

void AddBatch(JsonValue& request, const BatchId& batch) {
  request.Set("batch", JsonValue::Int(batch.number));
  request.Set("application", JsonValue::String(batch.application));
}

}  // namespace

Result<JsonValue> AutoCdcRequest(TableStore& store, const GraphFlow& flow, const AutoCdcPlan& plan,
                                 const BatchId& batch, JsonValue inputs) {
  const AutoCdcClauses& clauses = flow.flow.auto_cdc;
  WEIR_ASSIGN_OR_RETURN(const std::string target, store.Location(plan.target));
  WEIR_ASSIGN_OR_RETURN(const std::string auxiliary, store.Location(plan.auxiliary));
  WEIR_ASSIGN_OR_RETURN(JsonValue columns, DescribeForSpark(plan.columns));
  JsonValue request = JsonValue::Object(
      {{"kind", JsonValue::String("auto_cdc")},
       {"inputs", std::move(inputs)},
       {"from",
        JsonValue::String(flow.query.spark_sql.substr(std::string_view("SELECT * ").size()))},
       {"target", JsonValue::String(target)},
       {"auxiliary", JsonValue::String(auxiliary)},
       {"table", JsonValue::String(plan.target.ToString())},
       {"scd_type", JsonValue::Int(plan.scd_type)},
       {"columns", std::move(columns)},
       {"keys", Names(plan.keys)},
       {"sequence", JsonValue::String(clauses.sequence_by)},
       {"sequence_type", JsonValue::String(SparkType(plan.sequence_type))},
       {"delete_when", JsonValue::String(clauses.delete_when)},
       {"tracked", Names(plan.tracked)}});
  AddBatch(request, batch);
  return request;
}

Result<JsonValue> QueryRequest(TableStore& store, const GraphFlow& flow, const GraphDataset& target,
                               const std::vector<Column>& columns, const BatchId* batch,
                               JsonValue inputs) {
  WEIR_ASSIGN_OR_RETURN(const std::string location, store.Location(target.full_name));
  WEIR_ASSIGN_OR_RETURN(JsonValue described, DescribeForSpark(columns));
  JsonValue request =
      JsonValue::Object({{"kind", JsonValue::String(batch == nullptr ? "replace" : "append")},
                         {"inputs", std::move(inputs)},
                         {"sql", JsonValue::String(flow.query.spark_sql)},
                         {"target", JsonValue::String(location)},
                         {"table", JsonValue::String(target.full_name.ToString())},
                         {"columns", std::move(described)},
                         {"expectations", DescribeExpectations(target.declared)}});
  if (batch != nullptr) AddBatch(request, *batch);
  return request;
}

}  // namespace weir::pipeline
