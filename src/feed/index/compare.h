// SPDX-License-Identifier: Apache-2.0
//
// The comparison that the index, the history and the feed are all made from: what is staged against
// what is known of each key.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/load/stage.h"

namespace weir::feed {

struct MutationCounts {
  int64_t inserted = 0;
  int64_t updated = 0;
  int64_t deleted = 0;

  int64_t total() const { return inserted + updated + deleted; }
};

/// What a run changes. Rows of `table`: the business columns (NULL for D), KeyHash, RowHash (of the
/// last version for D), YresAction, and YresDelta, the delta column's value (when there is one).
/// YresAction N: nothing to send, but the delta value has moved.
struct Mutations {
  std::string table;
  MutationCounts counts;
  bool has_delta = false;
  bool moves_delta = false;  ///< There are N rows.
};

/// What is known of the keys: a query that gives KeyHash, RowHash, and YresDelta if the table has a
/// delta column. Each KeyHash once.
struct KnownKeys {
  std::string query;
  /// Whether rows count as new whatever their hash says, because nobody knows what was sent last.
  bool resend = false;
};

/// Compares the stage with `known` by the rules of the load type and keeps the outcome in a table
/// called `name` in the engine's memory.
Result<Mutations> Compare(engine::Session& session, const UsedTable& table, const Stage& stage,
                          LoadType load_type, const KnownKeys& known, const std::string& name);

/// Whether loads of this type find out that rows are gone.
bool DetectsDeletes(LoadType type);

}  // namespace weir::feed
