// SPDX-License-Identifier: Apache-2.0
#include "changes/table_sink.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace weir::changes {
namespace {

// The three columns of a feed, in a query over one.
constexpr const char* kWithoutFeedColumns =
    "EXCLUDE (_change_type, _commit_version, _commit_timestamp)";

std::string Conjunction(const std::vector<std::string>& keys) {
  std::string condition;
  for (const auto& key : keys) {
    const std::string name = QuoteIdentifier(key);
    condition +=
        (condition.empty() ? "" : " AND ") + ("t." + name) + " IS NOT DISTINCT FROM s." + name;
  }
  return condition;
}

// What is behind the consumer's name where more of a version is to come; no name has a colon.
constexpr std::string_view kPart = ":part:";
constexpr std::string_view kSnapshot = ":snapshot:";

// Where the stream of a consumer goes on by a `txn` action; nullopt for one of another writer.
std::optional<Offset> NextOf(std::string_view id, int64_t version, const std::string& consumer) {
  if (id == consumer) return Offset{{}, version + 1};
  for (const auto& kind : {kPart, kSnapshot}) {
    if (!StartsWith(id, consumer + std::string(kind))) continue;
    const auto parted = ParseInt64(id.substr(consumer.size() + kind.size()));
    if (parted && *parted >= 0) return Offset{{}, *parted, version, kind == kSnapshot};
  }
  return std::nullopt;
}

// What becomes of each changed row of a keyed target.
std::string Clauses(const std::vector<std::string>& names) {
  std::string sets;
  std::string columns;
  std::string values;
  for (const auto& name : names) {
    const std::string comma = sets.empty() ? "" : ", ";
    const std::string quoted = QuoteIdentifier(name);
    sets += comma + quoted + " = s." + quoted;
    columns += comma + quoted;
    values += comma + "s." + quoted;
  }
  return " WHEN MATCHED AND s._change_type = 'delete' THEN DELETE WHEN MATCHED THEN UPDATE SET " +
         sets + " WHEN NOT MATCHED AND s._change_type <> 'delete' THEN INSERT (" + columns +
         ") VALUES (" + values + ")";
}

bool HasColumn(const std::vector<engine::ColumnInfo>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(), [&](const engine::ColumnInfo& column) {
    return EqualsIgnoreCase(column.name, name);
  });
}

}  // namespace

TableSink::TableSink(engine::Session& session, FeedTable target, std::string consumer,
                     std::vector<std::string> keys)
    : session_(session),
      target_(std::move(target)),
      consumer_(std::move(consumer)),
      keys_(std::move(keys)) {}

Result<bool> TableSink::Exists() const {
  const auto rows = session_.Query("SELECT * FROM " + TableSql(target_) + " LIMIT 0");
  if (rows) return true;
  // Nothing else than the table is named there.
  const auto detail = session_.Query("FROM weir_detail(" + TableArgument(target_) + ")");
  if (!detail && detail.error().name == "DELTA_TABLE_NOT_FOUND") return false;
  return Fail(rows.error());
}

Status TableSink::CheckSource(const FeedTable& source) const {
  WEIR_ASSIGN_OR_RETURN(const bool exists, Exists());
  if (!exists) return {};
  WEIR_ASSIGN_OR_RETURN(const auto from, OpenLog(session_, source));
  WEIR_ASSIGN_OR_RETURN(const auto into, OpenLog(session_, target_));
  if (from.root != into.root) return {};
  return Fail(InvalidArgument(
      "WEIR_TARGET_IS_SOURCE",
      "the changes of " + source.text + " cannot go into that table itself: name another"));
}

Result<std::optional<Offset>> TableSink::Next() const {
  WEIR_ASSIGN_OR_RETURN(const bool exists, Exists());
  if (!exists) return std::nullopt;
  WEIR_ASSIGN_OR_RETURN(const auto rows,
                        session_.Query("SELECT app_id, version FROM weir_transactions(" +
                                       TableArgument(target_) + ") WHERE version IS NOT NULL"));
  Offset next;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, rows->NextBatch());
    if (!more) return next;
    for (size_t row = 0; row < rows->batch_size(); ++row) {
      const auto behind = NextOf(rows->Text(0, row), rows->Int64(1, row), consumer_);
      if (behind && next.IsBefore(*behind)) next = *behind;
    }
  }
}

// Makes the target, or adds the columns that it lacks. Gives the names of the rows' columns.
Result<std::vector<std::string>> TableSink::FitTarget(const std::string& rows) {
  WEIR_ASSIGN_OR_RETURN(const auto wanted, session_.Query("SELECT * FROM (" + rows + ") LIMIT 0"));
  std::vector<std::string> names;
  for (const auto& column : wanted->columns()) names.push_back(column.name);
  for (const auto& key : keys_) {
    if (HasColumn(wanted->columns(), key)) continue;
    return Fail(InvalidArgument("WEIR_CHANGE_KEY_NOT_FOUND",
                                "the table has no column " + key + " that could be a key"));
  }
  WEIR_ASSIGN_OR_RETURN(const bool exists, Exists());
  if (!exists) {
    WEIR_RETURN_IF_ERROR(session_.Execute("CREATE TABLE " + TableSql(target_) +
                                          " AS SELECT * FROM (" + rows + ") LIMIT 0"));
    return names;
  }
  WEIR_ASSIGN_OR_RETURN(const auto present,
                        session_.Query("SELECT * FROM " + TableSql(target_) + " LIMIT 0"));
  for (const auto& column : wanted->columns()) {
    if (HasColumn(present->columns(), column.name)) continue;
    WEIR_RETURN_IF_ERROR(session_.Execute("ALTER TABLE " + TableSql(target_) + " ADD COLUMN " +
                                          QuoteIdentifier(column.name) + " " + column.type));
  }
  return names;
}

Status TableSink::Commit(const StreamBatch& batch, const std::string& statement) {
  const Offset next = batch.Next({});
  std::string id = consumer_;
  if (!batch.ends_version)
    id.append(batch.is_snapshot ? kSnapshot : kPart).append(std::to_string(batch.last));
  const int64_t done_to = batch.ends_version ? batch.last : next.next_file;
  WEIR_RETURN_IF_ERROR(session_.Execute("SET weir_txn_app_id = " + QuoteLiteral(id) +
                                        "; SET weir_txn_version = " + std::to_string(done_to)));
  Status done = session_.Execute(statement);
  const Status reset = session_.Execute("RESET weir_txn_app_id; RESET weir_txn_version");
  return done ? reset : done;
}

Status TableSink::Write(const FeedTable& source, const StreamBatch& batch) {
  if (keys_.empty()) {
    const auto fitted = FitTarget(batch.sql);
    if (!fitted) return Fail(fitted.error());
    return Commit(
        batch, "INSERT INTO " + TableSql(target_) + " BY NAME SELECT * FROM (" + batch.sql + ")");
  }
  std::string feed = batch.sql;
  if (!batch.is_snapshot) {
    feed = "FROM " + ChangesCall(source, batch.range, batch.options + NetOptions(keys_));
  }
  const std::string rows =
      std::string("SELECT * ") + kWithoutFeedColumns + " FROM (" + batch.sql + ")";
  WEIR_ASSIGN_OR_RETURN(const auto names, FitTarget(rows));
  return Commit(batch, "MERGE INTO " + TableSql(target_) + " AS t USING (SELECT * FROM (" + feed +
                           ") WHERE _change_type <> 'update_preimage') AS s ON " +
                           Conjunction(keys_) + Clauses(names));
}

}  // namespace weir::changes
