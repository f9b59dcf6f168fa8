// SPDX-License-Identifier: Apache-2.0
//
// What a check of a table finds, and what can be done about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir::delta {

/// What `weir check --repair` does about a finding. None of it can lose a row that a reader of the
/// table would still get.
enum class RepairKind {
  kNone,            ///< Nothing is safe; the remedy is for a person.
  kMissingFile,     ///< The reference to a file that is gone is removed (FSCK).
  kStatistics,      ///< The file is rewritten, with statistics that are true.
  kChecksum,        ///< The .crc is written anew, or deleted where its version cannot be built.
  kCheckpoint,      ///< The checkpoint is deleted and written anew from what stands below it.
  kLastCheckpoint,  ///< `_last_checkpoint` is pointed at the newest checkpoint that there is.
  kIceberg,         ///< Metadata of Iceberg is written anew.
  kCompaction,      ///< The compaction is deleted; the commits say the same.
};

struct Finding {
  std::string rule;                ///< The name of the rule that was broken, e.g. "checkpoint".
  std::optional<int64_t> version;  ///< Unset for what is not of one version.
  std::string file;     ///< Full path, or, for kMissingFile and kStatistics, as in the log.
  std::string problem;  ///< What was found and what was expected.
  std::string remedy;   ///< What to do.
  RepairKind repair = RepairKind::kNone;
  bool repaired = false;
};

/// Collects findings. Not thread-safe.
class Findings {
 public:
  void Add(std::string rule, std::optional<int64_t> version, std::string file, std::string problem,
           std::string remedy, RepairKind repair = RepairKind::kNone) {
    list_.push_back({std::move(rule), version, std::move(file), std::move(problem),
                     std::move(remedy), repair, false});
  }
  const std::vector<Finding>& list() const { return list_; }
  std::vector<Finding>& list() { return list_; }

 private:
  std::vector<Finding> list_;
};

}  // namespace weir::delta
