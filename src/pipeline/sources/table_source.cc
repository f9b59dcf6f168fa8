// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/table_source.h"

#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {

TableSource::TableSource(engine::Session& session, QualifiedName table, std::vector<Column> columns)
    : session_(session), table_(std::move(table)), columns_(std::move(columns)) {
  key_ = "table:" + table_.ToString();
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
  if (!columns_.empty()) return columns_;
  return DescribeQuery(session_, "SELECT * FROM " + table_.ToSql());
}

std::string TableSource::At(int64_t version) const {
  return table_.ToSql() + " AT (VERSION => " + std::to_string(version) + ")";
}

/// What version `to` has more than version `from`. It must not have less.
Result<std::string> TableSource::Compare(int64_t from, int64_t to) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> now,
                        DescribeQuery(session_, "SELECT * FROM " + At(to)));
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> before,
                        DescribeQuery(session_, "SELECT * FROM " + At(from)));
  const auto known_before = [&](const Column& column) {
    const bool known = FindColumn(before, column.name) != nullptr;
    return known ? QuoteIdentifier(column.name) : std::string("NULL");
  };
  const std::string old_rows = "SELECT " + Join(now, ", ", known_before) + " FROM " + At(from);
  const std::string new_rows = "SELECT " + Names(now) + " FROM " + At(to);
  WEIR_ASSIGN_OR_RETURN(const auto gone, session_.QueryInt64("SELECT count(*) FROM (" + old_rows +
                                                             " EXCEPT ALL " + new_rows + ")"));
  if (gone.value_or(0) == 0) return new_rows + " EXCEPT ALL " + old_rows;
  return Fail(InvalidArgument(
      "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
      "table `" + table_.ToString() + "` has changed or removed " + std::to_string(*gone) +
          " rows between versions " + std::to_string(from) + " and " + std::to_string(to) +
          ", which a stream of appends cannot tell; when it was refreshed, refresh what reads it "
          "too: weir run --full-refresh",
      "0A000"));
}

Result<std::string> TableSource::Read(const JsonValue& offset) {
  const int64_t from = offset.Find("from")->AsInt64().value_or(-1);
  const int64_t to = offset.Find("to")->AsInt64().value_or(0);
  if (from >= 0) return Compare(from, to);
  return "SELECT * FROM " + At(to);
}

}  // namespace weir::pipeline
