// SPDX-License-Identifier: Apache-2.0
//
// Rule `change-feed`: what the feed tells of a version is the difference of the table before and
// behind it. Rows are compared as multisets, by the sum of their hashes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/check/parquet_beginning.h"
#include "delta/commit/pending_commit.h"
#include "engine/check/data_rules.h"

namespace weir::engine {
namespace {

// Older versions are read whole for this, twice each.
constexpr int64_t kVersions = 10;

std::string Columns(const delta::Snapshot& snapshot) {
  std::string list;
  for (const delta::StructField& field : snapshot.schema()->fields())
    list += (list.empty() ? "" : ", ") + QuoteIdentifier(field.name);
  return list;
}

// The rows of a version, or of its feed, as one number.
Result<std::string> Fingerprint(const DataCheck& table, const std::string& columns,
                                const std::string& from, const std::string& sign) {
  WEIR_ASSIGN_OR_RETURN(const auto result,
                        table.Query("SELECT coalesce(sum(" + sign + " * (hash(" + columns +
                                    ") % 1000000000039)::HUGEINT), 0)::VARCHAR FROM " + from));
  return result->GetValue(0, 0).ToString();
}

constexpr const char* kChangeSign =
    "CASE WHEN _change_type IN ('insert', 'update_postimage') THEN 1 ELSE -1 END";

// nullopt: they cannot be compared, as the version's files are gone or the feed was off.
Result<std::optional<bool>> FeedHolds(const DataCheck& table, const delta::Snapshot& before,
                                      const delta::Snapshot& after) {
  const bool on = delta::IsPropertyTrue(before.metadata(), "delta.enableChangeDataFeed") &&
                  delta::IsPropertyTrue(after.metadata(), "delta.enableChangeDataFeed");
  if (!on || before.metadata().schema_string != after.metadata().schema_string) return std::nullopt;
  const std::string columns = Columns(after);
  const auto old_rows = Fingerprint(table, columns, table.ScanSql(before.version()), "1");
  const auto new_rows = Fingerprint(table, columns, table.ScanSql(after.version()), "1");
  if (!old_rows || !new_rows) return std::nullopt;
  const std::string version = std::to_string(after.version());
  WEIR_ASSIGN_OR_RETURN(const std::string changes,
                        Fingerprint(table, columns,
                                    "table_changes_by_path(" + QuoteLiteral(after.log().root) +
                                        ", " + version + ", " + version + ")",
                                    kChangeSign));
  WEIR_ASSIGN_OR_RETURN(const auto sum,
                        table.Query("SELECT " + *old_rows + "::HUGEINT + " + changes +
                                    "::HUGEINT = " + *new_rows + "::HUGEINT"));
  return sum->GetValue(0, 0).GetValue<bool>();
}

// Files that are gone make the feed unreadable, which is told by reading it.
void CheckChangeFiles(const DataCheck& table, int64_t version) {
  const delta::TableLog& log = table.snapshot().log();
  const auto actions = delta::ReadCommit(log, version);
  if (!actions) return;
  for (const delta::Action& action : *actions) {
    const auto* file = std::get_if<delta::AddCdcFile>(&action);
    if (file == nullptr) continue;
    const auto path = delta::ResolveFilePath(log.root, file->path);
    const auto object = path ? log.store->Head(*path) : Fail(path.error());
    if (!object) continue;
    const bool begins = delta::MayBeParquet(*log.store, *path);
    if (object->size != file->size || !begins)
      table.ReportAt("change-feed", version,
                     fmt::format("{} has {} bytes, the log says {}{}", *path, object->size,
                                 file->size, begins ? "" : "; it does not begin as a Parquet file"),
                     "the change file was cut or replaced: put it back from a backup");
  }
}

}  // namespace

Status CheckChangeFeed(const DataCheck& table) {
  const delta::Snapshot& newest = table.snapshot();
  if (!delta::IsPropertyTrue(newest.metadata(), "delta.enableChangeDataFeed")) return {};
  const int64_t first = std::max<int64_t>(1, newest.version() - kVersions + 1);
  for (int64_t version = newest.version(); version >= first; --version) {
    const auto after = delta::Snapshot::Load(newest.log(), {version, std::nullopt});
    const auto before = delta::Snapshot::Load(newest.log(), {version - 1, std::nullopt});
    if (!after || !before) return {};
    CheckChangeFiles(table, version);
    const auto holds = FeedHolds(table, **before, **after);
    if (!holds) {
      table.ReportAt(
          "change-feed", version, holds.error().message,
          "consumers of the feed fail at this version: read it as a whole, and go on behind it");
    } else if (*holds && !**holds) {
      table.ReportAt(
          "change-feed", version,
          fmt::format("version {} and its change feed do not make version {}", version - 1,
                      version),
          "consumers of the feed have missed changes: let them start over from a snapshot");
    }
  }
  return {};
}

}  // namespace weir::engine
