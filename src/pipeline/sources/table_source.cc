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

Result<std::string> TableSource::Read(const JsonValue& offset) {
  const int64_t from = offset.Find("from")->AsInt64().value_or(-1);
  const int64_t to = offset.Find("to")->AsInt64().value_or(0);
  const auto at = [&](int64_t version) {
    return table_.ToSql() + " AT (VERSION => " + std::to_string(version) + ")";
  };
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns,
                        DescribeQuery(session_, "SELECT * FROM " + at(to)));
  if (from < 0) return "SELECT " + Names(columns) + " FROM " + at(to);
  return "SELECT " + Names(columns) + " FROM " + at(to) + " EXCEPT ALL SELECT " + Names(columns) +
         " FROM " + at(from);
}

}  // namespace weir::pipeline
