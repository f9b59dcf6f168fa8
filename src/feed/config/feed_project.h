// SPDX-License-Identifier: Apache-2.0
//
// The file `feed.yml` of a lake feed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weir::feed {

/// What a load brings, and so what it can tell about rows that are missing from it.
enum class LoadType {
  kImage,       ///< The whole table; keys that are missing are deleted.
  kDeltaImage,  ///< The part at or after a boundary of the delta column; keys missing from that
                ///< part are deleted.
  kOverwrite,   ///< The whole table; the history table holds the current rows only.
  kReload,      ///< The whole table, after incremental loads.
  kDelta,       ///< New and changed rows; nothing is deleted.
  kAdditional,  ///< Rows to append; no keys are compared, every row is an I.
};

/// "IMAGE", "DELTAIMAGE", ...
std::string_view ToString(LoadType type);

/// Where the rows of a table come from.
struct TableSource {
  enum class Kind { kParquet, kCsv, kJson, kDelta, kQuery, kPostgres, kSqlite, kMysql };
  Kind kind = Kind::kQuery;
  /// Path, glob or URL; for kQuery the SELECT; for a database its file or connection string, which
  /// may hold a password.
  std::string text;
  std::string table;         ///< Of a database: `orders` or `public.orders`; empty with a query.
  std::string server_query;  ///< Of a database: a SELECT in its own SQL; empty with a table.
  /// Options of DuckDB's reader, values as SQL.
  std::vector<std::pair<std::string, std::string>> options;

  bool is_database() const { return kind >= Kind::kPostgres; }
};

/// "parquet", ..., "mysql": the key of feed.yml.
std::string_view ToString(TableSource::Kind kind);

/// One entry of `tables`.
struct UsedTable {
  std::string source;
  std::string schema;
  std::string table;
  TableSource from;
  std::vector<std::string> keys;
  std::vector<std::string> tracked;  ///< Empty: all columns that are no keys.
  std::string delta_column;          ///< Empty: none.
  std::string delta_from;  ///< A SQL expression: where DELTA and DELTAIMAGE begin to read.
  LoadType load_type = LoadType::kImage;
  bool on_dwh = true;
  bool on_lake = false;
  bool keep_last_duplicate = false;

  /// "Source_Schema_Table": the name of its index and history tables.
  std::string id() const { return source + "_" + schema + "_" + table; }
  /// "Source.Schema.Table", for messages.
  std::string display() const { return source + "." + schema + "." + table; }
  bool lake_only() const { return on_lake && !on_dwh; }
};

struct FeedProject {
  std::filesystem::path file;
  std::filesystem::path root;  ///< The folder of `file`; relative paths start here.
  std::string schema_lake = "LAKE";
  std::string schema_dl = "DL";  ///< Empty when feed.yml says so.
  std::string lake_location;     ///< Absolute path or URL; empty when feed.yml names none.
  std::string warehouse;         ///< Absolute path or URL of the Delta tables.
  std::filesystem::path read_database;
  std::vector<std::string> setup;  ///< Statements that every session of a load runs first.
  std::vector<UsedTable> tables;
};

/// `file`, or feed.yml (feed.yaml) in `start` or the nearest folder above it. Errors: kNotFound
/// WEIR_FEED_PROJECT_NOT_FOUND.
Result<std::filesystem::path> FindProject(const std::string& file,
                                          const std::filesystem::path& start);

/// Reads and checks a project. Nothing is opened but the file itself.
///
/// Errors, all kInvalidArgument, each naming file and table: WEIR_FEED_CONFIG_NOT_YAML,
/// WEIR_FEED_CONFIG_UNKNOWN_KEY, WEIR_FEED_CONFIG_MISSING_KEY, WEIR_FEED_CONFIG_BAD_VALUE,
/// WEIR_FEED_LOAD_TYPE_UNKNOWN, WEIR_FEED_DATA_PLATFORM_UNKNOWN, WEIR_FEED_BAD_NAME (a name that
/// cannot stand in a path), WEIR_FEED_DUPLICATE_TABLE (one name twice, or two tables on DL alone
/// whose read objects would have one name).
Result<FeedProject> LoadProject(const std::filesystem::path& file);

/// The tables that `names` name, as Table, Schema.Table, Source.Schema.Table or
/// Source_Schema_Table in any case; all for no names. Errors: kNotFound WEIR_FEED_TABLE_UNKNOWN,
/// kInvalidArgument WEIR_FEED_TABLE_AMBIGUOUS.
Result<std::vector<const UsedTable*>> SelectTables(const FeedProject& project,
                                                   const std::vector<std::string>& names);

}  // namespace weir::feed
