// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/observer.h"

namespace weir::pipeline {

std::string_view ToString(FlowState state) {
  switch (state) {
    case FlowState::kQueued:
      return "QUEUED";
    case FlowState::kRunning:
      return "RUNNING";
    case FlowState::kCompleted:
      return "COMPLETED";
    case FlowState::kFailed:
      return "FAILED";
    case FlowState::kSkipped:
      return "SKIPPED";
    case FlowState::kExcluded:
      return "EXCLUDED";
    case FlowState::kStopped:
      return "STOPPED";
  }
  return "";
}

}  // namespace weir::pipeline
