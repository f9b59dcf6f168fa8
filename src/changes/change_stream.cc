// SPDX-License-Identifier: Apache-2.0
#include "changes/change_stream.h"

#include <algorithm>

#include "base/text.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/log_listing.h"

namespace weir::changes {
namespace {

// How many commits one poll plans: a reader that is far behind must not plan all of them each time.
constexpr int64_t kMaxCommits = 1000;
// Where rows are counted for it.
constexpr int64_t kMaxCountedCommits = 100;
// A stream that waits asks for the next commit's file alone, but now and then for the whole table:
// it may have been dropped, or its log cleaned up beyond that commit.
constexpr int64_t kMaxIdlePolls = 32;

// The rows of a snapshot have no row ids to be compared.
std::string PartOptions(FeedReading reading, bool is_snapshot) {
  if (is_snapshot && reading.kind == FeedReading::Kind::kRowIds)
    reading.kind = FeedReading::Kind::kAppends;
  return ReadingOptions(reading, true) + (is_snapshot ? ", snapshot => true" : "");
}

std::string SliceOptions(int64_t skip, int64_t count) {
  return ", skip_files => " + std::to_string(skip) + ", max_files => " + std::to_string(count);
}

bool SameColumns(const std::vector<engine::ColumnInfo>& a,
                 const std::vector<engine::ColumnInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.type == y.type;
  });
}

}  // namespace

Result<delta::TableLog> OpenLog(engine::Session& session, const FeedTable& table) {
  WEIR_ASSIGN_OR_RETURN(const auto detail, session.Query("SELECT location FROM weir_detail(" +
                                                         TableArgument(table) + ")"));
  WEIR_RETURN_IF_ERROR(detail->NextBatch());
  delta::TableLog log;
  log.root = detail->Text(0, 0);
  WEIR_ASSIGN_OR_RETURN(log.store, storage::OpenStore(log.root));
  return log;
}

Result<int64_t> EarliestVersion(const delta::TableLog& log) {
  WEIR_ASSIGN_OR_RETURN(const auto listing, delta::ListLog(log));
  const int64_t buildable = delta::EarliestVersion(listing).value_or(0);
  for (const auto& commit : listing.commits) {
    if (commit.version >= buildable) return commit.version;
  }
  return buildable + 1;
}

Result<ChangeStream> ChangeStream::Open(engine::Session& session, StreamOptions options,
                                        const std::optional<Offset>& resume) {
  ChangeStream stream(session, std::move(options));
  const FeedTable& table = stream.options_.table;
  WEIR_ASSIGN_OR_RETURN(stream.log_, OpenLog(session, table));
  WEIR_ASSIGN_OR_RETURN(stream.offset_.table_id, stream.TableId());
  WEIR_RETURN_IF_ERROR(resume ? stream.ResumeAt(*resume) : stream.Begin());
  return stream;
}

Status ChangeStream::CheckTable(const std::string& id, const std::string& expected) const {
  if (expected.empty() || id == expected) return {};
  return Fail(InvalidArgument("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                              "the offset belongs to the table with the id " + expected + ", but " +
                                  options_.table.text + " has the id " + id +
                                  ": it was made anew; use another consumer name",
                              "55019"));
}

Result<std::string> ChangeStream::TableId() {
  return QueryText("SELECT id FROM weir_detail(" + TableArgument(options_.table) + ")");
}

Result<int64_t> ChangeStream::LatestVersion() {
  WEIR_ASSIGN_OR_RETURN(const std::string latest,
                        QueryText("SELECT version FROM weir_history(" +
                                  TableArgument(options_.table) + ", \"limit\" => 1)"));
  return ParseInt64(latest).value_or(0);
}

Status ChangeStream::ResumeAt(const Offset& resume) {
  WEIR_RETURN_IF_ERROR(CheckTable(offset_.table_id, resume.table_id));
  WEIR_ASSIGN_OR_RETURN(const int64_t latest, LatestVersion());
  if (resume.next_version > latest + 1) {
    return Fail(InvalidArgument(
        "DELTA_CDC_START_VERSION_AFTER_LATEST",
        "the offset goes on at version " + std::to_string(resume.next_version) + ", but " +
            options_.table.text + " has come to version " + std::to_string(latest) +
            " only: it was put back; use another consumer name",
        "22003"));
  }
  const std::string id = offset_.table_id;
  offset_ = resume;
  offset_.table_id = id;
  return {};
}

// The first value of the first row as text; empty for none.
Result<std::string> ChangeStream::QueryText(const std::string& sql) {
  WEIR_ASSIGN_OR_RETURN(const auto result, session_->Query(sql));
  WEIR_ASSIGN_OR_RETURN(const bool any, result->NextBatch());
  return any && !result->IsNull(0, 0) ? result->Text(0, 0) : std::string();
}

Status ChangeStream::Begin() {
  if (options_.start.kind == StreamStart::Kind::kEarliest) {
    WEIR_ASSIGN_OR_RETURN(offset_.next_version, EarliestVersion(log_));
    return {};
  }
  if (options_.start.kind == StreamStart::Kind::kBound) {
    const FeedRange range{options_.start.bound, {}, false};
    WEIR_ASSIGN_OR_RETURN(const std::string version,
                          QueryText("SELECT first_version FROM " +
                                    FeedCall("table_change_range", options_.table, range)));
    offset_.next_version = ParseInt64(version).value_or(0);
    return {};
  }
  WEIR_ASSIGN_OR_RETURN(const int64_t latest, LatestVersion());
  offset_.in_snapshot = options_.start.kind == StreamStart::Kind::kSnapshot;
  offset_.next_version = offset_.in_snapshot ? latest : latest + 1;
  return {};
}

bool ChangeStream::Fits(int64_t files, int64_t bytes, int64_t rows) const {
  return files <= options_.max_files && bytes <= options_.max_bytes &&
         rows <= options_.max_rows.value_or(rows);
}

// Those of the files of version next_version that fit into one batch, behind the ones that were
// given out. No files when there are no more, and when there are none at all.
Result<StreamBatch> ChangeStream::PlanPart() {
  StreamBatch batch;
  batch.is_snapshot = offset_.in_snapshot;
  batch.first = batch.last = offset_.next_version;
  batch.first_file = offset_.next_file;
  const std::string version = std::to_string(batch.last);
  batch.range = {version, version, false};
  batch.options = PartOptions(options_.reading, batch.is_snapshot);
  // One more than fit tells whether there are any.
  const auto listed =
      FeedCall("table_change_files", options_.table, batch.range,
               batch.options + SliceOptions(batch.first_file, options_.max_files + 1));
  WEIR_ASSIGN_OR_RETURN(const auto files,
                        session_->Query("SELECT size, coalesce(rows, " +
                                        std::to_string(options_.max_rows.value_or(0)) + ") FROM " +
                                        listed + " WHERE path IS NOT NULL"));
  int64_t bytes = 0;
  int64_t rows = 0;
  while (batch.ends_version) {
    WEIR_ASSIGN_OR_RETURN(const bool more, files->NextBatch());
    if (!more) break;
    for (size_t row = 0; row < files->batch_size() && batch.ends_version; ++row) {
      bytes += files->Int64(0, row);
      rows += files->Int64(1, row);
      batch.ends_version = batch.files == 0 || Fits(batch.files + 1, bytes, rows);
      if (batch.ends_version) ++batch.files;
    }
  }
  if (batch.is_part()) batch.options += SliceOptions(batch.first_file, batch.files);
  return batch;
}

// The first of the `count` commits from `next` on that fit into one batch; none (last < first) when
// there is nothing new.
Result<StreamBatch> ChangeStream::PlanCommits(int64_t next, int64_t count) {
  const FeedRange planned{std::to_string(next), std::to_string(next + count - 1), true};
  const std::string options = ReadingOptions(options_.reading, true);
  std::string sql =
      "SELECT _commit_version, count(path), coalesce(sum(size), 0)::BIGINT, "
      "coalesce(bool_and(change = 'insert'), false)::BIGINT, coalesce(sum(rows), 0)::BIGINT FROM " +
      FeedCall("table_change_files", options_.table, planned, options) + " GROUP BY 1";
  // Row ids are compared only when rows are read: then the files' rows bound a batch.
  if (options_.max_rows && options_.reading.kind != FeedReading::Kind::kRowIds) {
    sql = "SELECT * EXCLUDE (told) FROM (" + sql +
          ") AS f(_commit_version, files, bytes, only_inserts, told) " +
          "JOIN (SELECT _commit_version, sum(rows)::BIGINT FROM " +
          FeedCall("table_change_metrics", options_.table, planned, options) +
          " GROUP BY 1) USING (_commit_version)";
  }
  WEIR_ASSIGN_OR_RETURN(const auto commits, session_->Query(sql + " ORDER BY 1"));
  StreamBatch batch;
  batch.first = next;
  batch.last = next - 1;
  int64_t bytes = 0;
  int64_t rows = 0;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, commits->NextBatch());
    if (!more) return batch;
    for (size_t row = 0; row < commits->batch_size(); ++row) {
      const int64_t files = commits->Int64(1, row);
      const bool only_inserts = commits->Int64(3, row) != 0;
      bytes += commits->Int64(2, row);
      rows += commits->Int64(4, row);
      const bool fits = Fits(batch.files + files, bytes, rows);
      if (batch.files > 0 && files > 0 && !fits) return batch;
      batch.files += files;
      batch.last = commits->Int64(0, row);
      // Both images of an update are in one batch; a commit that only adds rows has none.
      batch.ends_version = fits || files < 2 || !only_inserts;
      if (!batch.ends_version) return batch;
    }
  }
}

// What is before a commit that cannot be read with those behind it, or at all, is given out first.
Result<StreamBatch> ChangeStream::NextCommits(int64_t next) {
  int64_t count = options_.max_rows ? kMaxCountedCommits : kMaxCommits;
  while (true) {
    auto batch = PlanCommits(next, count);
    if (batch || count == 1 || batch.error().kind != ErrorKind::kInvalidArgument) return batch;
    count = (count + 1) / 2;
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

Result<bool> ChangeStream::MayHaveMore() {
  if (idle_polls_ < 0 || idle_polls_ >= kMaxIdlePolls) return true;
  const auto commit = log_.store->Head(
      storage::JoinPath(log_.log_dir(), delta::CommitFileName(offset_.next_version)));
  if (commit) return true;
  if (commit.error().kind != ErrorKind::kNotFound) return Fail(commit.error());
  ++idle_polls_;
  return false;
}

// The next batch with files, to which the offset has come; nullopt for none.
Result<std::optional<StreamBatch>> ChangeStream::NextBatch() {
  while (true) {
    if (offset_.in_snapshot || offset_.next_file > 0) {
      WEIR_ASSIGN_OR_RETURN(auto part, PlanPart());
      // An empty table is told of, too.
      if (part.files > 0 || (part.is_snapshot && part.first_file == 0)) return part;
      offset_ = {offset_.table_id, part.last + 1};
    }
    WEIR_ASSIGN_OR_RETURN(auto batch, NextCommits(offset_.next_version));
    if (batch.last < batch.first) return std::nullopt;
    if (batch.files == 0) {
      offset_.next_version = batch.last + 1;
      continue;
    }
    if (!batch.ends_version) {
      offset_.next_version = batch.last;
      return PlanPart();
    }
    batch.range = {std::to_string(batch.first), std::to_string(batch.last), false};
    batch.options = ReadingOptions(options_.reading, true);
    return batch;
  }
}

Result<std::optional<StreamBatch>> ChangeStream::Poll() {
  if (!offset_.in_snapshot && offset_.next_file == 0) {
    WEIR_ASSIGN_OR_RETURN(const bool may_have_more, MayHaveMore());
    if (!may_have_more) return std::nullopt;
  }
  // Dropped and made anew while it was followed.
  WEIR_ASSIGN_OR_RETURN(const std::string id, TableId());
  WEIR_RETURN_IF_ERROR(CheckTable(id, offset_.table_id));
  WEIR_ASSIGN_OR_RETURN(auto batch, NextBatch());
  if (!batch) {
    idle_polls_ = 0;
    return std::nullopt;
  }
  batch->sql = "FROM " + ChangesCall(options_.table, batch->range, batch->options);
  // Row ids are compared in no order.
  if (options_.reading.kind == FeedReading::Kind::kRowIds && !batch->is_snapshot)
    batch->sql += " ORDER BY _commit_version";
  WEIR_RETURN_IF_ERROR(CheckColumns(*batch));
  offset_ = batch->Next(offset_.table_id);
  return batch;
}

}  // namespace weir::changes
