// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"

namespace weir::feed {

struct FoldReport {
  int64_t rows = 0;   ///< Keys that the files had news of.
  int64_t files = 0;  ///< Files read.
  bool anew = false;  ///< Everything was folded again.
};

/// Folds the feed into a Delta table of the warehouse (`t` or `schema.t`): the business columns,
/// KeyHash, RowHash and YresDateStart of every key that is present. Only files that came since the
/// last fold are read; a repeat, also after a stop half way, changes
/// nothing. When a file that was folded has been replaced or is gone (its run was repeated), or a
/// column has changed its type, everything is folded anew.
///
/// Errors: kInvalidArgument WEIR_FEED_FOLD_ADDITIONAL (ADDITIONAL has no versions to fold),
/// WEIR_FEED_NOT_LOADED, WEIR_FEED_FOLD_TARGET (a table that is no fold of this feed).
Result<FoldReport> FoldFeed(engine::Database& database, const FeedProject& project,
                            const UsedTable& table, const std::string& target);

}  // namespace weir::feed
