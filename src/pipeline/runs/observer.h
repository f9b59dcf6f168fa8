// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "pipeline/flows/batch.h"

namespace weir::pipeline {

enum class FlowState {
  kQueued,
  kRunning,
  kCompleted,
  kFailed,
  kSkipped,   ///< Something that it reads has failed.
  kExcluded,  ///< Not selected by --refresh.
  kStopped,   ///< The run was asked to end before this flow was done.
};

/// "QUEUED", "RUNNING", ... as Spark's event log spells them.
std::string_view ToString(FlowState state);

/// A flow of a run, so far.
struct FlowProgress {
  std::string flow;
  std::string table;
  FlowState state = FlowState::kQueued;
  bool full_refresh = false;
  int64_t batches = 0;
  int64_t files = 0;
  BatchCounts counts;
  double seconds = 0;
  std::optional<Error> error;
};

/// One finished batch.
struct BatchReport {
  int64_t batch = 0;
  int64_t files = 0;
  int64_t backlog = 0;  ///< Files that were there and wait for the next batch.
  BatchCounts counts;
  double seconds = 0;
};

/// Hears of everything that happens in a run: one call at a time, from the threads of the flows.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// The flows of the run in their order, before the first begins.
  virtual void RunStarted(const std::string& run_id, const std::vector<FlowProgress>& flows) = 0;
  virtual void FlowChanged(const FlowProgress& flow) = 0;
  virtual void BatchFinished(const FlowProgress& flow, const BatchReport& batch) = 0;
  virtual void RunFinished(const std::vector<FlowProgress>& flows, double seconds) = 0;
};

}  // namespace weir::pipeline
