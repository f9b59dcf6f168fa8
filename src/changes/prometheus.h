// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "changes/feed_source.h"
#include "engine/session.h"

namespace weir::changes {

/// How much a range has changed, and how far consumers are behind the table, in the text form that
/// Prometheus scrapes: weir_changes_rows, _bytes, _files (by operation and change type),
/// weir_changes_commits and _skipped_files (by operation), weir_changes_latest_version,
/// weir_changes_consumer_lag_versions and _lag_seconds (by consumer). `offsets` is the folder of
/// the consumers' offsets. Errors: those of table_change_metrics and table_change_lag.
Result<std::string> PrometheusText(engine::Session& session, const FeedTable& table,
                                   const FeedRange& range, const std::string& options,
                                   const std::string& offsets);

}  // namespace weir::changes
