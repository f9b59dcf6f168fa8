// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE t DROP FEATURE f [TRUNCATE HISTORY], and SET TBLPROPERTIES
// ('delta.columnMapping.mode' = 'none'), which takes a feature out of use and leaves it in the
// protocol.
#include "delta/maintenance/drop_feature.h"

#include "duckdb.hpp"

#include "delta/features/iceberg_compat.h"
#include "delta/maintenance/feature_traces.h"
#include "engine/catalog/schema_entry.h"
#include "engine/maintenance/compaction.h"
#include "engine/result/duckdb_result.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"
#include "engine/write/table_layout.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

class Rewriter final : public delta::FeatureRewriter {
 public:
  Rewriter(duckdb::ClientContext& context, WeirTableEntry& entry)
      : context_(context), entry_(entry) {}

  Status PurgeVectors(const delta::SnapshotPtr& snapshot) override {
    WEIR_ASSIGN_OR_RETURN(const ResolvedTable table, TableOf(snapshot));
    const auto layout = TableLayout::Of(*table.state);
    WEIR_ASSIGN_OR_RETURN(const auto bins, PlanCompaction(*table.state, layout->target_file_size, 0,
                                                          [](const delta::AddFile& file) {
                                                            return file.deletion_vector.has_value();
                                                          }));
    JsonValue parameters = JsonValue::Object();
    parameters.Set("predicate", JsonValue::String("[]"));
    parameters.Set("applyPurge", JsonValue::String("true"));
    return Compact(context_, table, bins, "REORG", std::move(parameters)).map([](const auto&) {});
  }

  Status RewriteFor(const delta::SnapshotPtr& snapshot, const delta::Metadata& metadata,
                    const std::string& operation) override {
    WEIR_ASSIGN_OR_RETURN(const ResolvedTable table, TableOf(snapshot));
    return RewriteTable(context_, table, metadata, operation).map([](const auto&) {});
  }

 private:
  // The table at the version of `snapshot`, which lies behind the one that this transaction sees.
  Result<ResolvedTable> TableOf(const delta::SnapshotPtr& snapshot) {
    ResolvedTable table;
    table.name = entry_.name;
    table.state = TableState::Of(snapshot);
    current_ = WeirTableEntry::Make(entry_.ParentSchema().Cast<WeirSchemaEntry>(), entry_.name,
                                    table.state, nullptr);
    table.entry = current_.get();
    return table;
  }

  duckdb::ClientContext& context_;
  WeirTableEntry& entry_;
  std::unique_ptr<WeirTableEntry> current_;
};

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  Rewriter rewriter(context, *table.entry);
  WEIR_ASSIGN_OR_RETURN(
      const int64_t version,
      delta::DropFeature(table.state->snapshot(), duckdb::StringValue::Get(arguments.positional[1]),
                         arguments.Flag("truncate_history"), rewriter));
  return CommandRows{{Value::BIGINT(version)}};
}

Result<CommandRows> RemoveMapping(duckdb::ClientContext& context,
                                  const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  if (delta::IsIcebergCompatEnabled(table.state->metadata())) {
    return Fail(InvalidArgument(
        "DELTA_ICEBERG_COMPAT_VIOLATION.WRONG_REQUIRED_TABLE_PROPERTY",
        "table " + table.name + " is compatible with Iceberg, which needs column mapping",
        "KD00E"));
  }
  Rewriter rewriter(context, *table.entry);
  delta::SnapshotPtr snapshot = table.state->snapshot();
  WEIR_RETURN_IF_ERROR(
      delta::RemoveTraces(delta::Feature::kColumnMapping, snapshot, rewriter).map([](bool) {}));
  return CommandRows();
}

}  // namespace

CommandFunction RemoveColumnMappingCommand() {
  return {"weir_remove_column_mapping",
          {LogicalType::VARCHAR},
          {},
          {{kNothingColumn, LogicalType::BOOLEAN}},
          RemoveMapping};
}

CommandFunction DropFeatureCommand() {
  return {"weir_drop_feature",
          {LogicalType::VARCHAR, LogicalType::VARCHAR},
          {{"truncate_history", LogicalType::BOOLEAN}},
          {{"version", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
