// SPDX-License-Identifier: Apache-2.0
//
// VACUUM t [USING INVENTORY table | (query)] [RETAIN n HOURS] [DRY RUN] [LITE | FULL].
#include "delta/maintenance/vacuum.h"

#include "duckdb.hpp"
#include "duckdb/catalog/catalog_search_path.hpp"
#include "duckdb/main/client_data.hpp"

#include "base/text.h"
#include "delta/features/features.h"
#include "delta/features/properties.h"
#include "engine/maintenance/clone_references.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

constexpr double kMillisPerHour = 3'600'000.0;

// Both settings are on by default.
bool Setting(duckdb::ClientContext& context, const char* name) {
  Value value;
  return !context.TryGetCurrentSetting(name, value) || value.GetValue<bool>();
}

Result<int64_t> RetentionMillis(duckdb::ClientContext& context, const delta::Snapshot& snapshot,
                                const Value* hours) {
  WEIR_ASSIGN_OR_RETURN(const auto properties,
                        delta::ParseTableProperties(snapshot.metadata().configuration));
  const int64_t configured = properties.deleted_file_retention.count();
  if (hours == nullptr) return configured;
  const double wanted = hours->GetValue<double>() * kMillisPerHour;
  if (!(wanted >= 0) || wanted > 9e15) {
    return Fail(InvalidArgument("WEIR_INVALID_RETENTION",
                                "RETAIN " + hours->ToString() + " HOURS is no period of time"));
  }
  const auto retention = static_cast<int64_t>(wanted);
  if (retention < configured && Setting(context, kVacuumRetentionCheck)) {
    return Fail(InvalidArgument("DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
                                "VACUUM " + snapshot.log().root + " RETAIN " + hours->ToString() +
                                    " HOURS would delete files that readers and "
                                    "writers of the last " +
                                    std::to_string(configured / 3'600'000) +
                                    " hours (delta.deletedFileRetentionDuration) "
                                    "may still need. If nobody does, SET " +
                                    kVacuumRetentionCheck + " = false and run it again"));
  }
  return retention;
}

// What VACUUM START says, in Spark's words.
Result<JsonValue> StartParameters(duckdb::ClientContext& context, const delta::Snapshot& snapshot,
                                  const delta::VacuumOptions& options, bool specified) {
  WEIR_ASSIGN_OR_RETURN(const auto properties,
                        delta::ParseTableProperties(snapshot.metadata().configuration));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("retentionCheckEnabled", JsonValue::Bool(Setting(context, kVacuumRetentionCheck)));
  parameters.Set("defaultRetentionMillis",
                 JsonValue::Int(properties.deleted_file_retention.count()));
  if (specified) parameters.Set("specifiedRetentionMillis", JsonValue::Int(options.retention_ms));
  return parameters;
}

Result<std::vector<storage::ObjectInfo>> ReadInventory(duckdb::ClientContext& context,
                                                       const std::string& from) {
  duckdb::Connection connection(*context.db);
  const auto& place = duckdb::ClientData::Get(context).catalog_search_path->GetDefault();
  connection.Query("USE " + QuoteIdentifier(place.catalog) + "." + QuoteIdentifier(place.schema));
  const auto result = connection.Query(
      "SELECT path::VARCHAR, length::BIGINT, isDir::BOOLEAN, modificationTime::BIGINT FROM " +
      from);
  if (result->HasError()) {
    return Fail(InvalidArgument("DELTA_INVALID_INVENTORY_SCHEMA",
                                "an inventory has the columns path, length, isDir and "
                                "modificationTime (milliseconds): " +
                                    result->GetError(),
                                "42000"));
  }
  std::vector<storage::ObjectInfo> files;
  for (duckdb::idx_t row = 0; row < result->RowCount(); ++row) {
    const auto at = [&](duckdb::idx_t column) { return result->GetValue(column, row); };
    if (at(0).IsNull() || at(2).IsNull() || at(3).IsNull()) continue;
    files.push_back({at(0).ToString(), at(1).IsNull() ? 0 : at(1).GetValue<int64_t>(),
                     at(3).GetValue<int64_t>(), at(2).GetValue<bool>()});
  }
  return files;
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  // Whatever this transaction sees, files of the newest version must stay.
  WEIR_ASSIGN_OR_RETURN(const delta::SnapshotPtr snapshot, table.state->snapshot()->Update());
  WEIR_RETURN_IF_ERROR(
      delta::CheckWritable(snapshot->protocol(), snapshot->metadata(), *snapshot->schema()));
  delta::VacuumOptions options;
  WEIR_ASSIGN_OR_RETURN(options.retention_ms,
                        RetentionMillis(context, *snapshot, arguments.Find("retain_hours")));
  options.dry_run = arguments.Flag("dry_run");
  options.lite = arguments.Flag("lite");
  if (const std::string inventory = arguments.Text("inventory"); !inventory.empty()) {
    WEIR_ASSIGN_OR_RETURN(options.inventory, ReadInventory(context, inventory));
  }
  options.also_needed = FilesOfClones(context, snapshot->log().root);
  if (Setting(context, kVacuumLogging)) {
    WEIR_ASSIGN_OR_RETURN(
        options.logged,
        StartParameters(context, *snapshot, options, arguments.Find("retain_hours") != nullptr));
  }
  WEIR_ASSIGN_OR_RETURN(const delta::VacuumResult result, delta::Vacuum(snapshot, options));
  CommandRows rows;
  if (options.dry_run) {
    for (const std::string& file : result.files) rows.push_back({Value(file)});
  } else {
    rows.push_back({Value(snapshot->log().root)});
  }
  return rows;
}

}  // namespace

CommandFunction VacuumCommand() {
  return {"weir_vacuum",
          {LogicalType::VARCHAR},
          {{"retain_hours", LogicalType::DOUBLE},
           {"dry_run", LogicalType::BOOLEAN},
           {"lite", LogicalType::BOOLEAN},
           {"inventory", LogicalType::VARCHAR}},
          {{"path", LogicalType::VARCHAR}},
          Run};
}

}  // namespace weir::engine
