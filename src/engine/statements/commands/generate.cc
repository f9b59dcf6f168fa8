// SPDX-License-Identifier: Apache-2.0
//
// GENERATE symlink_format_manifest FOR TABLE t: for engines that read Parquet by lists of files.
#include "duckdb.hpp"

#include "base/text.h"
#include "delta/maintenance/symlink_manifest.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

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
  WEIR_ASSIGN_OR_RETURN(const int64_t count, delta::WriteSymlinkManifests(snapshot));
  return CommandRows{{Value(storage::JoinPath(snapshot.log().root, delta::kSymlinkManifestFolder)),
                      Value::BIGINT(count)}};
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
