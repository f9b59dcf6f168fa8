// SPDX-License-Identifier: Apache-2.0
//
// Small pieces of the feed's SQL, and small results as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "engine/session.h"

namespace weir::feed {

/// The catalog under which a session has the warehouse.
constexpr const char* kWarehouse = "warehouse";
/// When an open version ends.
constexpr const char* kOpenEnd = "TIMESTAMP '2999-01-01'";

/// Properties of index and history tables: a run marks the rows that it changes and does not write
/// whole files anew for them; the small files that runs add are put together now and then.
constexpr const char* kTableProperties =
    " WITH ('delta.enableDeletionVectors' = 'true', 'delta.autoOptimize.autoCompact' = 'true')";

struct Column {
  std::string name;
  std::string type;  ///< DuckDB's spelling.

  bool operator==(const Column&) const = default;
};

/// make(item) for every item, with `separator` between.
template <typename Items, typename Make>
std::string Join(const Items& items, std::string_view separator, Make make) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += make(item);
  }
  return text;
}

/// "a", "b" - each with `prefix` (as `s.`) in front.
std::string Names(const std::vector<Column>& columns, const std::string& prefix = "");

/// The column of this name in any case, or nullptr.
const Column* FindColumn(const std::vector<Column>& columns, std::string_view name);

/// warehouse."schema"."table"
std::string InWarehouse(const std::string& schema, const std::string& table);

/// TIMESTAMP '2024-01-31 12:34:56.789012' of microseconds since the epoch.
std::string TimestampLiteral(int64_t micros);
/// The same without word and quotes.
std::string TimestampText(int64_t micros);

/// All rows of a small result; nullopt for NULL.
using Row = std::vector<std::optional<std::string>>;
Result<std::vector<Row>> Rows(engine::Session& session, const std::string& sql);

/// The columns that a query gives.
Result<std::vector<Column>> Describe(engine::Session& session, const std::string& query);

/// Whether the warehouse has this table.
Result<bool> HasTable(engine::Session& session, const std::string& schema,
                      const std::string& table);

/// The newest version of a table of the warehouse.
Result<int64_t> TableVersion(engine::Session& session, const std::string& schema,
                             const std::string& table);

}  // namespace weir::feed
