// SPDX-License-Identifier: Apache-2.0
//
// Reads the JSON files of a log (commits, compactions, JSON checkpoints) for a snapshot. Add and
// remove actions, of which there may be hundreds of thousands, go straight from the parser into
// columns; every line that is not plainly one of them goes through ParseActions, which alone judges
// what is malformed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/file_replay.h"

namespace weir::delta {

/// The content of one JSON file, sorted for the replay.
struct DeltaContent {
  /// In the order of the lines; a large file is cut into several.
  std::vector<FileActions> files;
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;
  std::vector<SetTransaction> transactions;
  std::vector<DomainMetadata> domains;
  std::optional<CommitInfo> commit_info;
  std::vector<CheckpointMetadata> checkpoint_metadata;
  std::vector<Sidecar> sidecars;
};

/// Parses the text of `file`, large ones on several threads.
/// Errors: those of ParseActions; kCorruptLog DELTA_LOG_FILE_MALFORMED also for two protocol or two
/// metaData actions in one file.
Result<DeltaContent> ReadDelta(const std::string& file, std::string text);

}  // namespace weir::delta
