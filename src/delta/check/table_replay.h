// SPDX-License-Identifier: Apache-2.0
//
// The state of a table by action reconciliation, once more and as plainly as the protocol words it:
// a map that every commit updates. It shares nothing with Snapshot, which it is there to check.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "delta/actions/actions.h"
#include "delta/checkpoint/load_checkpoint.h"

namespace weir::delta {

/// The identity of a logical file: its decoded path and its deletion vector.
std::string LogicalFileName(const std::string& path,
                            const std::optional<DeletionVectorDescriptor>& vector);

/// Whether two files' partition values are the same; one that is not named is NULL.
bool SamePartition(const PartitionValues& a, const PartitionValues& b);

struct TableReplay {
  int64_t version = -1;
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;
  std::map<std::string, AddFile> files;  ///< By LogicalFileName.
  std::map<std::string, SetTransaction> transactions;
  std::map<std::string, DomainMetadata> domains;  ///< Live ones.
  std::optional<int64_t> in_commit_timestamp;

  static TableReplay Of(int64_t version, const CheckpointState& checkpoint);

  /// Applies the commit behind `version`.
  void Apply(const std::vector<Action>& actions);

  /// How many live files have this path (decoded): more than one only with several vectors.
  size_t FilesAt(const std::string& path) const;
  int64_t TotalSize() const;
};

/// What differs between two states of one version, one sentence each, at most a handful. `a` and
/// `b` are what to call them.
std::vector<std::string> Differences(const TableReplay& x, const std::string& a,
                                     const TableReplay& y, const std::string& b);

}  // namespace weir::delta
