// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "delta/actions/actions.h"
#include "delta/commit/transaction.h"

namespace weir::delta {

/// What a caller has put into a transaction, before a version, timestamps and row ids are given.
struct PendingCommit {
  std::string txn_id;
  std::vector<Action> actions;  ///< Without commitInfo.
  ReadSet reads;
  std::optional<IsolationLevel> isolation;  ///< Unset: by the table.
  std::string operation = "WRITE";
  JsonValue operation_parameters = JsonValue::Object();
  std::map<std::string, int64_t> metrics;
  JsonValue extra_info = JsonValue::Object();
  std::optional<int64_t> read_version;  ///< Of the base; unset when the table is being created.

  bool ChangesProtocol() const { return FindLast<Protocol>() != nullptr; }
  bool ChangesMetadata() const { return FindLast<Metadata>() != nullptr; }

  /// Whether files are added or removed.
  bool HasFiles() const;

  /// The last action of a kind, or nullptr.
  template <typename T>
  const T* FindLast() const {
    const T* found = nullptr;
    for (const auto& action : actions) {
      if (const T* match = std::get_if<T>(&action)) found = match;
    }
    return found;
  }

  /// Nothing was read and no file action but adds is written: it cannot contradict anybody.
  bool IsBlindAppend() const;
};

/// What a new version builds upon: the state behind the newest version that is known, as far as a
/// commit needs it. Moves on with every winner.
struct TableTip {
  int64_t version = -1;  ///< -1: no table yet.
  Protocol protocol;
  Metadata metadata;
  int64_t timestamp_ms = 0;  ///< In-commit timestamp or modification time of `version`.
  int64_t row_id_high_water_mark = -1;
};

/// Whether a boolean table property is "true" (any case).
bool IsPropertyTrue(const Metadata& metadata, const std::string& key);

/// inCommitTimestamp is supported and switched on.
bool UsesInCommitTimestamps(const Protocol& protocol, const Metadata& metadata);

/// The form in which two paths of the log are compared: percent-decoded.
std::string CanonicalPath(std::string_view path_in_log);

}  // namespace weir::delta
