// SPDX-License-Identifier: Apache-2.0
//
// `_last_checkpoint`, the hint to the newest checkpoint (protocol sections "Last Checkpoint File",
// "Last Checkpoint File Schema", "JSON checksum").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// What the hint says of a checkpoint.
struct LastCheckpoint {
  int64_t version = 0;
  int64_t size = 0;  ///< Actions in the checkpoint.
  std::optional<int64_t> size_in_bytes;
  std::optional<int64_t> num_of_add_files;
  std::optional<int64_t> parts{};  ///< Of a multi-part checkpoint: 1 to kMaxParts.

  static constexpr int64_t kMaxParts = 10'000;
};

/// Parses the hint. nullopt when it is no hint at all, or its checksum does not match: a reader
/// then lists the log. Any input is safe.
std::optional<LastCheckpoint> ParseLastCheckpoint(std::string_view text);

/// The text, with its checksum.
std::string SerializeLastCheckpoint(const LastCheckpoint& hint);

/// Reads the hint of a log; nullopt when there is none that can be used.
std::optional<LastCheckpoint> ReadLastCheckpoint(const TableLog& log);

/// The MD5, in lower-case hex, of the canonical form of `document` without its top-level member
/// `checksum`. nullopt when an object has a member twice, which makes it invalid.
std::optional<std::string> JsonChecksum(const JsonValue& document);

}  // namespace weir::delta
