// SPDX-License-Identifier: Apache-2.0
//
// REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = n)): the table gets the properties
// and files that readers of Iceberg need, and Iceberg's metadata.
#include "duckdb.hpp"

#include "base/text.h"
#include "delta/commit/pending_commit.h"
#include "delta/features/iceberg_compat.h"
#include "delta/features/properties.h"
#include "engine/catalog/schema_entry.h"
#include "engine/duckdb_errors.h"
#include "engine/maintenance/compaction.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

// Statements on the newest version, each with a commit of its own, beside the running transaction.
class Steps {
 public:
  Steps(duckdb::ClientContext& context, const std::string& root)
      : connection_(*context.db), root_(root) {}

  Status SetProperties(const std::string& assignments) {
    return Run("SELECT * FROM weir_set_properties(" + QuoteLiteral(root_) + ", MAP {" +
               assignments + "})");
  }

  Status Purge() { return Run("SELECT * FROM weir_reorg(" + QuoteLiteral(root_) + ")"); }

 private:
  Status Run(const std::string& sql) {
    const auto result = connection_.Query(sql);
    if (result->HasError()) return Fail(FromDuckDB(result->GetErrorObject()));
    return {};
  }

  duckdb::Connection connection_;
  const std::string& root_;
};

std::string CompatKey(int64_t version) {
  return "delta.enableIcebergCompatV" + std::to_string(version);
}

// Deletion vectors go, columns get ids, and only then the rules of the version hold.
Status Prepare(duckdb::ClientContext& context, const delta::Snapshot& snapshot, int64_t version) {
  const delta::Metadata& metadata = snapshot.metadata();
  WEIR_ASSIGN_OR_RETURN(const auto properties, delta::ParseTableProperties(metadata.configuration));
  Steps steps(context, snapshot.log().root);
  if (properties.enable_deletion_vectors)
    WEIR_RETURN_IF_ERROR(steps.SetProperties("'delta.enableDeletionVectors': 'false'"));
  if (properties.column_mapping_mode == delta::ColumnMappingMode::kNone)
    WEIR_RETURN_IF_ERROR(steps.SetProperties("'delta.columnMapping.mode': 'name'"));
  WEIR_RETURN_IF_ERROR(steps.Purge());
  if (delta::IsPropertyTrue(metadata, CompatKey(version))) return {};
  std::string enable = QuoteLiteral(CompatKey(version)) + ": 'true'";
  if (const std::string other = CompatKey(3 - version); delta::IsPropertyTrue(metadata, other))
    enable += ", " + QuoteLiteral(other) + ": 'false'";
  return steps.SetProperties(enable);
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  const auto version = arguments.positional[1].GetValue<int64_t>();
  if (version != 1 && version != 2) {
    return Fail(UnsupportedFeature("DELTA_ICEBERG_COMPAT_VIOLATION.COMPAT_VERSION_NOT_SUPPORTED",
                                   "a table cannot be upgraded to ICEBERG_COMPAT_VERSION " +
                                       std::to_string(version) + ", but to 1 and 2",
                                   "KD00E"));
  }
  const std::string name = duckdb::StringValue::Get(arguments.positional[0]);
  WEIR_ASSIGN_OR_RETURN(ResolvedTable table, CommittedTable(context, name));
  WEIR_RETURN_IF_ERROR(Prepare(context, *table.state->snapshot(), version));
  const std::string root = table.state->log().root;
  WEIR_ASSIGN_OR_RETURN(const auto newest, table.state->snapshot()->Update());
  table.state = TableState::Of(newest);
  const auto entry = WeirTableEntry::Make(table.entry->ParentSchema().Cast<WeirSchemaEntry>(),
                                          table.entry->name, table.state, nullptr);
  table.entry = entry.get();
  WEIR_ASSIGN_OR_RETURN(const CompactionResult result,
                        RewriteTable(context, table, newest->metadata(), "REORG"));
  if (!delta::IsUniformEnabled(newest->metadata())) {
    WEIR_RETURN_IF_ERROR(
        Steps(context, root).SetProperties("'delta.universalFormat.enabledFormats': 'iceberg'"));
  }
  return CommandRows{{Value(root), Value::BIGINT(result.version), Value::BIGINT(result.files_added),
                      Value::BIGINT(result.files_removed)}};
}

}  // namespace

CommandFunction UpgradeUniformCommand() {
  return {"weir_upgrade_uniform",
          {LogicalType::VARCHAR, LogicalType::BIGINT},
          {},
          {{"path", LogicalType::VARCHAR},
           {"version", LogicalType::BIGINT},
           {"numFilesAdded", LogicalType::BIGINT},
           {"numFilesRemoved", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
