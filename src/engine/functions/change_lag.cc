// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/change_lag.h"

#include <algorithm>
#include <optional>
#include <string>

#include "duckdb/main/client_context.hpp"

#include "delta/changes/offset_store.h"
#include "delta/snapshot/log_files.h"
#include "engine/catalog/resolve_table.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::Value;

namespace {

constexpr const char* kOffsets = "offsets";
constexpr const char* kDefaultOffsets = ".weir/offsets";

// When a commit happened; nullopt for one that is not there (any more).
Result<std::optional<int64_t>> TimeOf(const delta::TableLog& log, int64_t version) {
  const auto actions = delta::ReadCommit(log, version);
  if (!actions) {
    if (actions.error().kind == ErrorKind::kNotFound) return std::nullopt;
    return Fail(actions.error());
  }
  for (const auto& action : *actions) {
    const auto* info = std::get_if<delta::CommitInfo>(&action);
    if (info && info->in_commit_timestamp()) return info->in_commit_timestamp();
  }
  WEIR_ASSIGN_OR_RETURN(const auto file, log.store->Head(storage::JoinPath(
                                             log.log_dir(), delta::CommitFileName(version))));
  return std::optional<int64_t>(file.modified_ms);
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        ResolveTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  CommandRows rows;
  if (!table.state->snapshot()) return rows;
  const std::string folder = arguments.Text(kOffsets);
  WEIR_ASSIGN_OR_RETURN(const auto store,
                        delta::OffsetStore::Open(folder.empty() ? kDefaultOffsets : folder));
  WEIR_ASSIGN_OR_RETURN(const auto offsets, store.LoadAll());
  const auto& log = table.state->log();
  const int64_t latest = table.state->version();
  for (const auto& [consumer, offset] : offsets) {
    if (offset.table_id != table.state->metadata().id) continue;
    std::optional<int64_t> since;
    if (offset.next_version <= latest) {
      WEIR_ASSIGN_OR_RETURN(since, TimeOf(log, offset.next_version));
    }
    const int64_t lag_ms = since ? std::max<int64_t>(log.clock->NowMillis() - *since, 0) : 0;
    rows.push_back({Value(consumer), Value::BIGINT(offset.next_version), Value::BIGINT(latest),
                    Value::BIGINT(std::max<int64_t>(latest + 1 - offset.next_version, 0)),
                    since ? Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(*since * 1000))
                          : Value(LogicalType::TIMESTAMP_TZ),
                    Value::BIGINT(lag_ms)});
  }
  return rows;
}

}  // namespace

void RegisterChangeLag(duckdb::ExtensionLoader& loader) {
  RegisterCommand(loader, {"table_change_lag",
                           {LogicalType::VARCHAR},
                           {{kOffsets, LogicalType::VARCHAR}},
                           {{"consumer", LogicalType::VARCHAR},
                            {"next_version", LogicalType::BIGINT},
                            {"latest_version", LogicalType::BIGINT},
                            {"lag_versions", LogicalType::BIGINT},
                            {"since", LogicalType::TIMESTAMP_TZ},
                            {"lag_ms", LogicalType::BIGINT}},
                           Run});
}

}  // namespace weir::engine
