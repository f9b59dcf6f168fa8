// SPDX-License-Identifier: Apache-2.0
//
// VACUUM t [RETAIN n HOURS] [DRY RUN] [LITE | FULL].
#include "delta/maintenance/vacuum.h"

#include "duckdb.hpp"

#include "delta/features/features.h"
#include "delta/features/properties.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

constexpr double kMillisPerHour = 3'600'000.0;

bool ChecksRetention(duckdb::ClientContext& context) {
  Value value;
  return !context.TryGetCurrentSetting(kVacuumRetentionCheck, value) || value.GetValue<bool>();
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
  if (retention < configured && ChecksRetention(context)) {
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
  WEIR_ASSIGN_OR_RETURN(const delta::VacuumResult result, delta::Vacuum(*snapshot, options));
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
           {"lite", LogicalType::BOOLEAN}},
          {{"path", LogicalType::VARCHAR}},
          Run};
}

}  // namespace weir::engine
