// SPDX-License-Identifier: Apache-2.0
//
// The Spark that runs the batches of `weir run --engine spark`. Weir keeps the definitions, the
// checkpoints, the plan of each batch and the tables' shapes; Spark reads what a batch takes and
// merges it, by the same rules and into the same tables (python/weir/_spark_engine).
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "pipeline/flows/batch.h"
#include "pipeline/graph/graph.h"

namespace weir::pipeline {

struct SparkOptions {
  std::string master;                 ///< local[4], spark://host:7077, yarn; empty: Spark's choice.
  std::string remote;                 ///< sc://host:15002: a Spark Connect server instead.
  std::vector<std::string> settings;  ///< key=value
};

/// A Python process with a Spark session, started by the first batch. Thread-safe: one batch at a
/// time. The process ends with this object.
class SparkEngine {
 public:
  /// `log`: where Spark's own messages go.
  SparkEngine(SparkOptions options, std::filesystem::path log);
  SparkEngine(const SparkEngine&) = delete;
  SparkEngine& operator=(const SparkEngine&) = delete;
  ~SparkEngine();

  /// Whether Spark can run the flow. Errors: kUnsupported WEIR_SPARK_FLOW_NOT_SUPPORTED for what
  /// only Weir's own engine does.
  static Status Check(const GraphFlow& flow);

  /// Runs one batch (see spark_requests.h). Errors: WEIR_SPARK_NOT_RUN when Spark cannot be
  /// started; the batch's own, by the names that Weir's engine gives them; WEIR_SPARK_FAILED with
  /// Spark's message for all else.
  Result<BatchCounts> Apply(const JsonValue& request);

 private:
  Status Start();
  Result<JsonValue> Exchange(const JsonValue& request);

  SparkOptions options_;
  std::filesystem::path log_;
  std::mutex mutex_;
  pid_t child_ = -1;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace weir::pipeline
