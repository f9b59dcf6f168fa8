// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "pipeline/runs/observer.h"

namespace weir::cli {

/// Shows a run on stderr: one line a flow, rewritten in place on a terminal, else printed when a
/// flow ends; at the end a table of what each flow has done and the errors in full. Hears of the
/// run on its thread.
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
  void ShowLine(const pipeline::FlowProgress& flow, bool last);

  std::string pipeline_;
  bool dry_run_;
  bool on_terminal_;
  bool quiet_;
};

}  // namespace weir::cli
