// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE t DROP FEATURE f [TRUNCATE HISTORY].
#include "delta/maintenance/drop_feature.h"

#include "duckdb.hpp"

#include "engine/catalog/schema_entry.h"
#include "engine/maintenance/compaction.h"
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

}  // namespace

CommandFunction DropFeatureCommand() {
  return {"weir_drop_feature",
          {LogicalType::VARCHAR, LogicalType::VARCHAR},
          {{"truncate_history", LogicalType::BOOLEAN}},
          {{"version", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
