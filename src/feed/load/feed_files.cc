// SPDX-License-Identifier: Apache-2.0
#include "feed/load/feed_files.h"

#include <algorithm>
#include <filesystem>

#include "storage/object_store.h"
#include "storage/remote_store.h"

namespace weir::feed {

namespace fs = std::filesystem;

std::string FeedFolder(const FeedProject& project, const UsedTable& table) {
  return storage::JoinPath(project.lake_location,
                           "lake/" + table.source + "/" + table.schema + "/" + table.table);
}

std::string FeedFile(const FeedProject& project, const UsedTable& table, int64_t generation,
                     const std::string& run_id, int64_t etl_date) {
  const std::string day = TimestampText(etl_date);
  return FeedFolder(project, table) + "/Year=" + day.substr(0, 4) + "/Month=" + day.substr(5, 2) +
         "/" + table.table + "-g" + std::to_string(generation) + "-" + run_id + ".parquet";
}

std::string FeedGlob(const FeedProject& project, const UsedTable& table, int64_t generation) {
  return FeedFolder(project, table) + "/Year=*/Month=*/" + table.table + "-g" +
         (generation == 0 ? "*" : std::to_string(generation) + "-*") + ".parquet";
}

bool IsFeedFile(const FeedProject& project, const UsedTable& table, std::string_view path) {
  const std::string folder = storage::NormalizeLocation(FeedFolder(project, table)) + "/";
  if (!StartsWith(path, folder + "Year=")) return false;
  const std::string_view rest = path.substr(folder.size());
  const size_t month = rest.find('/') + 1;
  const size_t name = rest.find('/', month) + 1;
  return month > 0 && name > 0 && StartsWith(rest.substr(month), "Month=") &&
         StartsWith(rest.substr(name), table.table + "-g") && EndsWith(rest, ".parquet") &&
         rest.find('/', name) == std::string_view::npos;
}

Result<std::vector<std::string>> FeedFiles(engine::Session& session, const FeedProject& project,
                                           const UsedTable& table, int64_t generation) {
  WEIR_ASSIGN_OR_RETURN(
      const auto rows,
      Rows(session, "SELECT file FROM glob(" + QuoteLiteral(FeedGlob(project, table, generation)) +
                        ") ORDER BY file"));
  std::vector<std::string> files;
  for (const Row& row : rows) files.push_back(row[0].value_or(""));
  return files;
}

Status WriteFeedFile(engine::Session& session, const std::string& path, const Stage& stage,
                     const Mutations& mutations, int64_t etl_date) {
  const std::string etl = TimestampLiteral(etl_date);
  std::string target = path;
  if (!storage::IsRemoteLocation(path)) {
    const fs::path file = path;
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);
    if (failure) return Fail(IoError("WEIR_IO_ERROR", path + ": " + failure.message()));
    target = (file.parent_path() / ("." + file.filename().string() + ".tmp")).string();
  }
  WEIR_RETURN_IF_ERROR(session.Execute(
      "COPY (SELECT " + Names(stage.columns) + ", " + etl +
      " AS \"ETL_Date\", \"KeyHash\", \"RowHash\", \"YresAction\", " + etl +
      " AS \"YresDateStart\" FROM " + mutations.table + " WHERE \"YresAction\" <> 'N') TO " +
      QuoteLiteral(target) + " (FORMAT parquet)"));
  if (target == path) return {};
  std::error_code failure;
  fs::rename(target, path, failure);
  if (!failure) return {};
  return Fail(IoError("WEIR_IO_ERROR", path + ": " + failure.message()));
}

Status DeleteFeedFile(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(path));
  return store->Delete(path);
}

}  // namespace weir::feed
