// SPDX-License-Identifier: Apache-2.0
#include "feed/load/load.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>

#include "base/file_lock.h"
#include "base/parallel.h"
#include "base/uuid.h"
#include "feed/load/run_state.h"
#include "feed/views/read_objects.h"
#include "storage/remote_store.h"

namespace weir::feed {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTablesAtOnce = 4;

Status CheckRunId(const std::string& run_id) {
  const bool fits =
      run_id.size() <= 100 && run_id[0] != '.' && std::ranges::all_of(run_id, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
      });
  if (fits) return {};
  return Fail(InvalidArgument("WEIR_FEED_RUN_ID_INVALID",
                              "run id '" + run_id +
                                  "': expected up to 100 letters, digits, '-', "
                                  "'_' or '.', as it becomes part of a file's name"));
}

Result<FileLock> Lock(const FeedProject& project) {
  const fs::path file = storage::IsRemoteLocation(project.warehouse)
                            ? project.root / ".weir-feed.lock"
                            : fs::path(project.warehouse) / "_weir_feed" / "lock";
  std::string holder;
  WEIR_ASSIGN_OR_RETURN(auto lock, FileLock::TryAcquire(file, holder));
  if (lock) return std::move(*lock);
  return Fail(ConflictRetryable(
      "WEIR_FEED_ALREADY_RUNNING",
      project.file.string() + ": this feed is being loaded by " + holder + "; wait for its end"));
}

// One pair of sessions for each thread that loads tables.
struct Sessions {
  std::unique_ptr<engine::Session> lake;
  std::unique_ptr<engine::Session> dwh;
};

Result<std::vector<Sessions>> OpenSessions(engine::Database& database, const FeedProject& project,
                                           size_t count) {
  std::vector<Sessions> sessions(count);
  for (Sessions& pair : sessions) {
    WEIR_ASSIGN_OR_RETURN(pair.lake, OpenWarehouse(database, project, true, false));
    WEIR_ASSIGN_OR_RETURN(pair.dwh, OpenWarehouse(database, project, true, false));
  }
  return sessions;
}

}  // namespace

Result<std::unique_ptr<engine::Session>> OpenWarehouse(engine::Database& database,
                                                       const FeedProject& project, bool may_create,
                                                       bool first) {
  WEIR_ASSIGN_OR_RETURN(auto session, database.Connect());
  if (first) {
    std::error_code failure;
    if (!storage::IsRemoteLocation(project.warehouse) &&
        !fs::is_directory(project.warehouse, failure)) {
      if (!may_create) {
        return Fail(NotFound("WEIR_FEED_WAREHOUSE_MISSING",
                             project.warehouse + " does not exist: nothing has been loaded yet"));
      }
      fs::create_directories(project.warehouse, failure);
      if (failure)
        return Fail(IoError("WEIR_IO_ERROR", project.warehouse + ": " + failure.message()));
    }
    WEIR_RETURN_IF_ERROR(session->AttachWarehouse(project.warehouse, kWarehouse));
  } else {
    WEIR_RETURN_IF_ERROR(session->Execute(std::string("USE ") + kWarehouse));
  }
  WEIR_RETURN_IF_ERROR(
      session->Execute("SET file_search_path = " + QuoteLiteral(project.root.string())));
  if (!first) return session;
  for (const std::string& statement : project.setup) {
    const Status done = session->Execute(statement);
    if (!done) return Fail(done.error().WithContext(project.file.string() + ": `setup`"));
  }
  return session;
}

Result<LoadResult> LoadTables(engine::Database& database, const FeedProject& project,
                              const std::vector<const UsedTable*>& tables, LoadOptions options,
                              LoadObserver& observer) {
  LoadResult result;
  if (options.run_id.empty()) options.run_id = Uuid::Random().ToString();
  WEIR_RETURN_IF_ERROR(CheckRunId(options.run_id));
  result.run_id = options.run_id;
  WEIR_ASSIGN_OR_RETURN(const auto session, OpenWarehouse(database, project, true));
  WEIR_ASSIGN_OR_RETURN(const FileLock lock, Lock(project));
  WEIR_RETURN_IF_ERROR(MakeLogTables(*session, project));

  const size_t threads = std::min({tables.size(), kTablesAtOnce, HardwareThreads()});
  WEIR_ASSIGN_OR_RETURN(const auto sessions, OpenSessions(database, project, threads));
  for (const Sessions& pair : sessions) {
    if (observer.WantsPercent()) WEIR_RETURN_IF_ERROR(pair.lake->TrackProgress());
  }
  result.tables.resize(tables.size());
  std::mutex mutex;
  size_t next = 0;
  ParallelFor(threads, threads, [&](size_t thread) {
    while (true) {
      size_t at = 0;
      {
        const std::lock_guard guard(mutex);
        if (next == tables.size()) return;
        at = next++;
      }
      const Sessions& own = sessions[thread];
      const auto at_phase = [&](std::string_view phase) {
        const std::lock_guard guard(mutex);
        observer.TableAt(*tables[at], phase, [&own] { return own.lake->ProgressPercent(); });
      };
      TableReport report = LoadTable(project, *tables[at], options, *own.lake, *own.dwh, at_phase);
      const std::lock_guard guard(mutex);
      observer.TableDone(report);
      result.tables[at] = std::move(report);
    }
  });

  WEIR_RETURN_IF_ERROR(LogRun(*session, options.run_id, result.tables));
  std::vector<const UsedTable*> loaded;
  for (const TableReport& report : result.tables) {
    if (!report.error && report.table->lake_only()) loaded.push_back(report.table);
  }
  WEIR_ASSIGN_OR_RETURN(result.warnings,
                        KeepReadObjects(*session, project, loaded, options.run_id));
  return result;
}

Result<std::vector<std::string>> ResetIndexes(engine::Database& database,
                                              const FeedProject& project,
                                              const std::vector<const UsedTable*>& tables) {
  WEIR_ASSIGN_OR_RETURN(const auto session, OpenWarehouse(database, project, false));
  WEIR_ASSIGN_OR_RETURN(const FileLock lock, Lock(project));
  std::vector<std::string> reset;
  for (const UsedTable* table : tables) {
    WEIR_ASSIGN_OR_RETURN(RunState state, ReadRunState(project, *table));
    if (state.status == RunStatus::kStarted) {
      return Fail(ConflictRetryable("WEIR_FEED_RUN_UNFINISHED",
                                    "table " + table->display() + ": run " + state.run_id +
                                        " was stopped half way; run `weir feed load " +
                                        table->id() + "` first, which heals it"));
    }
    WEIR_ASSIGN_OR_RETURN(const bool exists, HasTable(*session, project.schema_lake, table->id()));
    if (!exists) continue;
    state.status = RunStatus::kNone;
    WEIR_RETURN_IF_ERROR(WriteRunState(project, *table, state));
    WEIR_RETURN_IF_ERROR(
        session->Execute("DROP TABLE " + InWarehouse(project.schema_lake, table->id())));
    reset.push_back(project.schema_lake + "." + table->id());
  }
  return reset;
}

}  // namespace weir::feed
