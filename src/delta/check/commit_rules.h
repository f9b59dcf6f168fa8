// SPDX-License-Identifier: Apache-2.0
//
// What must hold for one commit, given the table before and behind it. Each rule is a function and
// a line in the table of commit_rules.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "delta/actions/actions.h"
#include "delta/check/finding.h"
#include "delta/check/table_replay.h"

namespace weir::delta {

struct CommitView {
  int64_t version = 0;
  std::string file;  ///< Full path of the commit.
  const std::vector<Action>& actions;
  std::optional<Metadata> metadata_before;  ///< Unset for the first commit.
  std::optional<int64_t> timestamp_before;  ///< The in-commit timestamp of version - 1.
  /// The logical files that it removes and the version before did not have.
  std::vector<std::string> unknown_removes;
  const TableReplay& after;
};

struct CommitRule {
  const char* name;
  void (*check)(const CommitView& commit, Findings& findings);
};

std::span<const CommitRule> CommitRules();

}  // namespace weir::delta
