// SPDX-License-Identifier: Apache-2.0
//
// OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY (...)] and REORG TABLE t [WHERE ...] APPLY (PURGE).
#include "duckdb.hpp"

#include "engine/maintenance/auto_compaction.h"
#include "engine/maintenance/clustering.h"
#include "engine/maintenance/compaction.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"
#include "engine/write/table_layout.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

std::vector<CommandFunction::Column> ResultColumns() {
  return {{"path", LogicalType::VARCHAR},
          {"version", LogicalType::BIGINT},
          {"numFilesAdded", LogicalType::BIGINT},
          {"numFilesRemoved", LogicalType::BIGINT},
          {"numBytesAdded", LogicalType::BIGINT},
          {"numBytesRemoved", LogicalType::BIGINT},
          {"numDeletionVectorsRemoved", LogicalType::BIGINT}};
}

CommandRows ResultRows(const ResolvedTable& table, const CompactionResult& result) {
  return {{Value(table.state->log().root),
           result.version < 0 ? Value(LogicalType::BIGINT) : Value::BIGINT(result.version),
           Value::BIGINT(result.files_added), Value::BIGINT(result.files_removed),
           Value::BIGINT(result.bytes_added), Value::BIGINT(result.bytes_removed),
           Value::BIGINT(result.vectors_removed)}};
}

// In the history predicates are a list, as Spark writes it.
JsonValue PredicateParameter(const std::string& condition) {
  JsonValue list = JsonValue::Array();
  if (!condition.empty()) list.items().push_back(JsonValue::String(condition));
  return JsonValue::String(list.ToString());
}

Result<FileFilter> WhereFilter(duckdb::ClientContext& context, const ResolvedTable& table,
                               const std::string& condition) {
  if (condition.empty()) return FileFilter();
  return PartitionFilter(context, *table.state, condition);
}

JsonValue OptimizeParameters(const std::string& condition,
                             const std::vector<delta::ColumnPath>& zorder,
                             const std::vector<delta::ColumnPath>& cluster, bool full,
                             bool is_auto) {
  const auto names = [](const std::vector<delta::ColumnPath>& columns) {
    JsonValue list = JsonValue::Array();
    for (const delta::ColumnPath& path : columns) {
      std::string name;
      for (const std::string& part : path) name += (name.empty() ? "" : ".") + part;
      list.items().push_back(JsonValue::String(std::move(name)));
    }
    return JsonValue::String(list.ToString());
  };
  JsonValue parameters = JsonValue::Object();
  parameters.Set("predicate", PredicateParameter(condition));
  parameters.Set("zOrderBy", names(zorder));
  parameters.Set("clusterBy", names(cluster));
  if (!cluster.empty()) parameters.Set("isFull", JsonValue::String(full ? "true" : "false"));
  parameters.Set("auto", JsonValue::String(is_auto ? "true" : "false"));
  return parameters;
}

Result<std::vector<delta::ColumnPath>> ZOrderOf(const TableState& state,
                                                const CommandArguments& arguments) {
  std::vector<std::string> names;
  if (const Value* list = arguments.Find("zorder")) {
    for (const Value& name : duckdb::ListValue::GetChildren(*list))
      names.push_back(name.ToString());
  }
  return ZOrderColumns(state, names);
}

Status CheckClauses(const ResolvedTable& table, bool is_clustered, bool zorder, bool where,
                    bool full) {
  const auto refuse = [&](const char* name, const std::string& why) {
    return Fail(InvalidArgument(name, "OPTIMIZE " + table.name + ": " + why, "42613"));
  };
  if (is_clustered && zorder) {
    return refuse("DELTA_CLUSTERING_WITH_ZORDER_BY",
                  "a clustered table is ordered by its clustering columns; leave ZORDER BY out");
  }
  if (is_clustered && where) {
    return refuse("DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
                  "a clustered table has no partitions to choose; leave WHERE out");
  }
  if (!is_clustered && full) {
    return refuse("DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
                  "FULL is for clustered tables; ALTER TABLE ... CLUSTER BY makes it one");
  }
  return {};
}

Result<CommandRows> Optimize(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const TableState& state = *table.state;
  const std::string condition = arguments.Text("where");
  const bool full = arguments.Flag("full");
  const bool is_auto = arguments.Flag("auto");
  WEIR_ASSIGN_OR_RETURN(const auto zorder, ZOrderOf(state, arguments));
  WEIR_ASSIGN_OR_RETURN(auto cluster, ClusteringColumns(state));
  WEIR_RETURN_IF_ERROR(
      CheckClauses(table, !cluster.empty(), !zorder.empty(), !condition.empty(), full));
  const int64_t target_size = TableLayout::Of(state)->target_file_size;
  WEIR_ASSIGN_OR_RETURN(FileFilter filter, WhereFilter(context, table, condition));
  if (is_auto) filter = SmallFilesOfCrowdedPartitions(state, target_size);
  JsonValue parameters = OptimizeParameters(condition, zorder, cluster, full, is_auto);
  std::vector<CompactionBin> bins;
  CompactionLayout layout;
  if (!cluster.empty() && !is_auto) {
    WEIR_ASSIGN_OR_RETURN(bins, PlanClustering(state, cluster, full));
    layout = ClusteringLayout(std::move(cluster));
  } else if (!zorder.empty()) {
    WEIR_ASSIGN_OR_RETURN(bins, PlanZOrder(state, filter));
    layout.order = RowOrder{Curve::kZOrder, zorder};
  } else {
    WEIR_ASSIGN_OR_RETURN(bins, PlanCompaction(state, target_size, kMaxDeletedRatio, filter));
  }
  WEIR_ASSIGN_OR_RETURN(const CompactionResult result,
                        Compact(context, table, bins, "OPTIMIZE", std::move(parameters), layout));
  return ResultRows(table, result);
}

// Every file with a deletion vector is rewritten, however few rows it hides, and no other.
Result<CommandRows> Purge(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const std::string condition = arguments.Text("where");
  WEIR_ASSIGN_OR_RETURN(const FileFilter where, WhereFilter(context, table, condition));
  const FileFilter filter = [&where](const delta::AddFile& file) {
    return file.deletion_vector.has_value() && (!where || where(file));
  };
  const int64_t target_size = TableLayout::Of(*table.state)->target_file_size;
  WEIR_ASSIGN_OR_RETURN(const auto bins, PlanCompaction(*table.state, target_size, 0, filter));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("predicate", PredicateParameter(condition));
  parameters.Set("applyPurge", JsonValue::String("true"));
  WEIR_ASSIGN_OR_RETURN(const CompactionResult result,
                        Compact(context, table, bins, "REORG", std::move(parameters)));
  return ResultRows(table, result);
}

}  // namespace

CommandFunction OptimizeCommand() {
  return {"weir_optimize",
          {LogicalType::VARCHAR},
          {{"where", LogicalType::VARCHAR},
           {"zorder", LogicalType::LIST(LogicalType::VARCHAR)},
           {"full", LogicalType::BOOLEAN},
           {"auto", LogicalType::BOOLEAN}},
          ResultColumns(),
          Optimize};
}

CommandFunction ReorgCommand() {
  return {"weir_reorg",
          {LogicalType::VARCHAR},
          {{"where", LogicalType::VARCHAR}},
          ResultColumns(),
          Purge};
}

}  // namespace weir::engine
