// SPDX-License-Identifier: Apache-2.0
#include "feed/load/table_load.h"

#include <algorithm>
#include <chrono>

#include "base/parallel.h"
#include "feed/index/compare.h"
#include "feed/index/index_table.h"
#include "feed/load/feed_files.h"
#include "feed/load/generations.h"
#include "feed/load/history_table.h"
#include "feed/load/run_state.h"
#include "feed/load/stage.h"

namespace weir::feed {
namespace {

class TableLoad {
 public:
  TableLoad(const FeedProject& project, const UsedTable& table, const LoadOptions& options,
            engine::Session& lake, engine::Session& dwh,
            const std::function<void(std::string_view)>& at_phase, TableReport& report)
      : project_(project),
        table_(table),
        options_(options),
        lake_(lake),
        dwh_(dwh),
        at_phase_(at_phase),
        report_(report),
        index_(project, table),
        history_(table) {}

  Status Run() {
    if (table_.on_lake && project_.lake_location.empty()) {
      return Fail(InvalidArgument("WEIR_FEED_LAKE_LOCATION_UNSET",
                                  project_.file.string() + ": table " + table_.display() +
                                      " is on DL, but `settings` has no LakeLocation"));
    }
    WEIR_ASSIGN_OR_RETURN(state_, ReadRunState(project_, table_));
    WEIR_RETURN_IF_ERROR(CheckNotSuperseded());
    WEIR_RETURN_IF_ERROR(CheckKeysStay());
    at_phase_("reads");
    WEIR_ASSIGN_OR_RETURN(stage_, StageRows(lake_, table_, report_.load_type));
    report_.rows_read = stage_.rows;
    at_phase_("writes");
    WEIR_RETURN_IF_ERROR(Begin());
    Status done = Write();
    if (done) done = Finish();
    if (!done) (void)TakeBack();  // when this fails too, the next run does it
    return done;
  }

  void Forget() {
    DropStage(lake_, stage_);
    for (const Mutations& mutations : {sent_, kept_}) {
      if (!mutations.table.empty()) (void)lake_.Execute("DROP TABLE IF EXISTS " + mutations.table);
    }
  }

 private:
  bool IsRepeat() const {
    return state_.status != RunStatus::kNone && state_.run_id == options_.run_id;
  }

  Status CheckNotSuperseded() {
    if (!table_.on_lake || state_.run_id == options_.run_id) return {};
    WEIR_ASSIGN_OR_RETURN(const auto files, FeedFiles(lake_, project_, table_));
    for (const std::string& file : files) {
      if (!EndsWith(file, "-" + options_.run_id + ".parquet")) continue;
      return Fail(InvalidArgument("WEIR_FEED_RUN_SUPERSEDED",
                                  "table " + table_.display() + ": run " + options_.run_id +
                                      " has written " + file + " and run " + state_.run_id +
                                      " came after it; only the last run can be repeated, load "
                                      "again under a new --run-id"));
    }
    return {};
  }

  std::string Keys() const {
    return Join(table_.keys, "\n", [](const std::string& key) { return ToLowerAscii(key); });
  }

  // Under other keys no row is met again: whoever sees a part only would keep the old ones for
  // ever.
  Status CheckKeysStay() const {
    const bool takes_back = IsRepeat() || state_.status == RunStatus::kStarted;
    const auto& before = takes_back ? state_.previous_keys : state_.keys;
    const bool is_partial =
        report_.load_type == LoadType::kDelta || report_.load_type == LoadType::kDeltaImage;
    if (!is_partial || !before || *before == Keys()) return {};
    const auto named = [](std::string keys) {
      std::ranges::replace(keys, '\n', ',');
      return keys.empty() ? std::string("none") : keys;
    };
    return Fail(InvalidArgument(
        "WEIR_FEED_KEYS_CHANGED",
        "table " + table_.display() + ": its keys were " + named(*before) + " and are now " +
            named(Keys()) + ", so that a load of type " + std::string(ToString(report_.load_type)) +
            " cannot find the rows that it brings among those of before; load the whole table "
            "once, with --full"));
  }

  // Takes the interrupted or repeated run back, and notes what this one starts from.
  Status Begin() {
    const bool repeat = IsRepeat();
    const int64_t repeated_date = state_.etl_date;
    if (repeat || state_.status == RunStatus::kStarted) WEIR_RETURN_IF_ERROR(TakeBack());
    state_.status = RunStatus::kStarted;
    state_.run_id = options_.run_id;
    state_.etl_date = repeat ? repeated_date : std::max(NowMicros(), state_.etl_date + 1);
    state_.previous_load_type = state_.load_type;
    state_.previous_keys = state_.keys;
    state_.file.clear();
    WEIR_ASSIGN_OR_RETURN(state_.index_version, VersionOf(project_.schema_lake, table_.on_lake));
    WEIR_ASSIGN_OR_RETURN(state_.history_version, VersionOf(kHistorySchema, table_.on_dwh));
    if (table_.on_lake) {
      WEIR_ASSIGN_OR_RETURN(generation_, GenerationOf(lake_, table_, stage_.columns,
                                                      options_.run_id, state_.etl_date));
      report_.generation = generation_.number;
      state_.file =
          FeedFile(project_, table_, generation_.number, options_.run_id, state_.etl_date);
    }
    return WriteRunState(project_, table_, state_);
  }

  Result<int64_t> VersionOf(const std::string& schema, bool used) {
    if (!used) return RunState::kAbsent;
    WEIR_ASSIGN_OR_RETURN(const bool exists, HasTable(lake_, schema, table_.id()));
    if (!exists) return RunState::kAbsent;
    return TableVersion(lake_, schema, table_.id());
  }

  Status TakeBack() {
    if (!state_.file.empty()) WEIR_RETURN_IF_ERROR(DeleteFeedFile(state_.file));
    if (table_.on_lake) WEIR_RETURN_IF_ERROR(Restore(project_.schema_lake, state_.index_version));
    if (table_.on_dwh) WEIR_RETURN_IF_ERROR(Restore(kHistorySchema, state_.history_version));
    state_.status = RunStatus::kNone;
    state_.load_type = state_.previous_load_type;
    state_.keys = state_.previous_keys;
    return WriteRunState(project_, table_, state_);
  }

  Status Restore(const std::string& schema, int64_t version) {
    WEIR_ASSIGN_OR_RETURN(const int64_t now, VersionOf(schema, true));
    if (now == version) return {};
    const std::string name = InWarehouse(schema, table_.id());
    if (version == RunState::kAbsent) return lake_.Execute("DROP TABLE " + name);
    return lake_.Execute("RESTORE TABLE " + name + " TO VERSION AS OF " + std::to_string(version));
  }

  // The two platforms, beside each other.
  Status Write() {
    Status outcomes[2];
    ParallelFor(2, table_.on_lake && table_.on_dwh ? 2 : 1, [&](size_t platform) {
      if (platform == 0 && table_.on_lake) outcomes[0] = WriteLake();
      if (platform == 1 && table_.on_dwh) outcomes[1] = WriteHistory();
    });
    WEIR_RETURN_IF_ERROR(outcomes[0]);
    return outcomes[1];
  }

  // Behind ADDITIONAL loads nobody knows which row of a key was the last.
  bool ResendsAll() const {
    return state_.previous_load_type == LoadType::kAdditional &&
           report_.load_type != LoadType::kAdditional;
  }

  Status WriteLake() {
    bool resend = ResendsAll();
    WEIR_ASSIGN_OR_RETURN(const bool exists, index_.Exists(lake_));
    if (!exists) {
      WEIR_ASSIGN_OR_RETURN(const bool known, index_.Make(lake_, stage_, state_.file));
      resend |= known;
    }
    WEIR_ASSIGN_OR_RETURN(const KnownKeys known, index_.Known(lake_, stage_, resend));
    WEIR_ASSIGN_OR_RETURN(sent_, Compare(lake_, table_, stage_, report_.load_type, known, "feed"));
    if (sent_.counts.total() > 0) {
      WEIR_RETURN_IF_ERROR(WriteFeedFile(lake_, state_.file, stage_, sent_, state_.etl_date));
      report_.file = state_.file;
    }
    return index_.Apply(lake_, stage_, sent_, report_.load_type, state_.etl_date);
  }

  Status WriteHistory() {
    const bool resend = ResendsAll();
    WEIR_RETURN_IF_ERROR(history_.Prepare(dwh_, stage_));
    if (resend || !state_.previous_load_type) WEIR_RETURN_IF_ERROR(history_.MakeVersions(dwh_));
    WEIR_ASSIGN_OR_RETURN(kept_, Compare(dwh_, table_, stage_, report_.load_type,
                                         history_.Known(stage_, resend), "history"));
    return history_.Apply(dwh_, stage_, kept_, report_.load_type, resend, state_.etl_date);
  }

  Status Finish() {
    report_.counts = table_.on_lake ? sent_.counts : kept_.counts;
    report_.unchanged = stage_.rows - report_.counts.inserted - report_.counts.updated;
    state_.status = RunStatus::kDone;
    state_.load_type = report_.load_type;
    state_.keys = Keys();
    return WriteRunState(project_, table_, state_);
  }

  const FeedProject& project_;
  const UsedTable& table_;
  const LoadOptions& options_;
  engine::Session& lake_;
  engine::Session& dwh_;
  const std::function<void(std::string_view)>& at_phase_;
  TableReport& report_;
  IndexTable index_;
  HistoryTable history_;
  RunState state_;
  Stage stage_;
  Generation generation_;
  Mutations sent_;
  Mutations kept_;
};

LoadType TypeOfRun(const UsedTable& table, bool full) {
  const bool partial =
      table.load_type == LoadType::kDelta || table.load_type == LoadType::kDeltaImage;
  return full && partial ? LoadType::kReload : table.load_type;
}

}  // namespace

TableReport LoadTable(const FeedProject& project, const UsedTable& table,
                      const LoadOptions& options, engine::Session& lake, engine::Session& dwh,
                      const std::function<void(std::string_view)>& at_phase) {
  const auto start = std::chrono::steady_clock::now();
  TableReport report;
  report.table = &table;
  report.load_type = TypeOfRun(table, options.full);
  report.started = NowMicros();
  TableLoad load(project, table, options, lake, dwh, at_phase, report);
  const Status done = load.Run();
  load.Forget();
  if (!done) report.error = done.error();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace weir::feed
