// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/change_feed.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "delta/actions/file_path.h"
#include "delta/partitions/partition_values.h"

namespace weir::engine {

using delta::ChangeFile;
using delta::ChangeKind;
using delta::DataType;
using delta::StructField;
using delta::TypeKind;

namespace {

// A store answers slowly, not busily.
constexpr size_t kHeadThreads = 32;

Result<delta::TypePtr> WithChangeColumns(const DataType& schema) {
  std::vector<StructField> fields = schema.fields();
  const std::pair<const char*, TypeKind> columns[] = {{kChangeTypeName, TypeKind::kString},
                                                      {kCommitVersionName, TypeKind::kLong},
                                                      {kCommitTimestampName, TypeKind::kTimestamp}};
  for (const auto& [name, kind] : columns) {
    if (schema.FindField(name)) {
      return Fail(InvalidArgument("RESERVED_CDC_COLUMNS_ON_WRITE",
                                  std::string("the table has a column ") + name +
                                      ", a name that its change feed needs; rename the column",
                                  "42939"));
    }
    fields.push_back({name, DataType::Primitive(kind)});
  }
  return DataType::Struct(std::move(fields));
}

// How every Parquet file ends.
constexpr std::string_view kMagic = "PAR1";

// Whether a file is there and whole, as far as its last bytes tell: one request to the store.
Status CheckFile(const TableState& state, const std::string& log_path, int64_t size,
                 int64_t version) {
  const auto& log = state.log();
  WEIR_ASSIGN_OR_RETURN(const std::string path, delta::ResolveFilePath(log.root, log_path));
  const auto magic_size = static_cast<int64_t>(kMagic.size());
  bool ends_well = true;
  if (size >= magic_size) {
    const auto end = log.store->GetRange(path, size - magic_size, magic_size);
    if (end && *end == kMagic) return {};
    ends_well = !end;
  }
  // The log may not tell the size (of removed files), or a wrong one.
  const auto head = log.store->Head(path);
  if (!head && head.error().kind == ErrorKind::kNotFound)
    return Fail(ChangeFileNotFound(log.root, version, path));
  if (!head) return Fail(head.error());
  if (ends_well || head->size != size) return {};
  return Fail(CorruptLog("FAILED_READ_FILE",
                         "the changes of version " + std::to_string(version) + " of table " +
                             log.root + " are in the file " + path +
                             ", which is damaged: it does not end as a Parquet file does; put it "
                             "back from a backup, or start at a later version",
                         "KD001"));
}

delta::AddFile ActionOf(ChangeFile&& file) {
  delta::AddFile action;
  action.path = std::move(file.path);
  action.partition_values = std::move(file.partition_values);
  action.size = file.size;
  action.stats = std::move(file.stats);
  action.deletion_vector = std::move(file.rows_not_in);
  action.base_row_id = file.base_row_id;
  action.default_row_commit_version = file.default_row_commit_version;
  return action;
}

}  // namespace

const char* ChangeTypeOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kInsert:
      return "insert";
    case ChangeKind::kDelete:
      return "delete";
    case ChangeKind::kChangeData:
      break;
  }
  return nullptr;
}

Result<ChangeTable> MakeChangeTable(const delta::Snapshot& latest, delta::ChangePlan plan) {
  auto feed = std::make_shared<ChangeFeed>();
  feed->range = plan.range;
  feed->change_type_column = plan.schema->fields().size();
  WEIR_ASSIGN_OR_RETURN(auto schema, WithChangeColumns(*plan.schema));
  delta::Metadata metadata = std::move(plan.metadata);
  metadata.partition_columns.insert(metadata.partition_columns.end(),
                                    {kCommitVersionName, kCommitTimestampName});
  const auto time_type = DataType::Primitive(TypeKind::kTimestamp);
  std::vector<delta::AddFile> actions;
  for (auto& commit : plan.commits) {
    WEIR_ASSIGN_OR_RETURN(
        const auto time,
        delta::SerializePartitionValue(*time_type, delta::Value(commit.timestamp_ms * 1000)));
    std::stable_partition(commit.files.begin(), commit.files.end(),
                          [](const ChangeFile& file) { return file.kind != ChangeKind::kInsert; });
    for (auto& file : commit.files) {
      feed->files.push_back({commit.version, file.kind, std::move(file.rows_in)});
      actions.push_back(ActionOf(std::move(file)));
      actions.back().partition_values[kCommitVersionName] = std::to_string(commit.version);
      actions.back().partition_values[kCommitTimestampName] = time;
    }
  }
  auto state = TableState::OfFiles(latest.log(), latest.protocol(), std::move(metadata),
                                   std::move(schema), std::move(actions));
  return ChangeTable{std::move(state), std::move(feed)};
}

Status CheckFilesExist(const TableState& state, const ChangeFeed& feed,
                       const std::vector<uint32_t>& numbers) {
  std::set<std::string_view> seen;
  std::vector<uint32_t> distinct;
  for (uint32_t number : numbers) {
    if (seen.insert(state.added()[number].path).second) distinct.push_back(number);
  }
  return TryParallelFor(distinct.size(), kHeadThreads, [&](size_t i) {
    const auto& file = state.added()[distinct[i]];
    return CheckFile(state, file.path, file.size, feed.files[distinct[i]].version);
  });
}

Error ChangeFileNotFound(const std::string& table, int64_t version, const std::string& path) {
  return NotFound("DELTA_CHANGE_DATA_FILE_NOT_FOUND",
                  "the changes of version " + std::to_string(version) + " of table " + table +
                      " are in the file " + path +
                      ", which does not exist any more: VACUUM deletes the files of old versions "
                      "after the retention time; start at a later version",
                  "42K03");
}

}  // namespace weir::engine
