// SPDX-License-Identifier: Apache-2.0
#include "changes/feed_source.h"

#include <algorithm>

#include "base/text.h"
#include "storage/object_store.h"

namespace weir::changes {
namespace {

bool IsVersion(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string Arguments(std::string table, const FeedRange& range, std::string_view options) {
  std::string call = std::move(table) + ", " + range.first;
  if (range.last) call += ", " + *range.last;
  if (range.allow_out_of_range) call += ", allow_out_of_range => true";
  return call.append(options) + ")";
}

}  // namespace

std::string BoundSql(std::string_view text) {
  return IsVersion(text) ? std::string(text) : QuoteLiteral(text);
}

std::string TableSql(const FeedTable& table) {
  if (!table.is_path) return table.text;
  return "delta." + QuoteIdentifier(storage::NormalizeLocation(table.text));
}

std::string TableArgument(const FeedTable& table) { return QuoteLiteral(TableSql(table)); }

std::string FeedCall(std::string_view function, const FeedTable& table, const FeedRange& range,
                     std::string_view options) {
  return std::string(function) + "(" + Arguments(TableArgument(table), range, options);
}

std::string ChangesCall(const FeedTable& table, const FeedRange& range, std::string_view options) {
  return FeedCall("table_changes", table, range, options);
}

std::string ReadingOptions(const FeedReading& reading, bool end_schema) {
  std::string options = end_schema ? ", end_schema => true" : "";
  if (reading.kind == FeedReading::Kind::kRowIds) options += ", by_row_id => true";
  if (reading.kind == FeedReading::Kind::kAppends) options += ", appends => true";
  if (reading.ignore_deletes) options += ", ignore_deletes => true";
  if (reading.ignore_changes) options += ", ignore_changes => true";
  if (reading.skip_change_commits) options += ", skip_change_commits => true";
  return options;
}

std::string NetOptions(const std::vector<std::string>& keys) {
  if (keys.empty()) return ", net => true";
  std::string list;
  for (const auto& key : keys) list += (list.empty() ? "" : ", ") + QuoteLiteral(key);
  return ", keys => [" + list + "]";
}

std::string SnapshotSql(const FeedTable& table, int64_t version) {
  const std::string at = std::to_string(version);
  if (table.is_path)
    return "weir_scan(" + QuoteLiteral(table.text) + ", version_as_of => " + at + ")";
  return table.text + " AT (VERSION => " + at + ")";
}

}  // namespace weir::changes
