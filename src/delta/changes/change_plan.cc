// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/change_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/parallel.h"
#include "delta/changes/change_schema.h"
#include "delta/features/features.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {
namespace {

constexpr size_t kReadThreads = 16;

std::string AskedFor(const ChangeRange& range) {
  return " (asked for: " + std::to_string(range.first) + " to " + std::to_string(range.last) + ")";
}

Error FeedIsOff(const TableLog& log, int64_t version, const ChangeRange& range, bool has_row_ids) {
  return InvalidArgument(
      "DELTA_MISSING_CHANGE_DATA",
      "the change data feed of the table at '" + log.root + "' was not on at version " +
          std::to_string(version) + AskedFor(range) +
          "; it can be read for versions after delta.enableChangeDataFeed was set to true" +
          (has_row_ids ? "; the table has row tracking: by_row_id => true finds out what changed "
                         "from its row ids"
                       : ""),
      "KD002");
}

Error RowTrackingIsOff(const TableLog& log, int64_t version, const ChangeRange& range) {
  return InvalidArgument("DELTA_MISSING_CHANGE_DATA",
                         "the table at '" + log.root + "' had no row tracking at version " +
                             std::to_string(version) + AskedFor(range) +
                             ": changes are found by row id only from the version on at which "
                             "delta.enableRowTracking was set to true",
                         "KD002");
}

Error SchemaDoesNotFit(int64_t version, const std::string& why) {
  return InvalidArgument("DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA",
                         "the rows of version " + std::to_string(version) +
                             " do not fit the schema of the change feed: " + why +
                             "; read the versions before and after that change apart",
                         "0AKDC");
}

// What a commit of the range says.
struct CommitContent {
  std::vector<ChangeFile> files;
  int64_t skipped_files = 0;
  std::optional<std::string> operation;
  std::optional<int64_t> in_commit_timestamp;
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;

  bool has_state() const { return protocol || metadata; }
};

// The added and removed files of a commit whose paths are not among the files that are read.
int64_t CountSkipped(const std::vector<Action>& actions, const std::vector<ChangeFile>& read) {
  std::set<std::string_view> paths;
  for (const auto& file : read) paths.insert(file.path);
  int64_t skipped = 0;
  for (const auto& action : actions) {
    if (const auto* add = std::get_if<AddFile>(&action)) skipped += !paths.contains(add->path);
    if (const auto* remove = std::get_if<RemoveFile>(&action))
      skipped += !paths.contains(remove->path);
  }
  return skipped;
}

Result<CommitContent> ReadContent(const TableLog& log, const ChangeReading& reading,
                                  int64_t version) {
  WEIR_ASSIGN_OR_RETURN(auto actions, ReadCommit(log, version));
  CommitContent content;
  WEIR_ASSIGN_OR_RETURN(content.files,
                        FindChangesBy(reading.source, reading.appends, actions, version));
  content.skipped_files = CountSkipped(actions, content.files);
  for (auto& action : actions) {
    if (auto* protocol = std::get_if<Protocol>(&action)) content.protocol = std::move(*protocol);
    if (auto* metadata = std::get_if<Metadata>(&action)) content.metadata = std::move(*metadata);
    if (auto* info = std::get_if<CommitInfo>(&action)) {
      content.operation = info->operation();
      content.in_commit_timestamp = info->in_commit_timestamp();
    }
  }
  return content;
}

// The times of the commit files from `first` on, each greater than the one before it in the whole
// log; `before_ms` is the time of the commit before `first`, where it is known.
Result<std::map<int64_t, int64_t>> FileTimes(const TableLog& log, int64_t first,
                                             std::optional<int64_t> before_ms) {
  WEIR_ASSIGN_OR_RETURN(const LogListing listing,
                        before_ms ? ListCommitsFrom(log, first) : ListLog(log));
  std::map<int64_t, int64_t> by_version;
  std::optional<int64_t> last = before_ms;
  for (const auto& commit : listing.commits) {
    last = last ? std::max(commit.info.modified_ms, *last + 1) : commit.info.modified_ms;
    by_version[commit.version] = *last;
  }
  return by_version;
}

// What holds from one version of the range on.
struct SchemaState {
  int64_t version = 0;
  Protocol protocol;
  Metadata metadata;
  TypePtr schema;
};

class Planner {
 public:
  Planner(const SnapshotPtr& latest, ChangeRange range, const ChangeReading& reading,
          const VersionState* before)
      : latest_(latest), log_(latest->log()), reading_(reading), before_(before) {
    plan_.range = range;
  }

  Result<ChangePlan> Plan() {
    plan_.metadata = latest_->metadata();
    plan_.schema = latest_->schema();
    plan_.end = {latest_->version(), latest_->protocol(), latest_->metadata(),
                 latest_->timestamp_ms()};
    if (plan_.range.empty()) return std::move(plan_);
    if (reading_.snapshot) return PlanSnapshot();
    WEIR_RETURN_IF_ERROR(ReadCommits());
    WEIR_RETURN_IF_ERROR(FollowStates());
    const bool has_mapping = IsActive(Feature::kColumnMapping, latest_->protocol(),
                                      latest_->metadata(), *latest_->schema());
    if (has_mapping || reading_.end_schema) {
      plan_.metadata = states_.back().metadata;
      plan_.schema = states_.back().schema;
    }
    plan_.end = {plan_.range.last, states_.back().protocol, states_.back().metadata, 0};
    for (const auto& state : states_) WEIR_RETURN_IF_ERROR(CheckState(state));
    WEIR_RETURN_IF_ERROR(FillCommits());
    plan_.end.timestamp_ms = plan_.commits.back().timestamp_ms;
    return std::move(plan_);
  }

 private:
  Result<ChangePlan> PlanSnapshot() {
    SnapshotPtr snapshot = latest_;
    if (plan_.range.last != latest_->version()) {
      WEIR_ASSIGN_OR_RETURN(snapshot, Snapshot::Load(log_, {plan_.range.last, std::nullopt}));
    }
    plan_.metadata = snapshot->metadata();
    plan_.schema = snapshot->schema();
    plan_.end = {snapshot->version(), snapshot->protocol(), snapshot->metadata(),
                 snapshot->timestamp_ms()};
    WEIR_RETURN_IF_ERROR(CheckState(
        {snapshot->version(), snapshot->protocol(), snapshot->metadata(), snapshot->schema()}));
    plan_.commits.push_back({snapshot->version(), snapshot->timestamp_ms(), std::nullopt,
                             SnapshotAsInserts(snapshot->files()), 0});
    return std::move(plan_);
  }

  Status ReadCommits() {
    commits_.resize(static_cast<size_t>(plan_.range.last - plan_.range.first + 1));
    return TryParallelFor(commits_.size(), kReadThreads, [&](size_t i) -> Status {
      const int64_t version = plan_.range.first + static_cast<int64_t>(i);
      WEIR_ASSIGN_OR_RETURN(commits_[i], ReadContent(log_, reading_, version));
      return {};
    });
  }

  // The state at the first version. A reader that keeps up with a table must not load old
  // snapshots: the state is known when the commit says it itself, when the caller knows the state
  // before it, or when nothing of the newest version's state changed since.
  Result<SchemaState> FirstState() const {
    const CommitContent& commit = commits_.front();
    SchemaState state;
    state.version = plan_.range.first;
    const bool continues = Continues();
    if (continues || (commit.protocol && commit.metadata)) {
      if (continues) state.protocol = before_->protocol;
      if (continues) state.metadata = before_->metadata;
      if (commit.protocol) state.protocol = *commit.protocol;
      if (commit.metadata) state.metadata = *commit.metadata;
      WEIR_ASSIGN_OR_RETURN(state.schema, ParseSchema(state.metadata.schema_string));
      return state;
    }
    const bool is_steady = std::none_of(commits_.begin() + 1, commits_.end(),
                                        [](const auto& content) { return content.has_state(); });
    SnapshotPtr snapshot = latest_;
    if (!is_steady || plan_.range.last != latest_->version()) {
      WEIR_ASSIGN_OR_RETURN(snapshot, Snapshot::Load(log_, {plan_.range.first, std::nullopt}));
    }
    state.protocol = snapshot->protocol();
    state.metadata = snapshot->metadata();
    state.schema = snapshot->schema();
    return state;
  }

  Status FollowStates() {
    WEIR_ASSIGN_OR_RETURN(auto first, FirstState());
    states_.push_back(std::move(first));
    for (size_t i = 1; i < commits_.size(); ++i) {
      if (!commits_[i].has_state()) continue;
      SchemaState state = states_.back();
      state.version = plan_.range.first + static_cast<int64_t>(i);
      if (commits_[i].protocol) state.protocol = *commits_[i].protocol;
      if (commits_[i].metadata) state.metadata = *commits_[i].metadata;
      WEIR_ASSIGN_OR_RETURN(state.schema, ParseSchema(state.metadata.schema_string));
      states_.push_back(std::move(state));
    }
    return {};
  }

  Status CheckState(const SchemaState& state) const {
    const auto is_active = [&](Feature feature) {
      return IsActive(feature, state.protocol, state.metadata, *state.schema);
    };
    if (reading_.source == ChangeSource::kFeed && !is_active(Feature::kChangeDataFeed)) {
      return Fail(FeedIsOff(log_, state.version, plan_.range, is_active(Feature::kRowTracking)));
    }
    if (reading_.source == ChangeSource::kFiles && !is_active(Feature::kRowTracking))
      return Fail(RowTrackingIsOff(log_, state.version, plan_.range));
    auto conflict = FindSchemaConflict(*state.schema, *plan_.schema);
    if (conflict) return Fail(SchemaDoesNotFit(state.version, *conflict));
    return {};
  }

  bool Continues() const { return before_ && before_->version == plan_.range.first - 1; }

  std::optional<int64_t> TimeBefore() const {
    return Continues() ? std::optional(before_->timestamp_ms) : std::nullopt;
  }

  Status FillCommits() {
    std::map<int64_t, int64_t> file_times;
    const bool needs_times = std::any_of(commits_.begin(), commits_.end(), [](const auto& content) {
      return !content.in_commit_timestamp;
    });
    if (needs_times) {
      WEIR_ASSIGN_OR_RETURN(file_times, FileTimes(log_, plan_.range.first, TimeBefore()));
    }
    for (size_t i = 0; i < commits_.size(); ++i) {
      const int64_t version = plan_.range.first + static_cast<int64_t>(i);
      const auto time = file_times.find(version);
      const int64_t file_time_ms = time == file_times.end() ? 0 : time->second;
      plan_.commits.push_back({version, commits_[i].in_commit_timestamp.value_or(file_time_ms),
                               std::move(commits_[i].operation), std::move(commits_[i].files),
                               commits_[i].skipped_files});
    }
    return {};
  }

  SnapshotPtr latest_;
  const TableLog& log_;
  const ChangeReading& reading_;
  const VersionState* const before_;
  ChangePlan plan_;
  std::vector<CommitContent> commits_;  // of the range, in its order
  std::vector<SchemaState> states_;     // each where it begins to hold
};

}  // namespace

ChangePlan SliceOf(const ChangePlan& plan, const FileSlice& slice) {
  ChangePlan part{plan.range, plan.metadata, plan.schema, plan.end, {}};
  int64_t skip = slice.skip;
  int64_t left = slice.count.value_or(std::numeric_limits<int64_t>::max());
  for (const auto& commit : plan.commits) {
    const auto size = static_cast<int64_t>(commit.files.size());
    const int64_t first = std::min(skip, size);
    const int64_t last = first + std::min(left, size - first);
    skip -= first;
    left -= last - first;
    part.commits.push_back({commit.version,
                            commit.timestamp_ms,
                            commit.operation,
                            {commit.files.begin() + first, commit.files.begin() + last},
                            commit.skipped_files});
  }
  return part;
}

Result<ChangePlan> PlanChanges(const SnapshotPtr& latest, const ChangeBounds& bounds,
                               const ChangeReading& reading, const VersionState* before) {
  WEIR_ASSIGN_OR_RETURN(ChangeRange range, ResolveChangeRange(*latest, bounds));
  return Planner(latest, range, reading, before).Plan();
}

}  // namespace weir::delta
