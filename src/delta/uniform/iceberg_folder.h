// SPDX-License-Identifier: Apache-2.0
//
// The folder `metadata` below a table, as UniForm fills it. The metadata file behind version N is
// vN.metadata.json, written where none was, and version-hint.text says which is the newest, so that
// readers find the table by its path. All other files have names that never come twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/snapshot/table_log.h"
#include "iceberg/table_metadata.h"

namespace weir::delta {

/// The folder's name below the table's.
inline constexpr const char* kIcebergFolder = "metadata";

/// The file that names the newest metadata file by its number.
inline constexpr std::string_view kIcebergHint = "version-hint.text";

/// How names of manifests and their lists begin; files of others stay as they are.
inline constexpr std::string_view kIcebergAvroPrefix = "weir-";

/// Properties in the metadata file: the version it shows and that one's time, and the id of the
/// table in the log.
inline constexpr const char* kDeltaVersion = "delta-version";
inline constexpr const char* kDeltaTimestamp = "delta-timestamp";
inline constexpr const char* kDeltaTableId = "delta-table-id";

std::string IcebergPath(const TableLog& log, std::string_view name);
std::string IcebergMetadataName(int64_t version);
/// The version in a name of IcebergMetadataName; nullopt for any other name.
std::optional<int64_t> ParseIcebergMetadataName(std::string_view name);

struct IcebergState {
  int64_t version = 0;
  std::string path;
  iceberg::TableMetadata metadata;
};

/// The newest metadata file; nullopt when there is none. Errors: kCorruptLog
/// WEIR_ICEBERG_METADATA_MALFORMED, also for one that no conversion from a Delta table has made.
Result<std::optional<IcebergState>> FindIcebergState(const TableLog& log);

/// Makes version-hint.text name the newest metadata file, which is that of `version` or a later
/// one that another writer has written meanwhile.
Status PointAtNewest(const TableLog& log, int64_t version);

/// Deletes files that Weir has written there, that no snapshot in `metadata`, the newest, needs,
/// and that are older than a day, so that whoever reads by an older state has time to end.
Status CleanUpIcebergFolder(const TableLog& log, const iceberg::TableMetadata& metadata,
                            int64_t version);

}  // namespace weir::delta
