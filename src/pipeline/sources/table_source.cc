// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/table_source.h"

#include "base/text.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {

namespace {

/// Columns that Auto CDC adds for itself are no part of what is read from a table.
std::vector<Column> Visible(std::vector<Column> columns) {
  std::erase_if(columns, [](const Column& column) {
    return StartsWith(ToLowerAscii(column.name), kReservedPrefix);
  });
  return columns;
}

const std::vector<Column>& FeedColumns() {
  static const std::vector<Column> kColumns = {{"_change_type", "VARCHAR"},
                                               {"_commit_version", "BIGINT"},
                                               {"_commit_timestamp", "TIMESTAMP WITH TIME ZONE"}};
  return kColumns;
}

}  // namespace

TableSource::TableSource(engine::Session& session, QualifiedName table, std::vector<Column> columns,
                         bool feed)
    : session_(session), table_(std::move(table)), columns_(std::move(columns)), feed_(feed) {
  key_ = (feed_ ? "feed:" : "table:") + table_.ToString();
}

Status TableSource::Replay(const JsonValue& offset) {
  const JsonValue* to = offset.Find("to");
  const std::optional<int64_t> version = to == nullptr ? std::nullopt : to->AsInt64();
  if (!version) {
    return Fail(CorruptLog("WEIR_CHECKPOINT_MALFORMED",
                           "an offset of source " + key_ + " is not what Weir writes"));
  }
  version_ = *version;
  return {};
}

JsonValue TableSource::Compact() const {
  return JsonValue::Object({{"from", JsonValue::Int(-1)}, {"to", JsonValue::Int(version_)}});
}

Result<std::optional<int64_t>> TableSource::LatestVersion() {
  return session_.QueryInt64("SELECT max(version) FROM weir_history(" +
                             QuoteLiteral(table_.ToSql()) + ", \"limit\" => 1)");
}

Result<std::optional<JsonValue>> TableSource::Plan() {
  WEIR_ASSIGN_OR_RETURN(const std::optional<int64_t> latest, LatestVersion());
  if (!latest || *latest <= version_) return std::nullopt;
  return JsonValue::Object({{"from", JsonValue::Int(version_)}, {"to", JsonValue::Int(*latest)}});
}

Result<std::vector<Column>> TableSource::Columns(const std::optional<JsonValue>&) {
  std::vector<Column> columns = columns_;
  if (columns.empty()) {
    WEIR_ASSIGN_OR_RETURN(columns, DescribeQuery(session_, "SELECT * FROM " + table_.ToSql()));
  }
  columns = Visible(std::move(columns));
  if (feed_) columns.insert(columns.end(), FeedColumns().begin(), FeedColumns().end());
  return columns;
}

std::string TableSource::At(int64_t version) const {
  return table_.ToSql() + " AT (VERSION => " + std::to_string(version) + ")";
}

Result<bool> TableSource::HasFeed() {
  WEIR_ASSIGN_OR_RETURN(
      const auto on,
      session_.QueryInt64("SELECT count(*) FROM weir_properties(" + QuoteLiteral(table_.ToSql()) +
                          ") WHERE key = 'delta.enableChangeDataFeed' AND lower(value) = 'true'"));
  return on.value_or(0) > 0;
}

Status TableSource::RefuseChanges(const std::string& count, int64_t from, int64_t to) {
  WEIR_ASSIGN_OR_RETURN(const auto changed, session_.QueryInt64(count));
  if (changed.value_or(0) == 0) return {};
  return Fail(InvalidArgument(
      "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
      "table `" + table_.ToString() + "` has changed or removed " + std::to_string(*changed) +
          " rows between versions " + std::to_string(from) + " and " + std::to_string(to) +
          ", which a stream of appends cannot tell; read its changes with STREAM(" +
          table_.ToString() +
          " WITH (readChangeFeed => true)), or, when it was refreshed, "
          "refresh what reads it too: weir run --full-refresh",
      "0A000"));
}

Result<std::string> TableSource::ReadRange(int64_t from, int64_t to) {
  const std::string changes = "table_changes(" + QuoteLiteral(table_.ToSql()) + ", " +
                              std::to_string(from + 1) + ", " + std::to_string(to) + ")";
  if (feed_) return "FROM " + changes;
  WEIR_ASSIGN_OR_RETURN(const bool has_feed, HasFeed());
  if (!has_feed) return Compare(from, to);
  WEIR_RETURN_IF_ERROR(RefuseChanges(
      "SELECT count(*) FROM " + changes + " WHERE _change_type <> 'insert'", from, to));
  return "FROM " + changes;
}

Result<std::string> TableSource::Compare(int64_t from, int64_t to) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> now,
                        DescribeQuery(session_, "SELECT * FROM " + At(to)));
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> before,
                        DescribeQuery(session_, "SELECT * FROM " + At(from)));
  const std::string old_rows = "SELECT " +
                               Join(now, ", ",
                                    [&](const Column& column) {
                                      return FindColumn(before, column.name) == nullptr
                                                 ? std::string("NULL")
                                                 : QuoteIdentifier(column.name);
                                    }) +
                               " FROM " + At(from);
  const std::string new_rows = "SELECT " + Names(now) + " FROM " + At(to);
  WEIR_RETURN_IF_ERROR(RefuseChanges(
      "SELECT count(*) FROM (" + old_rows + " EXCEPT ALL " + new_rows + ")", from, to));
  return new_rows + " EXCEPT ALL " + old_rows;
}

Result<std::string> TableSource::Read(const JsonValue& offset) {
  const int64_t from = offset.Find("from")->AsInt64().value_or(-1);
  const int64_t to = offset.Find("to")->AsInt64().value_or(0);
  WEIR_ASSIGN_OR_RETURN(std::vector<Column> columns,
                        DescribeQuery(session_, "SELECT * FROM " + At(to)));
  columns = Visible(std::move(columns));
  std::string select = "SELECT " + Names(columns);
  if (from >= 0) {
    if (feed_) select += ", " + Names(FeedColumns());
    WEIR_ASSIGN_OR_RETURN(const std::string range, ReadRange(from, to));
    return select + " FROM (" + range + ")";
  }
  if (!feed_) return select + " FROM " + At(to);
  return select + ", 'insert' AS _change_type, CAST(" + std::to_string(to) +
         " AS BIGINT) AS _commit_version, (SELECT \"timestamp\" FROM weir_history(" +
         QuoteLiteral(table_.ToSql()) + ") WHERE version = " + std::to_string(to) +
         ") AS _commit_timestamp FROM " + At(to);
}

Result<JsonValue> TableSource::Describe(const JsonValue& offset) {
  WEIR_ASSIGN_OR_RETURN(auto rows, session_.Query("SELECT location FROM weir_detail(" +
                                                  QuoteLiteral(table_.ToSql()) + ")"));
  WEIR_RETURN_IF_ERROR(rows->NextBatch());
  return JsonValue::Object({{"table", JsonValue::String(rows->Text(0, 0))},
                            {"from", *offset.Find("from")},
                            {"to", *offset.Find("to")},
                            {"feed", JsonValue::Bool(feed_)}});
}

}  // namespace weir::pipeline
