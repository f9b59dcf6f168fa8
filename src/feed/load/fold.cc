// SPDX-License-Identifier: Apache-2.0
#include "feed/load/fold.h"

#include <map>
#include <vector>

#include "base/json.h"
#include "feed/load/feed_files.h"
#include "feed/load/load.h"
#include "storage/object_store.h"

namespace weir::feed {
namespace {

/// Files by path; the text tells one writing of a file from another.
using FileStamps = std::map<std::string, std::string>;

class Fold {
 public:
  Fold(engine::Session& session, const FeedProject& project, const UsedTable& table,
       const std::string& target)
      : session_(session), project_(project), table_(table) {
    const size_t dot = target.find('.');
    schema_ = dot == std::string::npos ? "main" : target.substr(0, dot);
    name_ = dot == std::string::npos ? target : target.substr(dot + 1);
    target_ = InWarehouse(schema_, name_);
    note_ = storage::JoinPath(storage::NormalizeLocation(project.warehouse),
                              "_weir_feed/fold-" + schema_ + "." + name_ + ".json");
  }

  Result<FoldReport> Run() {
    WEIR_ASSIGN_OR_RETURN(const FileStamps present, PresentFiles());
    if (present.empty()) {
      return Fail(
          NotFound("WEIR_FEED_NOT_LOADED", "table " + table_.display() + " has no feed files yet"));
    }
    WEIR_ASSIGN_OR_RETURN(const FileStamps folded, ReadNote());
    WEIR_ASSIGN_OR_RETURN(report_.anew, MustStartAnew(present, folded));
    std::vector<std::string> files = report_.anew ? Paths(present) : NewFiles(present, folded);
    if (!report_.anew && !files.empty()) {
      WEIR_ASSIGN_OR_RETURN(const bool fits, FitColumns(files));
      if (!fits) {
        report_.anew = true;
        files = Paths(present);
      }
    }
    report_.files = static_cast<int64_t>(files.size());
    if (!files.empty()) WEIR_RETURN_IF_ERROR(report_.anew ? Replace(files) : Merge(files));
    WEIR_RETURN_IF_ERROR(WriteNote(present));
    return report_;
  }

 private:
  Result<FileStamps> PresentFiles() {
    const std::string folder = FeedFolder(project_, table_);
    WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(folder));
    WEIR_ASSIGN_OR_RETURN(const auto objects,
                          store->ListRecursive(storage::NormalizeLocation(folder)));
    FileStamps files;
    for (const storage::ObjectInfo& object : objects) {
      if (!IsFeedFile(project_, table_, object.path)) continue;
      files[object.path] = std::to_string(object.size) + "@" + std::to_string(object.modified_ms);
    }
    return files;
  }

  Result<FileStamps> ReadNote() {
    FileStamps files;
    WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(note_));
    const auto text = store->Get(note_);
    if (!text && text.error().kind == ErrorKind::kNotFound) return files;
    if (!text) return Fail(text.error());
    const auto json = JsonValue::Parse(*text);
    const JsonValue* feed = json ? json->Find("feed") : nullptr;
    const JsonValue* stamps = json ? json->Find("files") : nullptr;
    if (feed == nullptr || stamps == nullptr || feed->text() != table_.id()) return files;
    for (const auto& [path, stamp] : stamps->members()) files[path] = stamp.text();
    return files;
  }

  Status WriteNote(const FileStamps& files) {
    std::string text;
    JsonWriter writer(text);
    writer.BeginObject().Key("feed").String(table_.id()).Key("files").BeginObject();
    for (const auto& [path, stamp] : files) writer.Key(path).String(stamp);
    writer.EndObject().EndObject();
    WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(note_));
    return store->Put(note_, text + "\n");
  }

  Result<bool> MustStartAnew(const FileStamps& present, const FileStamps& folded) {
    WEIR_ASSIGN_OR_RETURN(const bool exists, HasTable(session_, schema_, name_));
    if (!exists) {
      WEIR_RETURN_IF_ERROR(session_.Execute("CREATE SCHEMA IF NOT EXISTS " +
                                            std::string(kWarehouse) + "." +
                                            QuoteIdentifier(schema_)));
      return true;
    }
    WEIR_ASSIGN_OR_RETURN(columns_, Describe(session_, "SELECT * FROM " + target_));
    if (FindColumn(columns_, "KeyHash") == nullptr ||
        FindColumn(columns_, "YresDateStart") == nullptr) {
      return Fail(InvalidArgument("WEIR_FEED_FOLD_TARGET",
                                  "table " + schema_ + "." + name_ +
                                      " is no fold of a feed (it "
                                      "has no KeyHash and YresDateStart); name another target"));
    }
    for (const auto& [path, stamp] : folded) {
      const auto found = present.find(path);
      if (found == present.end() || found->second != stamp) return true;
    }
    return folded.empty();
  }

  static std::vector<std::string> Paths(const FileStamps& files) {
    std::vector<std::string> paths;
    for (const auto& [path, stamp] : files) paths.push_back(path);
    return paths;
  }

  static std::vector<std::string> NewFiles(const FileStamps& present, const FileStamps& folded) {
    std::vector<std::string> paths;
    for (const auto& [path, stamp] : present) {
      if (!folded.contains(path)) paths.push_back(path);
    }
    return paths;
  }

  static std::string Reader(const std::vector<std::string>& files) {
    return "read_parquet([" +
           Join(files, ", ", [](const std::string& file) { return QuoteLiteral(file); }) +
           "], union_by_name = true, hive_partitioning = false)";
  }

  // Adds columns that the target has not; false when one has another type.
  Result<bool> FitColumns(const std::vector<std::string>& files) {
    WEIR_ASSIGN_OR_RETURN(const auto found, FoldedColumns(files));
    for (const Column& column : found) {
      const Column* own = FindColumn(columns_, column.name);
      if (own != nullptr && own->type != column.type) return false;
      if (own != nullptr) continue;
      WEIR_RETURN_IF_ERROR(session_.Execute("ALTER TABLE " + target_ + " ADD COLUMN " +
                                            QuoteIdentifier(column.name) + " " + column.type));
    }
    return true;
  }

  Result<std::vector<Column>> FoldedColumns(const std::vector<std::string>& files) {
    return Describe(session_,
                    "SELECT * EXCLUDE (\"ETL_Date\", \"YresAction\") FROM " + Reader(files));
  }

  static std::string Newest(const std::vector<std::string>& files) {
    return "SELECT * FROM " + Reader(files) +
           " QUALIFY row_number() OVER (PARTITION BY \"KeyHash\" ORDER BY \"YresDateStart\" DESC)"
           " = 1";
  }

  Status Replace(const std::vector<std::string>& files) {
    const std::string query = " AS SELECT * EXCLUDE (\"ETL_Date\", \"YresAction\") FROM (" +
                              Newest(files) + ") WHERE \"YresAction\" <> 'D'";
    // Empty first: a table cut short before its first commit would leave data files without a log.
    WEIR_RETURN_IF_ERROR(
        session_.Execute("CREATE TABLE IF NOT EXISTS " + target_ + query + " LIMIT 0"));
    WEIR_RETURN_IF_ERROR(session_.Execute("CREATE OR REPLACE TABLE " + target_ + query));
    WEIR_ASSIGN_OR_RETURN(const auto rows, session_.QueryInt64("SELECT count(*) FROM " + target_));
    report_.rows = rows.value_or(0);
    return {};
  }

  Status Merge(const std::vector<std::string>& files) {
    WEIR_ASSIGN_OR_RETURN(const auto columns, FoldedColumns(files));
    WEIR_RETURN_IF_ERROR(
        session_.Execute("CREATE OR REPLACE TABLE memory.main.folding AS " + Newest(files)));
    WEIR_ASSIGN_OR_RETURN(const auto rows,
                          session_.QueryInt64("SELECT count(*) FROM memory.main.folding"));
    report_.rows = rows.value_or(0);
    WEIR_RETURN_IF_ERROR(session_.Execute(
        "MERGE INTO " + target_ +
        " t USING memory.main.folding s ON t.\"KeyHash\" = s.\"KeyHash\" "
        "WHEN MATCHED AND s.\"YresAction\" = 'D' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET " +
        Join(columns, ", ",
             [](const Column& column) {
               const std::string quoted = QuoteIdentifier(column.name);
               return quoted + " = s." + quoted;
             }) +
        Cleared(columns) + " WHEN NOT MATCHED AND s.\"YresAction\" <> 'D' THEN INSERT (" +
        Names(columns) + ") VALUES (" + Names(columns, "s.") + ")"));
    return session_.Execute("DROP TABLE memory.main.folding");
  }

  // Columns that the source has no more are NULL from here on.
  std::string Cleared(const std::vector<Column>& columns) const {
    std::string sets;
    for (const Column& own : columns_) {
      if (FindColumn(columns, own.name) == nullptr)
        sets += ", " + QuoteIdentifier(own.name) + " = NULL";
    }
    return sets;
  }

  engine::Session& session_;
  const FeedProject& project_;
  const UsedTable& table_;
  std::string schema_;
  std::string name_;
  std::string target_;
  std::string note_;
  std::vector<Column> columns_;  // of the target, when it was there
  FoldReport report_;
};

}  // namespace

Result<FoldReport> FoldFeed(engine::Database& database, const FeedProject& project,
                            const UsedTable& table, const std::string& target) {
  if (table.load_type == LoadType::kAdditional) {
    return Fail(InvalidArgument("WEIR_FEED_FOLD_ADDITIONAL",
                                "table " + table.display() +
                                    " is of load type ADDITIONAL: its "
                                    "rows have no versions, so there is nothing to fold"));
  }
  WEIR_ASSIGN_OR_RETURN(const auto session, OpenWarehouse(database, project, false));
  return Fold(*session, project, table, target).Run();
}

}  // namespace weir::feed
