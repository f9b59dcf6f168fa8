// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/change_plan.h"

#include <algorithm>

#include "base/parallel.h"
#include "delta/changes/change_schema.h"
#include "delta/features/features.h"

namespace weir::delta {
namespace {

constexpr size_t kReadThreads = 16;

Error FeedIsOff(const TableLog& log, int64_t version, const ChangeRange& range) {
  return InvalidArgument("DELTA_MISSING_CHANGE_DATA",
                         "the change data feed of the table at '" + log.root +
                             "' was not on at version " + std::to_string(version) +
                             " (asked for: " + std::to_string(range.first) + " to " +
                             std::to_string(range.last) +
                             "); it can be read for versions after delta.enableChangeDataFeed was "
                             "set to true",
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
  std::optional<std::string> operation;
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;

  bool has_state() const { return protocol || metadata; }
};

Result<CommitContent> ReadContent(const TableLog& log, int64_t version) {
  WEIR_ASSIGN_OR_RETURN(auto actions, ReadCommit(log, version));
  CommitContent content;
  WEIR_ASSIGN_OR_RETURN(content.files, FindChanges(actions, version));
  for (auto& action : actions) {
    if (auto* protocol = std::get_if<Protocol>(&action)) content.protocol = std::move(*protocol);
    if (auto* metadata = std::get_if<Metadata>(&action)) content.metadata = std::move(*metadata);
    if (auto* info = std::get_if<CommitInfo>(&action)) content.operation = info->operation();
  }
  return content;
}

class Planner {
 public:
  Planner(const SnapshotPtr& latest, ChangeRange range) : latest_(latest), log_(latest->log()) {
    plan_.range = range;
  }

  Result<ChangePlan> Plan() {
    WEIR_RETURN_IF_ERROR(ChooseSchema());
    if (plan_.range.empty()) return std::move(plan_);
    WEIR_RETURN_IF_ERROR(ReadCommits());
    WEIR_RETURN_IF_ERROR(CheckStates());
    WEIR_ASSIGN_OR_RETURN(auto times,
                          ReadCommitTimestamps(log_, plan_.range.first, plan_.range.last));
    auto time = times.begin();
    for (size_t i = 0; i < commits_.size(); ++i) {
      const int64_t version = plan_.range.first + static_cast<int64_t>(i);
      while (time != times.end() && time->version < version) ++time;
      const int64_t timestamp_ms = time == times.end() ? 0 : time->timestamp_ms;
      plan_.commits.push_back(
          {version, timestamp_ms, std::move(commits_[i].operation), std::move(commits_[i].files)});
    }
    return std::move(plan_);
  }

 private:
  Result<SnapshotPtr> LoadVersion(int64_t version) const {
    if (version == latest_->version()) return latest_;
    return Snapshot::Load(log_, {version, std::nullopt});
  }

  Status ChooseSchema() {
    SnapshotPtr source = latest_;
    bool has_mapping = IsActive(Feature::kColumnMapping, latest_->protocol(), latest_->metadata(),
                                *latest_->schema());
    if (has_mapping && !plan_.range.empty()) {
      WEIR_ASSIGN_OR_RETURN(source, LoadVersion(plan_.range.last));
    }
    plan_.metadata = source->metadata();
    plan_.schema = source->schema();
    return {};
  }

  Status ReadCommits() {
    commits_.resize(static_cast<size_t>(plan_.range.last - plan_.range.first + 1));
    std::vector<Status> outcomes(commits_.size());
    ParallelFor(commits_.size(), kReadThreads, [&](size_t i) {
      auto content = ReadContent(log_, plan_.range.first + static_cast<int64_t>(i));
      if (content) {
        commits_[i] = std::move(*content);
      } else {
        outcomes[i] = Fail(content.error());
      }
    });
    for (auto& outcome : outcomes) WEIR_RETURN_IF_ERROR(std::move(outcome));
    return {};
  }

  // A reader that keeps up with a table must not load old snapshots: a range that ends at the
  // newest version, and in which nothing of it changed, has the newest protocol and metadata.
  Result<SnapshotPtr> LoadStart() const {
    const bool is_steady = std::none_of(commits_.begin() + 1, commits_.end(),
                                        [](const auto& commit) { return commit.has_state(); });
    if (is_steady && plan_.range.last == latest_->version()) return latest_;
    return LoadVersion(plan_.range.first);
  }

  Status CheckStates() {
    WEIR_ASSIGN_OR_RETURN(const SnapshotPtr start, LoadStart());
    Protocol protocol = start->protocol();
    Metadata metadata = start->metadata();
    TypePtr schema = start->schema();
    WEIR_RETURN_IF_ERROR(CheckState(plan_.range.first, protocol, metadata, *schema));
    for (size_t i = 1; i < commits_.size(); ++i) {
      if (!commits_[i].has_state()) continue;
      if (commits_[i].protocol) protocol = *commits_[i].protocol;
      if (commits_[i].metadata) metadata = *commits_[i].metadata;
      WEIR_ASSIGN_OR_RETURN(schema, ParseSchema(metadata.schema_string));
      WEIR_RETURN_IF_ERROR(
          CheckState(plan_.range.first + static_cast<int64_t>(i), protocol, metadata, *schema));
    }
    return {};
  }

  Status CheckState(int64_t version, const Protocol& protocol, const Metadata& metadata,
                    const DataType& schema) const {
    if (!IsActive(Feature::kChangeDataFeed, protocol, metadata, schema)) {
      return Fail(FeedIsOff(log_, version, plan_.range));
    }
    auto conflict = FindSchemaConflict(schema, *plan_.schema);
    if (conflict) return Fail(SchemaDoesNotFit(version, *conflict));
    return {};
  }

  SnapshotPtr latest_;
  const TableLog& log_;
  ChangePlan plan_;
  std::vector<CommitContent> commits_;  // of the range, in its order
};

}  // namespace

Result<ChangePlan> PlanChanges(const SnapshotPtr& latest, const ChangeBounds& bounds) {
  WEIR_ASSIGN_OR_RETURN(ChangeRange range, ResolveChangeRange(*latest, bounds));
  return Planner(latest, range).Plan();
}

}  // namespace weir::delta
