// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/ticker.h"
#include "pipeline/runs/observer.h"

namespace weir::cli {

/// Shows a run on stderr: on a terminal a line for each flow at work, rewritten in place; at the
/// end a table of what each flow has done and the errors in full.
class RunProgress final : public pipeline::RunObserver {
 public:
  /// `quiet`: nothing is said of a run that had nothing to do.
  RunProgress(std::string pipeline, bool dry_run, bool on_terminal, bool quiet)
      : pipeline_(std::move(pipeline)),
        dry_run_(dry_run),
        on_terminal_(on_terminal),
        quiet_(quiet) {}

  void RunStarted(const std::string& run_id,
                  const std::vector<pipeline::FlowProgress>& flows) override;
  void FlowChanged(const pipeline::FlowProgress& flow) override;
  void BatchFinished(const pipeline::FlowProgress& flow,
                     const pipeline::BatchReport& batch) override;
  void RunFinished(const std::vector<pipeline::FlowProgress>& flows, double seconds) override;

 private:
  struct AtWork {
    pipeline::FlowProgress flow;
    int64_t backlog = 0;  ///< Files that wait behind the last batch.
    std::chrono::steady_clock::time_point since;
  };

  /// Rewrites the lines of the flows at work. With the lock held.
  void Redraw();
  static std::string Line(const AtWork& work);

  std::string pipeline_;
  bool dry_run_;
  bool on_terminal_;
  bool quiet_;

  std::mutex mutex_;
  std::map<std::string, AtWork> at_work_;  ///< By the flow's name.
  size_t queued_ = 0;
  size_t drawn_ = 0;              ///< Lines on the terminal.
  std::optional<Ticker> ticker_;  ///< Lets seconds go on between two batches; ends first.
};

}  // namespace weir::cli
