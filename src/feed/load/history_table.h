// SPDX-License-Identifier: Apache-2.0
//
// The history HIS.<Source>_<Schema>_<Table> of a table on DWH: every version of every key with
// ETL_Date, ETL_EndDate (2999-01-01 while open) and IsCurrent, by which the table is partitioned,
// so that the work of a load does not grow with the closed versions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/index/compare.h"

namespace weir::feed {

constexpr const char* kHistorySchema = "HIS";

class HistoryTable {
 public:
  explicit HistoryTable(const UsedTable& table) : table_(table) {}

  Result<bool> Exists(engine::Session& session) const;

  /// Makes the table, or gives it the columns that the source has got since. A column whose type
  /// has changed gets the type that holds both.
  Status Prepare(engine::Session& session, const Stage& stage) const;

  /// Of the several open rows of a key, which ADDITIONAL loads leave, makes versions one after the
  /// other, as the read objects of a table on DL alone show them: each ends when the next begins.
  Status MakeVersions(engine::Session& session) const;

  /// What the open versions know, of which a key has one (MakeVersions). The table must exist.
  KnownKeys Known(const Stage& stage, bool resend) const;

  /// Closes and opens versions in one commit. OVERWRITE keeps no closed ones.
  Status Apply(engine::Session& session, const Stage& stage, const Mutations& mutations,
               LoadType load_type, bool resend, int64_t etl_date) const;

 private:
  std::string name() const { return InWarehouse(kHistorySchema, table_.id()); }
  Status Create(engine::Session& session, const std::vector<Column>& columns) const;
  Status Merge(engine::Session& session, const Stage& stage, const Mutations& mutations,
               bool overwrite, bool resend, const std::string& etl) const;

  const UsedTable& table_;
};

}  // namespace weir::feed
