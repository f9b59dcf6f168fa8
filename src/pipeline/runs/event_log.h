// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pipeline/runs/observer.h"

namespace weir::pipeline {

/// Writes what happens in runs as JSON lines to <storage>/events/<start>-<run>.jsonl, one object a
/// line:
/// {"timestamp", "run_id", "event": run_started | flow_progress | batch | run_finished, "level",
/// ...}. `flow_progress` has flow, table, state and, when it failed, error; `batch` and the end of
/// a flow have the counts. A log that cannot be written does not stop the run.
class EventLog final : public RunObserver {
 public:
  /// `only_busy`: a run in which no flow has a batch and none fails leaves no file.
  EventLog(std::filesystem::path storage, bool only_busy)
      : storage_(std::move(storage)), only_busy_(only_busy) {}

  void RunStarted(const std::string& run_id, const std::vector<FlowProgress>& flows) override;
  void FlowChanged(const FlowProgress& flow) override;
  void BatchFinished(const FlowProgress& flow, const BatchReport& batch) override;
  void RunFinished(const std::vector<FlowProgress>& flows, double seconds) override;

  /// Where the log of this run is; empty before it started.
  const std::filesystem::path& file() const { return file_; }

 private:
  void Write(const std::string& event, const std::string& members);

  void Open();

  std::filesystem::path storage_;
  bool only_busy_;
  std::string waiting_;  ///< Lines that are written when the run turns out to be busy.
  std::filesystem::path file_;
  std::string run_id_;
  std::ofstream out_;
};

}  // namespace weir::pipeline
