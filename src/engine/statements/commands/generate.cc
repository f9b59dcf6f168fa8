// SPDX-License-Identifier: Apache-2.0
//
// GENERATE symlink_format_manifest FOR TABLE t: for engines that read Parquet by lists of files.
#include <map>
#include <set>

#include "duckdb.hpp"

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/features/properties.h"
#include "delta/partitions/partition_values.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kFolder = "_symlink_format_manifest";

// What such an engine would read wrongly.
Status CheckPlainParquet(const delta::Snapshot& snapshot) {
  WEIR_ASSIGN_OR_RETURN(const auto properties,
                        delta::ParseTableProperties(snapshot.metadata().configuration));
  if (properties.column_mapping_mode != delta::ColumnMappingMode::kNone) {
    return Fail(UnsupportedFeature("DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
                                   snapshot.log().root +
                                       " has column mapping: readers of a manifest would not find "
                                       "its columns",
                                   "0AKDC"));
  }
  for (size_t i = 0; i < snapshot.files().size(); ++i) {
    if (!snapshot.files().has_deletion_vector(i)) continue;
    return Fail(UnsupportedFeature(
        "DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS",
        snapshot.log().root +
            " has deletion vectors, which readers of a manifest do not know; REORG TABLE ... APPLY "
            "(PURGE) first",
        "0AKDC"));
  }
  return {};
}

std::string PartitionFolder(const delta::Snapshot& snapshot, size_t file) {
  std::vector<std::pair<std::string, std::optional<std::string>>> values;
  const auto& columns = snapshot.metadata().partition_columns;
  for (size_t k = 0; k < columns.size(); ++k) {
    const auto value = snapshot.files().partition_value(file, k);
    values.emplace_back(columns[k], value ? std::optional<std::string>(*value) : std::nullopt);
  }
  return values.empty() ? std::string() : delta::PartitionDirectory(values);
}

// Lists of files by the path of their manifest.
Result<std::map<std::string, std::string>> Manifests(const delta::Snapshot& snapshot) {
  const std::string& root = snapshot.log().root;
  const std::string folder = storage::JoinPath(root, kFolder);
  std::map<std::string, std::string> manifests;
  if (snapshot.metadata().partition_columns.empty())
    manifests[storage::JoinPath(folder, "manifest")];
  for (size_t i = 0; i < snapshot.files().size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(const std::string path,
                          delta::ResolveFilePath(root, snapshot.files().path(i)));
    const std::string partition = PartitionFolder(snapshot, i);
    const std::string place = partition.empty() ? folder : storage::JoinPath(folder, partition);
    manifests[storage::JoinPath(place, "manifest")] +=
        (StartsWith(path, "/") ? "file:" : "") + path + "\n";
  }
  return manifests;
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  const std::string mode = duckdb::StringValue::Get(arguments.positional[1]);
  if (!EqualsIgnoreCase(mode, "symlink_format_manifest")) {
    return Fail(InvalidArgument(
        "DELTA_UNSUPPORTED_GENERATE_MODE",
        "cannot generate '" + mode + "'; what there is: symlink_format_manifest", "42616"));
  }
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const delta::Snapshot& snapshot = *table.state->snapshot();
  WEIR_RETURN_IF_ERROR(CheckPlainParquet(snapshot));
  WEIR_ASSIGN_OR_RETURN(const auto manifests, Manifests(snapshot));
  storage::ObjectStore& store = *snapshot.log().store;
  for (const auto& [path, text] : manifests) WEIR_RETURN_IF_ERROR(store.Put(path, text));
  // Those of partitions that are no more.
  WEIR_ASSIGN_OR_RETURN(const auto present,
                        store.ListRecursive(storage::JoinPath(snapshot.log().root, kFolder)));
  for (const storage::ObjectInfo& object : present) {
    if (manifests.count(object.path) == 0) WEIR_RETURN_IF_ERROR(store.Delete(object.path));
  }
  return CommandRows{{Value(storage::JoinPath(snapshot.log().root, kFolder)),
                      Value::BIGINT(static_cast<int64_t>(manifests.size()))}};
}

}  // namespace

CommandFunction GenerateCommand() {
  return {"weir_generate",
          {LogicalType::VARCHAR, LogicalType::VARCHAR},
          {},
          {{"path", LogicalType::VARCHAR}, {"numManifests", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
