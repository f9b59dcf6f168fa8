// SPDX-License-Identifier: Apache-2.0
//
// The names of the files in `_delta_log` (protocol sections "Delta Log Entries", "Checkpoint Naming
// Scheme", "Log Compaction Files", "Version Checksum File").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::delta {

enum class LogFileKind {
  kCommit,               ///< {version}.json
  kClassicCheckpoint,    ///< {version}.checkpoint.parquet
  kMultiPartCheckpoint,  ///< {version}.checkpoint.{part}.{parts}.parquet
  kUuidCheckpoint,       ///< {version}.checkpoint.{uuid}.json or .parquet
  kCompaction,           ///< {version}.{end_version}.compacted.json
  kChecksum,             ///< {version}.crc
};

/// What a name says.
struct LogFileName {
  LogFileKind kind = LogFileKind::kCommit;
  int64_t version = 0;
  int64_t end_version = 0;  ///< Of a compaction; else equal to version.
  int64_t part = 0;         ///< Of a multi-part checkpoint, from 1.
  int64_t parts = 1;
  bool json = false;  ///< Whether a UUID-named checkpoint is JSON.
};

/// Reads a bare file name. nullopt for everything that readers must pass over: unknown and
/// temporary files, versions that are not 20 digits or beyond 63 bits, parts out of range.
std::optional<LogFileName> ParseLogFileName(std::string_view name);

/// `version` as the 20 digits that all names begin with. Requires version >= 0.
std::string VersionPrefix(int64_t version);

std::string CommitFileName(int64_t version);
std::string ChecksumFileName(int64_t version);
std::string ClassicCheckpointFileName(int64_t version);
std::string UuidCheckpointFileName(int64_t version, std::string_view uuid);

/// The bare name of the hint to the newest checkpoint.
inline constexpr std::string_view kLastCheckpointName = "_last_checkpoint";
/// The folder of sidecars, in `_delta_log`.
inline constexpr std::string_view kSidecarFolder = "_sidecars";

}  // namespace weir::delta
