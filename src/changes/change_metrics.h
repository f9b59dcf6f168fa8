// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "changes/feed_source.h"

namespace weir::changes {

/// The query for how much a range has changed: a row for each version and change type (version,
/// timestamp, operation, change_type, rows, bytes, files, the most partitions that one commit
/// touched, commits, files of them that were not read), then, with a NULL version,
/// the sums of the range by operation and change type. `options` as for FeedCall.
std::string MetricsQuery(const FeedTable& table, const FeedRange& range,
                         const std::string& options);

}  // namespace weir::changes
