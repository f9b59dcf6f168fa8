// SPDX-License-Identifier: Apache-2.0
//
// The version checksum (`{version}.crc`, protocol section "Version Checksum File"): what the table
// weighs at a version, written beside the commit so that a log that was tampered with is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// The members of a .crc that are compared with the state of a snapshot.
struct VersionChecksum {
  int64_t table_size_bytes = 0;
  int64_t num_files = 0;
  std::optional<int64_t> in_commit_timestamp;
  std::optional<int64_t> num_deleted_records;
  std::optional<int64_t> num_deletion_vectors;
  Protocol protocol;
  Metadata metadata;
};

/// Parses a .crc; unknown members are ignored.
/// Errors: kCorruptLog DELTA_CHECKSUM_MALFORMED with what was found. Any input is safe.
Result<VersionChecksum> ParseVersionChecksum(std::string_view text);

/// What differs between the checksum and the snapshot, one sentence each; empty when they agree.
std::vector<std::string> CompareWithChecksum(const VersionChecksum& checksum,
                                             const Snapshot& snapshot);

/// The text of the .crc of this snapshot, with the members Spark writes.
std::string SerializeVersionChecksum(const Snapshot& snapshot,
                                     const std::optional<std::string>& txn_id);

/// Writes the .crc of the snapshot's version after its commit; an existing one stays as it is (and
/// that is no error). `txn_id` is the one of the commit. Errors: kIo, kStateUnknown of the store.
Status WriteChecksum(const Snapshot& snapshot, const std::optional<std::string>& txn_id);

}  // namespace weir::delta
