// SPDX-License-Identifier: Apache-2.0
//
// What differs between the engines that read the feed.
#pragma once

#include <string>
#include <vector>

#include "feed/config/feed_project.h"
#include "feed/load/generations.h"
#include "feed/views/read_objects.h"

namespace weir::feed {

/// A name in the quotes of the dialect.
std::string Quote(Dialect dialect, const std::string& name);

/// DuckDB's type in the dialect's spelling; nested types, which T-SQL has not, as text.
std::string TypeName(Dialect dialect, const std::string& type);

/// CAST(NULL AS type), or NULL where the dialect's union finds the type.
std::string TypedNull(Dialect dialect, const std::string& type);

/// The end of an open version.
std::string OpenEnd(Dialect dialect);

/// LakeLocation as Azure SQL spells it, for the external data source that the files are read by.
std::string ExternalLocation(const FeedProject& project);

/// FROM clause that reads the files of a generation, and the expressions for year and month of a
/// file's folder.
struct FilesRelation {
  std::string from;
  std::string year;
  std::string month;
};
FilesRelation ReadFiles(const FeedProject& project, const UsedTable& table,
                        const Generation& generation, Dialect dialect);

/// The type that holds all of `types`: the one they share; for numbers the widest integer, the
/// DECIMAL that has room for every digit, or DOUBLE; TIMESTAMP for dates and moments; else VARCHAR.
std::string WidestType(const std::vector<std::string>& types);

}  // namespace weir::feed
