// SPDX-License-Identifier: Apache-2.0
//
// OPTIMIZE t [WHERE ...] and REORG TABLE t [WHERE ...] APPLY (PURGE).
#include "duckdb.hpp"

#include "engine/maintenance/compaction.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"
#include "engine/write/table_layout.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

// Deleted rows are worth a rewrite when they are more than one in twenty, as in Spark.
constexpr double kMaxDeletedRatio = 0.05;

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

Result<CommandRows> Optimize(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const std::string condition = arguments.Text("where");
  WEIR_ASSIGN_OR_RETURN(const FileFilter filter, WhereFilter(context, table, condition));
  const int64_t target_size = TableLayout::Of(*table.state)->target_file_size;
  WEIR_ASSIGN_OR_RETURN(const auto bins,
                        PlanCompaction(*table.state, target_size, kMaxDeletedRatio, filter));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("predicate", PredicateParameter(condition));
  parameters.Set("zOrderBy", JsonValue::String("[]"));
  parameters.Set("clusterBy", JsonValue::String("[]"));
  parameters.Set("auto", JsonValue::String("false"));
  WEIR_ASSIGN_OR_RETURN(const CompactionResult result,
                        Compact(context, table, bins, "OPTIMIZE", std::move(parameters)));
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
          {{"where", LogicalType::VARCHAR}},
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
