// SPDX-License-Identifier: Apache-2.0
//
// weir_checkpoint(name): a checkpoint of the newest version, now. weir_compact_log(name [, first =>
// n, last => n]): one file in place of many commits.
#include "duckdb.hpp"

#include "delta/checkpoint/write_checkpoint.h"
#include "delta/features/features.h"
#include "delta/maintenance/log_compaction.h"
#include "delta/snapshot/log_listing.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

// The newest snapshot of a table that this build may write.
Result<delta::SnapshotPtr> Newest(duckdb::ClientContext& context,
                                  const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  WEIR_ASSIGN_OR_RETURN(delta::SnapshotPtr snapshot, table.state->snapshot()->Update());
  WEIR_RETURN_IF_ERROR(
      delta::CheckWritable(snapshot->protocol(), snapshot->metadata(), *snapshot->schema()));
  return snapshot;
}

Result<CommandRows> Checkpoint(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const delta::SnapshotPtr snapshot, Newest(context, arguments));
  WEIR_RETURN_IF_ERROR(delta::WriteCheckpoint(*snapshot));
  return CommandRows{{Value(snapshot->log().root), Value::BIGINT(snapshot->version())}};
}

Result<CommandRows> CompactLog(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const delta::SnapshotPtr snapshot, Newest(context, arguments));
  WEIR_ASSIGN_OR_RETURN(const delta::LogListing listing, delta::ListLog(snapshot->log()));
  int64_t first = listing.checkpoints.empty() ? 0 : listing.checkpoints.back().version + 1;
  // Of the newest commit readers want the provenance too, which no compaction has.
  int64_t last = snapshot->version() - 1;
  if (const Value* value = arguments.Find("first")) first = duckdb::BigIntValue::Get(*value);
  if (const Value* value = arguments.Find("last")) last = duckdb::BigIntValue::Get(*value);
  const bool chosen = arguments.Find("first") != nullptr || arguments.Find("last") != nullptr;
  if (!chosen && first >= last) return CommandRows();  // Nothing that a compaction would shorten.
  WEIR_RETURN_IF_ERROR(delta::WriteLogCompaction(snapshot->log(), first, last));
  return CommandRows{{Value(snapshot->log().root), Value::BIGINT(first), Value::BIGINT(last)}};
}

}  // namespace

CommandFunction CheckpointCommand() {
  return {"weir_checkpoint",
          {LogicalType::VARCHAR},
          {},
          {{"path", LogicalType::VARCHAR}, {"version", LogicalType::BIGINT}},
          Checkpoint};
}

CommandFunction CompactLogCommand() {
  return {"weir_compact_log",
          {LogicalType::VARCHAR},
          {{"first", LogicalType::BIGINT}, {"last", LogicalType::BIGINT}},
          {{"path", LogicalType::VARCHAR},
           {"first", LogicalType::BIGINT},
           {"last", LogicalType::BIGINT}},
          CompactLog};
}

}  // namespace weir::engine
