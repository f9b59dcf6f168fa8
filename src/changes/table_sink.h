// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "changes/change_stream.h"
#include "engine/session.h"

namespace weir::changes {

/// A Delta table that takes the batches of a stream, each in one commit with a `txn` action: the
/// consumer's name and the batch's last version; where more of that version is to come,
/// `NAME:part:VERSION` or `NAME:snapshot:VERSION` and the number of its files so far. The table
/// itself so tells how far the stream has come, and has each change exactly once wherever its
/// writer was killed. A consumer has one writer at a time: of two, one gets
/// DELTA_CONCURRENT_TRANSACTION.
class TableSink {
 public:
  /// `target`: a table's name, or a path or URL. Without `keys` it gets the changes as they are,
  /// with their three columns; with them it is kept equal to the followed table: rows are matched
  /// by these columns. A target that is not there is created with the first batch; new columns are
  /// added to it. Not thread-safe; must not outlive the session.
  TableSink(engine::Session& session, FeedTable target, std::string consumer,
            std::vector<std::string> keys);

  /// Errors: kInvalidArgument WEIR_TARGET_IS_SOURCE when the target is the followed table.
  Status CheckSource(const FeedTable& source) const;

  /// Where the stream goes on behind the last batch that the table has taken from this consumer;
  /// the beginning when there is none; nullopt when there is no table.
  Result<std::optional<Offset>> Next() const;

  /// Errors: those of the statements; kInvalidArgument WEIR_CHANGE_KEY_NOT_FOUND for keys that are
  /// no columns.
  Status Write(const FeedTable& source, const StreamBatch& batch);

 private:
  Result<bool> Exists() const;
  Result<std::vector<std::string>> FitTarget(const std::string& rows);
  Status Commit(const StreamBatch& batch, const std::string& statement);

  engine::Session& session_;
  const FeedTable target_;
  const std::string consumer_;
  const std::vector<std::string> keys_;
};

}  // namespace weir::changes
