// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/clustering.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/sql/token_reader.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/scan/scan_files.h"

namespace weir::engine {
namespace {

constexpr const char* kDomain = "delta.clustering";
constexpr const char* kProvider = "liquid";
constexpr const char* kCubeId = "ZCUBE_ID";
constexpr const char* kCubeColumns = "ZCUBE_ZORDER_BY";

// Cubes of this size are good enough for ever; Spark has the same number.
constexpr int64_t kFullCube = int64_t{100} << 30;

Error NoSuchColumn(const TableState& state, const std::string& column) {
  return CorruptLog("DELTA_CLUSTERING_COLUMN_MISSING",
                    state.log().root + " is clustered by " + column +
                        ", which is no column of it; ALTER TABLE ... CLUSTER BY sets others",
                    "42703");
}

// From physical names to logical ones.
Result<delta::ColumnPath> LogicalPath(const TableState& state, const JsonValue& column) {
  std::vector<std::string> physical;
  if (column.is_string()) physical.push_back(column.text());
  for (const JsonValue& part : column.items()) physical.push_back(part.text());
  delta::ColumnPath path;
  const delta::DataType* type = state.schema().get();
  for (const std::string& name : physical) {
    const auto& fields = type->fields();
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& candidate) {
      return candidate.physical_name() == name;
    });
    if (field == fields.end()) return Fail(NoSuchColumn(state, column.ToString()));
    path.push_back(field->name);
    type = field->type.get();
  }
  return path;
}

std::string JoinedNames(const delta::ColumnPath& path) {
  std::string name;
  for (const std::string& part : path) name += (name.empty() ? "" : ".") + part;
  return name;
}

// ["a","s.b"]
std::string ColumnsTag(const std::vector<delta::ColumnPath>& columns) {
  JsonValue list = JsonValue::Array();
  for (const delta::ColumnPath& path : columns)
    list.items().push_back(JsonValue::String(JoinedNames(path)));
  return list.ToString();
}

std::string Tag(const delta::AddFile& file, const char* name) {
  if (!file.tags) return {};
  const auto it = file.tags->find(name);
  return it == file.tags->end() ? std::string() : it->second;
}

struct Files {
  std::vector<delta::AddFile> unclustered;
  std::map<std::string, CompactionBin> cubes;
};

Result<Files> Sort(const TableState& state, const std::vector<delta::ColumnPath>& columns) {
  const std::string tag = ColumnsTag(columns);
  Files sorted;
  const ScanFiles files(TableState::Of(state.snapshot()));
  for (size_t i = 0; i < files.size(); ++i) {
    const bool has_vector = files.deletion_vector(i).has_value();
    WEIR_ASSIGN_OR_RETURN(delta::AddFile file, has_vector ? files.GetWithStats(i)
                                                          : Result<delta::AddFile>(files.Get(i)));
    const std::string id = Tag(file, kCubeId);
    // A file with many deleted rows is written anew like one that was never clustered.
    const bool is_clustered = file.clustering_provider == kProvider && !id.empty() &&
                              Tag(file, kCubeColumns) == tag &&
                              DeletedRatio(file) <= kMaxDeletedRatio;
    if (!is_clustered) {
      sorted.unclustered.push_back(std::move(file));
      continue;
    }
    CompactionBin& cube = sorted.cubes[id];
    cube.size += file.size;
    cube.files.push_back(std::move(file));
  }
  return sorted;
}

// Bins of at most a full cube.
std::vector<CompactionBin> Pack(std::vector<delta::AddFile> files) {
  std::vector<CompactionBin> bins;
  for (delta::AddFile& file : files) {
    if (bins.empty() || bins.back().size + file.size > kFullCube) bins.emplace_back();
    bins.back().size += file.size;
    bins.back().files.push_back(std::move(file));
  }
  return bins;
}

void Take(CompactionBin& cube, std::vector<delta::AddFile>& files) {
  for (delta::AddFile& file : cube.files) files.push_back(std::move(file));
}

}  // namespace

Result<std::vector<delta::ColumnPath>> ClusteringColumns(const TableState& state) {
  std::vector<delta::ColumnPath> columns;
  if (!state.snapshot()) return columns;
  const auto domain = state.snapshot()->domains().find(kDomain);
  if (domain == state.snapshot()->domains().end()) return columns;
  const auto configuration = JsonValue::Parse(domain->second.configuration);
  const JsonValue* list = configuration ? configuration->Find("clusteringColumns") : nullptr;
  if (list == nullptr || !list->is_array())
    return Fail(NoSuchColumn(state, domain->second.configuration));
  for (const JsonValue& column : list->items()) {
    WEIR_ASSIGN_OR_RETURN(delta::ColumnPath path, LogicalPath(state, column));
    columns.push_back(std::move(path));
  }
  return columns;
}

Result<std::vector<CompactionBin>> PlanClustering(const TableState& state,
                                                  const std::vector<delta::ColumnPath>& columns,
                                                  bool full) {
  WEIR_ASSIGN_OR_RETURN(Files files, Sort(state, columns));
  std::vector<delta::AddFile> chosen = std::move(files.unclustered);
  if (full) {
    if (chosen.empty() && files.cubes.size() <= 1) return std::vector<CompactionBin>();
    for (auto& [id, cube] : files.cubes) Take(cube, chosen);
    return Pack(std::move(chosen));
  }
  if (chosen.empty()) return std::vector<CompactionBin>();
  int64_t size = 0;
  for (const delta::AddFile& file : chosen) size += file.size;
  std::vector<CompactionBin*> cubes;
  for (auto& [id, cube] : files.cubes) cubes.push_back(&cube);
  std::sort(cubes.begin(), cubes.end(),
            [](const CompactionBin* a, const CompactionBin* b) { return a->size < b->size; });
  for (CompactionBin* cube : cubes) {
    if (cube->size >= kFullCube || cube->size > 2 * size) break;
    size += cube->size;
    Take(*cube, chosen);
  }
  return Pack(std::move(chosen));
}

CompactionLayout ClusteringLayout(std::vector<delta::ColumnPath> columns) {
  CompactionLayout layout;
  layout.clustering_provider = kProvider;
  layout.tags = [tag = ColumnsTag(columns)] {
    return delta::StringMap{{kCubeId, Uuid::Random().ToString()}, {kCubeColumns, tag}};
  };
  layout.order = RowOrder{Curve::kHilbert, std::move(columns)};
  return layout;
}

Result<std::vector<CompactionBin>> PlanZOrder(const TableState& state, const FileFilter& filter) {
  std::map<delta::PartitionValues, CompactionBin> partitions;
  const ScanFiles files(TableState::Of(state.snapshot()));
  for (size_t i = 0; i < files.size(); ++i) {
    delta::AddFile file = files.Get(i);
    if (filter && !filter(file)) continue;
    CompactionBin& bin = partitions[file.partition_values];
    bin.size += file.size;
    bin.files.push_back(std::move(file));
  }
  std::vector<CompactionBin> bins;
  for (auto& [values, bin] : partitions) bins.push_back(std::move(bin));
  return bins;
}

Result<std::vector<delta::ColumnPath>> ZOrderColumns(const TableState& state,
                                                     const std::vector<std::string>& names) {
  WEIR_ASSIGN_OR_RETURN(const auto indexed,
                        delta::StatisticsColumns(*state.schema(), state.metadata()));
  std::vector<delta::ColumnPath> columns;
  for (const std::string& text : names) {
    WEIR_ASSIGN_OR_RETURN(auto tokens, sql::Tokenize(text));
    sql::TokenReader reader(text, std::move(tokens), "");
    WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name,
                          reader.ExpectQualifiedName("a column's name"));
    const auto& partitions = state.metadata().partition_columns;
    const bool is_partition = std::any_of(
        partitions.begin(), partitions.end(),
        [&](const std::string& column) { return EqualsIgnoreCase(column, name.ToString()); });
    if (is_partition) {
      return Fail(InvalidArgument("DELTA_ZORDERING_ON_PARTITION_COLUMN",
                                  name.ToString() +
                                      " is a partition column: its files hold one value each; "
                                      "ZORDER BY other columns",
                                  "42P10"));
    }
    const delta::DataType* type = state.schema().get();
    delta::ColumnPath path;
    for (const std::string& part : name.parts) {
      const bool is_struct = type->kind() == delta::TypeKind::kStruct;
      const delta::StructField* field = is_struct ? type->FindField(part) : nullptr;
      if (field == nullptr) {
        return Fail(InvalidArgument("DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
                                    "ZORDER BY " + name.ToString() + ": there is no such column",
                                    "42703"));
      }
      path.push_back(field->name);
      type = field->type.get();
    }
    const bool has_bounds =
        std::any_of(indexed.begin(), indexed.end(), [&](const delta::StatisticsColumn& column) {
          return column.path == path && column.has_bounds();
        });
    if (!has_bounds) {
      return Fail(
          InvalidArgument("DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS",
                          "ZORDER BY " + name.ToString() +
                              " is of no use: no minimum and maximum are kept for the column "
                              "(delta.dataSkippingNumIndexedCols, delta.dataSkippingStatsColumns)",
                          "KD00D"));
    }
    columns.push_back(std::move(path));
  }
  return columns;
}

}  // namespace weir::engine
