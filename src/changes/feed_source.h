// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::changes {

/// The table whose changes are asked for: a name in the session's catalogs, or a path or URL.
struct FeedTable {
  std::string text;
  bool is_path = false;
};

/// A bound as the user writes it, as SQL: digits are a version, anything else a timestamp.
std::string BoundSql(std::string_view text);

/// What is wanted of a range of changes. Bounds are SQL (see BoundSql); without `last` up to the
/// newest version.
struct FeedRange {
  std::string first;
  std::optional<std::string> last;
  bool allow_out_of_range = false;
};

/// How a stream finds changes.
struct FeedReading {
  enum class Kind {
    kFeed,     ///< The change data feed.
    kRowIds,   ///< By row tracking.
    kAppends,  ///< The rows of added files alone.
  };
  Kind kind = Kind::kFeed;
  // For kAppends, see delta::AppendPolicy.
  bool ignore_deletes = false;
  bool ignore_changes = false;
  bool skip_change_commits = false;
};

/// The options of a table_changes call that reads so. With `end_schema`, as streams read, rows have
/// the schema of their range's last version, whatever comes later.
std::string ReadingOptions(const FeedReading& reading, bool end_schema);

/// `FUNCTION('table', first[, last][, options])`, e.g. of "table_changes".
std::string FeedCall(std::string_view function, const FeedTable& table, const FeedRange& range,
                     std::string_view options = {});

/// The SQL of a table_changes call, which has a name of its own for paths.
std::string ChangesCall(const FeedTable& table, const FeedRange& range,
                        std::string_view options = {});

/// ", net => true" or ", keys => [...]": the options of a net view.
std::string NetOptions(const std::vector<std::string>& keys);

/// The table in a FROM clause, at a version.
std::string SnapshotSql(const FeedTable& table, int64_t version);

/// The table in a statement.
std::string TableSql(const FeedTable& table);

/// The argument of the functions that take a table by name and by path alike.
std::string TableArgument(const FeedTable& table);

}  // namespace weir::changes
