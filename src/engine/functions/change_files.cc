// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/change_files.h"

#include <string>
#include <utility>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"

#include "delta/changes/count_changes.h"
#include "engine/functions/change_arguments.h"
#include "engine/scan/change_feed.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::Value;

namespace {

constexpr const char* kFiles = "table_change_files";
constexpr const char* kRange = "table_change_range";
constexpr const char* kMetrics = "table_change_metrics";

LogicalType TextMap() { return LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR); }

Value PartitionMap(const delta::PartitionValues& values) {
  duckdb::vector<Value> keys;
  duckdb::vector<Value> texts;
  for (const auto& [column, text] : values) {
    keys.emplace_back(column);
    texts.push_back(text ? Value(*text) : Value(LogicalType::VARCHAR));
  }
  return Value::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR, std::move(keys), std::move(texts));
}

Result<CommandRows> ListFiles(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const PlannedChanges changes,
                        PlanCall(context, false, arguments.positional, arguments.named));
  CommandRows rows;
  for (const auto& commit : changes.plan.commits) {
    const duckdb::vector<Value> of_commit = {
        Value::BIGINT(commit.version),
        Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(commit.timestamp_ms * 1000)),
        commit.operation ? Value(*commit.operation) : Value(LogicalType::VARCHAR)};
    for (const auto& file : commit.files) {
      WEIR_ASSIGN_OR_RETURN(const auto count,
                            delta::CountChangedRows(changes.snapshot->log(), file));
      const char* type = ChangeTypeOf(file.kind);
      auto& row = rows.emplace_back(of_commit);
      row.insert(row.end(), {Value(type ? type : "change_data"), Value(file.path),
                             PartitionMap(file.partition_values), Value::BIGINT(file.size),
                             count ? Value::BIGINT(*count) : Value(LogicalType::BIGINT),
                             Value::BIGINT(commit.skipped_files)});
    }
    if (!commit.files.empty()) continue;
    auto& row = rows.emplace_back(of_commit);
    row.insert(row.end(), {Value(LogicalType::VARCHAR), Value(LogicalType::VARCHAR),
                           Value(TextMap()), Value(LogicalType::BIGINT), Value(LogicalType::BIGINT),
                           Value::BIGINT(commit.skipped_files)});
  }
  return rows;
}

CommandFunction FilesFunction() {
  duckdb::named_parameter_type_map_t options;
  AddChangeOptions(options);
  return {kFiles,
          {LogicalType::VARCHAR},
          std::move(options),
          {{"_commit_version", LogicalType::BIGINT},
           {"_commit_timestamp", LogicalType::TIMESTAMP_TZ},
           {"operation", LogicalType::VARCHAR},
           {"change", LogicalType::VARCHAR},
           {"path", LogicalType::VARCHAR},
           {"partition_values", TextMap()},
           {"size", LogicalType::BIGINT},
           {"rows", LogicalType::BIGINT},
           {"skipped_files", LogicalType::BIGINT}},
          ListFiles};
}

Result<CommandRows> TellRange(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const delta::ChangeRange range,
                        RangeOfCall(context, arguments.positional, arguments.named));
  CommandRows rows;
  rows.push_back({Value::BIGINT(range.first), Value::BIGINT(range.last)});
  return rows;
}

CommandFunction RangeFunction() {
  duckdb::named_parameter_type_map_t options;
  AddChangeOptions(options);
  return {kRange,
          {LogicalType::VARCHAR},
          std::move(options),
          {{"first_version", LogicalType::BIGINT}, {"last_version", LogicalType::BIGINT}},
          TellRange};
}

// "$ARGS" stands for the arguments of the call.
constexpr const char* kMetricsQuery = R"(
WITH files AS MATERIALIZED (FROM table_change_files($ARGS)),
counted AS (
  SELECT _commit_version, _change_type, count(*) AS rows
  FROM table_changes($ARGS)
  WHERE _commit_version IN (
    SELECT _commit_version FROM files WHERE path IS NOT NULL AND rows IS NULL)
  GROUP BY ALL),
commits AS (
  SELECT _commit_version, _commit_timestamp, operation, count(path) AS files,
         sum(size) FILTER (WHERE change = 'change_data') AS shared_bytes,
         count(DISTINCT partition_values) AS partitions, max(skipped_files) AS skipped_files
  FROM files GROUP BY _commit_version, _commit_timestamp, operation),
told AS (
  SELECT _commit_version, change AS _change_type, sum(rows) AS rows, count(*) AS files,
         sum(size) AS bytes, count(DISTINCT partition_values) AS partitions
  FROM files WHERE change <> 'change_data' AND rows IS DISTINCT FROM 0 GROUP BY ALL)
SELECT commits._commit_version, commits._commit_timestamp, commits.operation,
       coalesce(counted._change_type, told._change_type) AS _change_type,
       coalesce(counted.rows, told.rows, 0)::BIGINT AS rows,
       CASE WHEN shared_bytes IS NULL THEN coalesce(told.files, 0) ELSE commits.files END AS files,
       CASE WHEN shared_bytes IS NULL THEN coalesce(told.bytes, 0)
            ELSE shared_bytes * counted.rows
                 / sum(counted.rows) OVER (PARTITION BY commits._commit_version) END::BIGINT AS bytes,
       CASE WHEN shared_bytes IS NULL THEN coalesce(told.partitions, 0)
            ELSE commits.partitions END AS partitions,
       commits.skipped_files
FROM commits
LEFT JOIN (told FULL JOIN counted USING (_commit_version, _change_type)) USING (_commit_version)
)";

duckdb::unique_ptr<duckdb::TableRef> ReplaceByMetrics(duckdb::ClientContext& context,
                                                      duckdb::TableFunctionBindInput& input) {
  std::string arguments;
  for (const auto& value : input.inputs)
    arguments += (arguments.empty() ? "" : ", ") + value.ToSQLString();
  for (const auto& [name, value] : input.named_parameters)
    arguments += ", " + name + " => " + value.ToSQLString();
  duckdb::Parser parser(context.GetParserOptions());
  parser.ParseQuery(duckdb::StringUtil::Replace(kMetricsQuery, "$ARGS", arguments));
  auto select = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(
      std::move(parser.statements[0]));
  return duckdb::make_uniq<duckdb::SubqueryRef>(std::move(select), "metrics");
}

}  // namespace

void RegisterChangeFiles(duckdb::ExtensionLoader& loader) {
  duckdb::TableFunctionSet metrics(kMetrics);
  CommandFunction files = FilesFunction();
  CommandFunction range = RangeFunction();
  for (int bounds = 0; bounds <= 2; ++bounds) {
    RegisterCommand(loader, files);
    RegisterCommand(loader, range);
    range.positional.push_back(LogicalType::ANY);
    duckdb::TableFunction function(kMetrics, files.positional, nullptr, nullptr);
    function.named_parameters = files.named;
    // Which rows of a file have changed is then known of the rows alone.
    function.named_parameters.erase(kByRowId);
    function.bind_replace = ReplaceByMetrics;
    metrics.AddFunction(function);
    files.positional.push_back(LogicalType::ANY);
  }
  loader.RegisterFunction(std::move(metrics));
}

}  // namespace weir::engine
