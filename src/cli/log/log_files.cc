// SPDX-License-Identifier: Apache-2.0
#include "cli/log/log_files.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/log/other_files.h"
#include "cli/output/time_text.h"
#include "delta/checkpoint/checkpoint_io.h"
#include "delta/snapshot/log_files.h"
#include "engine/checkpoint/parquet_checkpoint_io.h"

namespace weir::cli {
namespace {

using delta::LogFileKind;
using delta::LogFileName;

std::vector<LogLine> SplitActions(std::string_view text) {
  std::vector<LogLine> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto parsed = JsonValue::Parse(line);
    const bool is_object = parsed && parsed->is_object();
    lines.push_back({is_object ? std::move(*parsed) : JsonValue(), std::string(line), is_object});
  }
  return lines;
}

// Makes lines of the rows of a Parquet checkpoint.
class LineCollector final : public delta::CheckpointVisitor {
 public:
  explicit LineCollector(std::vector<LogLine>& lines) : lines_(lines) {}

  Status OnAdd(const delta::AddView& view) override {
    delta::AddFile add;
    add.path = view.path;
    for (const auto& entry : view.partition_values)
      add.partition_values[std::string(entry.key)] = entry.value;
    add.size = view.size;
    add.modification_time = view.modification_time;
    add.data_change = view.data_change;
    if (!view.stats.empty()) add.stats = view.stats;
    if (view.tags) {
      add.tags.emplace();
      for (const auto& tag : *view.tags) {
        if (tag.value) (*add.tags)[std::string(tag.key)] = *tag.value;
      }
    }
    if (const auto& vector = view.deletion_vector) {
      add.deletion_vector = {vector->storage_type, std::string(vector->path_or_inline_dv),
                             vector->offset, vector->size_in_bytes, vector->cardinality};
    }
    add.base_row_id = view.base_row_id;
    add.default_row_commit_version = view.default_row_commit_version;
    add.clustering_provider = view.clustering_provider;
    return OnAction(std::move(add));
  }

  Status OnRemove(delta::RemoveFile remove) override { return OnAction(std::move(remove)); }

  Status OnAction(delta::Action action) override {
    std::string text = delta::SerializeAction(action);
    WEIR_ASSIGN_OR_RETURN(JsonValue parsed, JsonValue::Parse(text));
    lines_.push_back({std::move(parsed), std::move(text), true});
    return {};
  }

 private:
  std::vector<LogLine>& lines_;
};

// What the overview tells of one version.
struct Version {
  std::optional<storage::ObjectInfo> commit;
  std::string checkpoint;
  bool checksum = false;
  std::string compaction;
};

struct CommitCounts {
  std::string operation;
  std::optional<int64_t> timestamp;
  int64_t added = 0;
  int64_t removed = 0;
  int64_t change_files = 0;
  int64_t bytes_added = 0;
  std::map<std::string, int64_t> others;
};

CommitCounts Count(const std::vector<LogLine>& lines) {
  CommitCounts counts;
  for (const LogLine& line : lines) {
    if (!line.is_object || line.action.members().empty()) {
      ++counts.others["(no action)"];
      continue;
    }
    const auto& [name, action] = line.action.members().front();
    if (name == "add") {
      ++counts.added;
      if (const JsonValue* size = action.Find("size"))
        counts.bytes_added += size->AsInt64().value_or(0);
    } else if (name == "remove") {
      ++counts.removed;
    } else if (name == "cdc") {
      ++counts.change_files;
    } else if (name == "commitInfo") {
      if (const JsonValue* operation = action.Find("operation"))
        counts.operation = operation->text();
      for (const char* key : {"timestamp", "inCommitTimestamp"}) {
        if (const JsonValue* timestamp = action.Find(key)) counts.timestamp = timestamp->AsInt64();
      }
    } else {
      ++counts.others[name];
    }
  }
  return counts;
}

std::string OthersText(const std::map<std::string, int64_t>& others) {
  std::string text;
  for (const auto& [name, count] : others) {
    if (!text.empty()) text += ", ";
    text += count == 1 ? name : fmt::format("{} x {}", count, name);
  }
  return text;
}

std::string CheckpointText(const LogFileName& name) {
  switch (name.kind) {
    case LogFileKind::kClassicCheckpoint:
      return "classic";
    case LogFileKind::kMultiPartCheckpoint:
      return fmt::format("{} parts", name.parts);
    default:
      return name.json ? "v2 json" : "v2 parquet";
  }
}

std::map<int64_t, Version> GroupByVersion(const std::vector<storage::ObjectInfo>& files) {
  std::map<int64_t, Version> versions;
  for (const auto& file : files) {
    const auto name = delta::ParseLogFileName(storage::BaseName(file.path));
    if (!name) continue;
    switch (name->kind) {
      case LogFileKind::kCommit:
        versions[name->version].commit = file;
        break;
      case LogFileKind::kChecksum:
        versions[name->version].checksum = true;
        break;
      case LogFileKind::kCompaction:
        versions[name->end_version].compaction =
            fmt::format("{}..{}", name->version, name->end_version);
        break;
      default:
        versions[name->version].checkpoint = CheckpointText(*name);
    }
  }
  return versions;
}

RowList::Cell TextOrNull(std::string text) {
  return text.empty() ? RowList::Cell() : RowList::Cell(std::move(text));
}

}  // namespace

Result<LogFiles> LogFiles::Open(const std::string& location) {
  LogFiles log;
  log.root_ = storage::NormalizeLocation(location);
  log.log_dir_ = storage::JoinPath(log.root_, "_delta_log");
  WEIR_ASSIGN_OR_RETURN(log.store_, storage::OpenStore(log.root_));
  WEIR_ASSIGN_OR_RETURN(log.files_, log.store_->List(log.log_dir_));
  if (log.files_.empty()) {
    return Fail(NotFound(
        "DELTA_TABLE_NOT_FOUND",
        fmt::format("{} is no Delta table: there is nothing in {}", log.root_, log.log_dir_),
        "42P01"));
  }
  return log;
}

Result<std::unique_ptr<RowList>> LogFiles::Overview() const {
  auto rows =
      std::make_unique<RowList>(std::vector<engine::ColumnInfo>{{"version", "BIGINT"},
                                                                {"timestamp", "VARCHAR"},
                                                                {"operation", "VARCHAR"},
                                                                {"added", "BIGINT"},
                                                                {"removed", "BIGINT"},
                                                                {"change_files", "BIGINT"},
                                                                {"bytes_added", "BIGINT"},
                                                                {"other_actions", "VARCHAR"},
                                                                {"checkpoint", "VARCHAR"},
                                                                {"compaction", "VARCHAR"},
                                                                {"crc", "VARCHAR"}});
  const auto versions = GroupByVersion(files_);
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    const auto& [number, files] = *version;
    std::vector<RowList::Cell> row{number};
    if (files.commit) {
      WEIR_ASSIGN_OR_RETURN(const std::string text, store_->Get(files.commit->path));
      const CommitCounts counts = Count(SplitActions(text));
      row.insert(row.end(),
                 {TimeText(counts.timestamp.value_or(files.commit->modified_ms)),
                  TextOrNull(counts.operation), counts.added, counts.removed, counts.change_files,
                  counts.bytes_added, TextOrNull(OthersText(counts.others))});
    } else {
      row.resize(8);
    }
    row.insert(row.end(), {TextOrNull(files.checkpoint), TextOrNull(files.compaction),
                           TextOrNull(files.checksum ? "yes" : "")});
    rows->Add(std::move(row));
  }
  return rows;
}

Result<std::vector<LogLine>> LogFiles::Commit(int64_t version) const {
  std::optional<int64_t> first;
  int64_t last = 0;
  for (const auto& file : files_) {
    const auto name = delta::ParseLogFileName(storage::BaseName(file.path));
    if (!name || name->kind != LogFileKind::kCommit) continue;
    if (name->version == version) {
      WEIR_ASSIGN_OR_RETURN(const std::string text, store_->Get(file.path));
      return SplitActions(text);
    }
    if (!first) first = name->version;
    last = name->version;
  }
  const std::string there = first ? fmt::format("the log holds the commits {} to {}", *first, last)
                                  : "the log holds no commit";
  return Fail(NotFound("DELTA_VERSION_NOT_FOUND",
                       fmt::format("{}: no commit of version {}; {}", root_, version, there),
                       "22003"));
}

Result<std::string> LogFiles::Locate(const std::string& file) const {
  const bool bare = file.find('/') == std::string::npos;
  std::vector<std::string> places;
  if (bare) {
    const std::string sidecars = storage::JoinPath(log_dir_, std::string(delta::kSidecarFolder));
    places = {storage::JoinPath(log_dir_, file), storage::JoinPath(sidecars, file)};
  }
  if (!StartsWith(file, "/")) places.push_back(storage::JoinPath(root_, file));
  for (const std::string& place : places) {
    const auto object = store_->Head(place);
    if (object) return place;
    if (object.error().kind != ErrorKind::kNotFound) return Fail(object.error());
  }
  const std::string path = storage::NormalizeLocation(file);
  WEIR_RETURN_IF_ERROR(store_->Head(path).map([](const auto&) {}));
  return path;
}

Result<std::vector<LogLine>> LogFiles::File(const std::string& file) const {
  WEIR_ASSIGN_OR_RETURN(const std::string path, Locate(file));
  const std::string_view name = storage::BaseName(path);
  if (EndsWith(name, ".parquet")) {
    const bool is_log = StartsWith(path, log_dir_ + "/");
    return is_log ? Checkpoint(path) : ParquetFooter(path);
  }
  WEIR_ASSIGN_OR_RETURN(const std::string text, store_->Get(path));
  if (EndsWith(name, ".bin")) return VectorFile(text);
  // A file of one object, however it is laid out, is one line.
  auto whole = JsonValue::Parse(text);
  if (whole && whole->is_object()) {
    std::string line = whole->ToString();
    return std::vector<LogLine>{{std::move(*whole), std::move(line), true}};
  }
  return SplitActions(text);
}

Result<std::vector<LogLine>> LogFiles::Checkpoint(const std::string& path) const {
  std::vector<LogLine> lines;
  LineCollector collector(lines);
  WEIR_RETURN_IF_ERROR(
      engine::ParquetCheckpointIo()->Read(*store_, {path}, {true, true, true, true}, collector));
  return lines;
}

}  // namespace weir::cli
