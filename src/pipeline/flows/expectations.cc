// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/expectations.h"

#include "pipeline/flows/sql_text.h"
#include "pipeline/spec/query_text.h"

namespace weir::pipeline {
namespace {

std::string Condition(const Expectation& expectation) {
  const auto rewritten = RewriteExpression(expectation.condition);
  return rewritten ? *rewritten : expectation.condition;
}

}  // namespace

Result<std::vector<ExpectationCount>> CountExpectations(engine::Session& session,
                                                        const Dataset& dataset,
                                                        const std::string& query) {
  std::vector<ExpectationCount> counts;
  if (dataset.expectations.empty()) return counts;
  const std::string filters = Join(dataset.expectations, ", ", [](const Expectation& expectation) {
    return "count(*) FILTER (WHERE " + Condition(expectation) + ")";
  });
  const std::string place =
      dataset.origin.ToString() + ": expectations of `" + dataset.name.ToString() + "`";
  auto rows = session.Query("SELECT count(*), " + filters + " FROM (" + query + ")");
  if (!rows) return Fail(rows.error().WithContext(place));
  WEIR_RETURN_IF_ERROR((*rows)->NextBatch());
  const int64_t all = (*rows)->Int64(0, 0);
  for (size_t i = 0; i < dataset.expectations.size(); ++i) {
    const Expectation& expectation = dataset.expectations[i];
    const int64_t passed = (*rows)->Int64(i + 1, 0);
    if (expectation.violation == Violation::kFailUpdate && passed < all) {
      return Fail(ConstraintViolated(
          "EXPECTATION_VIOLATION",
          place + ": " + std::to_string(all - passed) + " of " + std::to_string(all) +
              " rows break `" + expectation.name + "` (" + expectation.condition +
              "), which is ON VIOLATION FAIL UPDATE; nothing of the batch was applied",
          "22000"));
    }
    counts.push_back(
        {dataset.name.ToString(), expectation.name, expectation.violation, passed, all - passed});
  }
  return counts;
}

std::string KeepExpected(const Dataset& dataset, const std::string& query) {
  std::string conditions;
  for (const Expectation& expectation : dataset.expectations) {
    if (expectation.violation != Violation::kDropRow) continue;
    conditions += (conditions.empty() ? "(" : " AND (") + Condition(expectation) + ")";
  }
  return conditions.empty() ? query : "SELECT * FROM (" + query + ") WHERE " + conditions;
}

}  // namespace weir::pipeline
