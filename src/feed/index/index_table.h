// SPDX-License-Identifier: Apache-2.0
//
// The slim index LAKE.<Source>_<Schema>_<Table>: for each key that the feed holds as present its
// KeyHash, the RowHash and date of its newest version, and the delta column's value. A Delta table
// in the warehouse, one commit a run.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/index/compare.h"

namespace weir::feed {

class IndexTable {
 public:
  IndexTable(const FeedProject& project, const UsedTable& table)
      : project_(project), table_(table) {}

  Result<bool> Exists(engine::Session& session) const;

  /// Makes the index: empty, or - when there are feed files besides `own_file` - with what the feed
  /// says is present, by the pattern its readers use. Returns whether there were any.
  Result<bool> Make(engine::Session& session, const Stage& stage,
                    const std::string& own_file) const;

  /// What the index knows. The index must exist.
  Result<KnownKeys> Known(engine::Session& session, const Stage& stage, bool resend) const;

  /// Brings the index in line with the mutations, in one commit; none when there is nothing to do.
  Status Apply(engine::Session& session, const Stage& stage, const Mutations& mutations,
               LoadType load_type, int64_t etl_date) const;

 private:
  /// The columns, for CREATE TABLE.
  std::string Definition(const Stage& stage) const;
  std::string name() const { return InWarehouse(project_.schema_lake, table_.id()); }

  const FeedProject& project_;
  const UsedTable& table_;
};

}  // namespace weir::feed
