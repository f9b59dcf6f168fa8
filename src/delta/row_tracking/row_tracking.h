// SPDX-License-Identifier: Apache-2.0
//
// Row tracking (protocol section "Row Tracking"): who has an id and a commit version, and where
// they are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"

namespace weir::delta {

inline constexpr std::string_view kRowTrackingDomain = "delta.rowTracking";
inline constexpr const char* kMaterializedRowIdProperty =
    "delta.rowTracking.materializedRowIdColumnName";
inline constexpr const char* kMaterializedRowCommitVersionProperty =
    "delta.rowTracking.materializedRowCommitVersionColumnName";

/// The feature is listed and not suspended: every committed file gets ids.
bool IsRowTrackingSupported(const Protocol& protocol, const Metadata& metadata);
/// Moreover delta.enableRowTracking is true: ids are there for every row, and must be carried by
/// updates and copies.
bool IsRowTrackingEnabled(const Protocol& protocol, const Metadata& metadata);

/// The columns (physical names, found by name in data files) that hold carried ids and versions.
struct MaterializedColumns {
  std::string row_id;
  std::string row_commit_version;
};
/// nullopt when the table has no such properties.
std::optional<MaterializedColumns> MaterializedColumnsOf(const Metadata& metadata);
/// Fresh names, unlike any column that ever was, set as properties where they are missing.
void EnsureMaterializedColumns(Metadata& metadata);

/// The id of a row: the carried one where the file holds one, else base + physical position in the
/// file (deleted rows count). nullopt when the file has neither.
std::optional<int64_t> StableRowId(std::optional<int64_t> materialized,
                                   std::optional<int64_t> base_row_id, int64_t position);
/// The version that inserted or last updated a row.
std::optional<int64_t> StableRowCommitVersion(std::optional<int64_t> materialized,
                                              std::optional<int64_t> default_version);

/// The greatest id in use, from the configuration of the domain; -1 when none was given yet.
/// Errors: kCorruptLog DELTA_ROW_TRACKING_DOMAIN_MALFORMED.
Result<int64_t> ReadHighWaterMark(std::string_view domain_configuration);
DomainMetadata MakeHighWaterMark(int64_t mark);

/// Gives ids and `version` to the files that have none, raising `mark`; files that carry theirs
/// keep them. Errors: kInvalidArgument DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS names a file whose
/// number of rows is unknown; DELTA_ROW_ID_OVERFLOW when ids run out.
Status AssignRowIds(std::vector<Action>& actions, int64_t version, int64_t& mark);

}  // namespace weir::delta
