// SPDX-License-Identifier: Apache-2.0
#include "changes/change_stream.h"

#include <algorithm>
#include <charconv>

namespace weir::changes {
namespace {

// How many commits one poll plans: a reader that is far behind must not plan all of them each time.
constexpr int64_t kMaxCommits = 1000;

int64_t ToNumber(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool SameColumns(const std::vector<engine::ColumnInfo>& a,
                 const std::vector<engine::ColumnInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.type == y.type;
  });
}

}  // namespace

Result<ChangeStream> ChangeStream::Open(engine::Session& session, StreamOptions options,
                                        const std::optional<Offset>& resume) {
  ChangeStream stream(session, std::move(options));
  const std::string table = TableArgument(stream.options_.table);
  WEIR_ASSIGN_OR_RETURN(stream.offset_.table_id,
                        stream.QueryText("SELECT id FROM weir_detail(" + table + ")"));
  if (!resume) {
    WEIR_RETURN_IF_ERROR(stream.Begin());
    return stream;
  }
  if (!resume->table_id.empty() && resume->table_id != stream.offset_.table_id) {
    return Fail(InvalidArgument("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                                "the offset belongs to the table with the id " + resume->table_id +
                                    ", but " + stream.options_.table.text + " has the id " +
                                    stream.offset_.table_id +
                                    ": it was made anew; use another consumer name",
                                "55019"));
  }
  stream.offset_.next_version = resume->next_version;
  return stream;
}

// The first value of the first row as text; empty for none.
Result<std::string> ChangeStream::QueryText(const std::string& sql) {
  WEIR_ASSIGN_OR_RETURN(const auto result, session_->Query(sql));
  WEIR_ASSIGN_OR_RETURN(const bool any, result->NextBatch());
  return any && !result->IsNull(0, 0) ? result->Text(0, 0) : std::string();
}

Status ChangeStream::Begin() {
  const std::string table = TableArgument(options_.table);
  std::string sql;
  switch (options_.start.kind) {
    case StreamStart::Kind::kSnapshot:
    case StreamStart::Kind::kLatest:
      sql = "SELECT max(version) + 1 FROM weir_history(" + table + ", \"limit\" => 1)";
      break;
    case StreamStart::Kind::kEarliest:
      sql = "SELECT min(version) FROM weir_history(" + table + ")";
      break;
    case StreamStart::Kind::kBound:
      sql = "SELECT min(_commit_version) FROM " +
            FeedCall("table_change_files", options_.table, {options_.start.bound, {}, false});
      break;
  }
  WEIR_ASSIGN_OR_RETURN(const std::string version, QueryText(sql));
  offset_.next_version = ToNumber(version);
  snapshot_is_due_ = options_.start.kind == StreamStart::Kind::kSnapshot;
  return {};
}

Result<StreamBatch> ChangeStream::SnapshotBatch() {
  StreamBatch batch;
  batch.is_snapshot = true;
  batch.first = batch.last = offset_.next_version - 1;
  const std::string version = std::to_string(batch.last);
  WEIR_ASSIGN_OR_RETURN(const std::string time,
                        QueryText("SELECT timestamp FROM weir_history(" +
                                  TableArgument(options_.table) + ") WHERE version = " + version));
  batch.sql = "SELECT *, 'insert' AS _change_type, " + version + "::BIGINT AS _commit_version, '" +
              time + "+00'::TIMESTAMPTZ AS _commit_timestamp FROM " +
              SnapshotSql(options_.table, batch.last);
  return batch;
}

// The commits from `next` on that fit into one batch; none (last < first) when there is nothing
// new.
Result<StreamBatch> ChangeStream::NextCommits(int64_t next) {
  const FeedRange planned{std::to_string(next), std::to_string(next + kMaxCommits - 1), true};
  WEIR_ASSIGN_OR_RETURN(
      const auto commits,
      session_->Query("SELECT _commit_version, count(path), coalesce(sum(size), 0)::BIGINT FROM " +
                      FeedCall("table_change_files", options_.table, planned) +
                      " GROUP BY 1 ORDER BY 1"));
  StreamBatch batch;
  batch.first = next;
  batch.last = next - 1;
  int64_t bytes = 0;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, commits->NextBatch());
    if (!more) return batch;
    for (size_t row = 0; row < commits->batch_size(); ++row) {
      const int64_t files = commits->Int64(1, row);
      bytes += commits->Int64(2, row);
      const bool fits = batch.files + files <= options_.max_files && bytes <= options_.max_bytes;
      if (batch.files > 0 && files > 0 && !fits) return batch;
      batch.files += files;
      batch.last = commits->Int64(0, row);
    }
  }
}

Status ChangeStream::CheckColumns(const StreamBatch& batch) {
  WEIR_ASSIGN_OR_RETURN(const auto result,
                        session_->Query("SELECT * FROM (" + batch.sql + ") LIMIT 0"));
  if (columns_.empty()) columns_ = result->columns();
  if (SameColumns(columns_, result->columns())) return {};
  return Fail(InvalidArgument(
      "DELTA_SCHEMA_CHANGED_WITH_VERSION",
      "the columns of " + options_.table.text + " have changed between the versions " +
          std::to_string(batch.first) + " and " + std::to_string(batch.last) +
          "; start the stream again: it goes on from its offset with the new columns",
      "KD007"));
}

Result<std::optional<StreamBatch>> ChangeStream::Poll() {
  if (snapshot_is_due_) {
    WEIR_ASSIGN_OR_RETURN(auto batch, SnapshotBatch());
    WEIR_RETURN_IF_ERROR(CheckColumns(batch));
    snapshot_is_due_ = false;
    return batch;
  }
  StreamBatch batch;
  do {
    WEIR_ASSIGN_OR_RETURN(batch, NextCommits(offset_.next_version));
    if (batch.last < batch.first) return std::nullopt;
    if (batch.files == 0) offset_.next_version = batch.last + 1;
  } while (batch.files == 0);
  const FeedRange range{std::to_string(batch.first), std::to_string(batch.last), false};
  batch.sql = "FROM " + ChangesCall(options_.table, range);
  WEIR_RETURN_IF_ERROR(CheckColumns(batch));
  offset_.next_version = batch.last + 1;
  return batch;
}

}  // namespace weir::changes
