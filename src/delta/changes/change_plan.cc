// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/change_plan.h"

#include "delta/changes/change_schema.h"
#include "delta/features/features.h"

namespace weir::delta {
namespace {

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

// The protocol and metadata of a version, moved on commit by commit.
struct TableState {
  Protocol protocol;
  Metadata metadata;
  TypePtr schema;

  // Whether the commit has changed any of it.
  Result<bool> Apply(const std::vector<Action>& commit) {
    bool has_changed = false;
    for (const auto& action : commit) {
      if (const auto* new_protocol = std::get_if<Protocol>(&action)) {
        protocol = *new_protocol;
        has_changed = true;
      }
      if (const auto* new_metadata = std::get_if<Metadata>(&action)) {
        metadata = *new_metadata;
        WEIR_ASSIGN_OR_RETURN(schema, ParseSchema(metadata.schema_string));
        has_changed = true;
      }
    }
    return has_changed;
  }
};

class Planner {
 public:
  Planner(const SnapshotPtr& latest, ChangeRange range) : latest_(latest), log_(latest->log()) {
    plan_.range = range;
  }

  Result<ChangePlan> Plan() {
    WEIR_RETURN_IF_ERROR(ChooseSchema());
    if (plan_.range.empty()) return std::move(plan_);
    WEIR_ASSIGN_OR_RETURN(SnapshotPtr start, LoadVersion(plan_.range.first));
    state_ = {start->protocol(), start->metadata(), start->schema()};
    WEIR_RETURN_IF_ERROR(CheckState(plan_.range.first));
    WEIR_ASSIGN_OR_RETURN(auto times,
                          ReadCommitTimestamps(log_, plan_.range.first, plan_.range.last));
    for (int64_t version = plan_.range.first; version <= plan_.range.last; ++version) {
      WEIR_RETURN_IF_ERROR(PlanVersion(version));
    }
    // Both ascend, and every commit with changes has its time.
    auto time = times.begin();
    for (auto& commit : plan_.commits) {
      while (time != times.end() && time->version < commit.version) ++time;
      if (time != times.end()) commit.timestamp_ms = time->timestamp_ms;
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

  Status CheckState(int64_t version) const {
    if (!IsActive(Feature::kChangeDataFeed, state_.protocol, state_.metadata, *state_.schema)) {
      return Fail(FeedIsOff(log_, version, plan_.range));
    }
    auto conflict = FindSchemaConflict(*state_.schema, *plan_.schema);
    if (conflict) return Fail(SchemaDoesNotFit(version, *conflict));
    return {};
  }

  Status PlanVersion(int64_t version) {
    WEIR_ASSIGN_OR_RETURN(auto actions, ReadCommit(log_, version));
    WEIR_ASSIGN_OR_RETURN(bool has_changed, state_.Apply(actions));
    if (has_changed) WEIR_RETURN_IF_ERROR(CheckState(version));
    WEIR_ASSIGN_OR_RETURN(auto files, FindChanges(actions, version));
    if (!files.empty()) plan_.commits.push_back({version, 0, std::move(files)});
    return {};
  }

  SnapshotPtr latest_;
  const TableLog& log_;
  ChangePlan plan_;
  TableState state_;
};

}  // namespace

Result<ChangePlan> PlanChanges(const SnapshotPtr& latest, const ChangeBounds& bounds) {
  WEIR_ASSIGN_OR_RETURN(ChangeRange range, ResolveChangeRange(*latest, bounds));
  return Planner(latest, range).Plan();
}

}  // namespace weir::delta
