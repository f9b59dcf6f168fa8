// SPDX-License-Identifier: Apache-2.0
#include "engine/check/check_table.h"

#include <set>

#include "duckdb.hpp"

#include "delta/catalog/managed_store.h"
#include "delta/check/check_files.h"
#include "delta/check/check_log.h"
#include "delta/check/repair.h"
#include "engine/catalog/resolve_table.h"
#include "engine/check/data_rules.h"
#include "engine/duckdb_errors.h"
#include "engine/maintenance/compaction.h"
#include "engine/scan/scan_files.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

void ReportUnreadable(const delta::TableLog& log, const Error& error, delta::Findings& findings) {
  findings.Add(
      "snapshot-readable", std::nullopt, log.root, error.message,
      "the newest version cannot be read: mend what else is found, or RESTORE is impossible "
      "and an older version is all there is");
}

// The rules of one run; findings of the log alone when the newest version cannot be built.
Status CheckAll(duckdb::ClientContext& context, const delta::TableLog& log, bool quick,
                delta::Findings& findings) {
  WEIR_RETURN_IF_ERROR(delta::CheckLog(log, findings));
  const auto snapshot = delta::Snapshot::Load(log);
  if (!snapshot) {
    // What this build does not know is nothing wrong with the table.
    if (snapshot.error().kind == ErrorKind::kUnsupportedFeature) return Fail(snapshot.error());
    ReportUnreadable(log, snapshot.error(), findings);
    return {};
  }
  WEIR_RETURN_IF_ERROR(delta::CheckFiles(**snapshot, findings));
  // Rows are asked for by the table's path, which a catalog-managed table does not have.
  if (quick || delta::GoesThroughCatalog(log)) return {};
  duckdb::Connection connection(*context.db);
  // Of a shallow clone all files lie elsewhere.
  connection.Query(std::string("SET ") + kAllowExternalFiles + " = true");
  const DataCheck table(connection, *snapshot, findings);
  if (!CheckReadable(table)) return {};
  for (const DataRule& rule : DataRules()) {
    if (context.interrupted) return Fail(FromDuckDB(duckdb::InterruptException()));
    const Status checked = rule.check(table);
    if (!checked) {
      table.Report(rule.name, "", "could not be checked: " + checked.error().message,
                   "look at what the message names");
    }
  }
  return {};
}

// Files whose statistics lie are rewritten as they are, in one commit.
Status RewriteFiles(duckdb::ClientContext& context, const delta::TableLog& log,
                    delta::Findings& findings) {
  std::set<std::string> paths;
  for (const delta::Finding& finding : findings.list()) {
    if (finding.repair == delta::RepairKind::kStatistics) paths.insert(finding.file);
  }
  if (paths.empty()) return {};
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table, ResolveTablePath(context, log.root));
  std::vector<CompactionBin> bins;
  const ScanFiles files(TableState::Of(table.state->snapshot()));
  for (size_t i = 0; i < files.size(); ++i) {
    if (paths.count(std::string(files.path(i))) > 0)
      bins.push_back({{files.Get(i)}, files.file_size(i)});
  }
  JsonValue parameters = JsonValue::Object();
  parameters.Set("dryRun", JsonValue::String("false"));
  WEIR_RETURN_IF_ERROR(
      Compact(context, table, bins, "FSCK", std::move(parameters)).map([](const auto&) {}));
  for (delta::Finding& finding : findings.list()) {
    if (finding.repair == delta::RepairKind::kStatistics) finding.repaired = true;
  }
  return {};
}

}  // namespace

Result<std::vector<delta::Finding>> CheckTable(duckdb::ClientContext& context,
                                               const delta::TableLog& log,
                                               const CheckOptions& options) {
  delta::Findings findings;
  WEIR_RETURN_IF_ERROR(CheckAll(context, log, options.quick, findings));
  if (options.repair && !delta::GoesThroughCatalog(log)) {
    WEIR_RETURN_IF_ERROR(delta::RepairLog(log, findings));
    WEIR_RETURN_IF_ERROR(delta::RemoveMissingFiles(log, findings));
    WEIR_RETURN_IF_ERROR(RewriteFiles(context, log, findings));
  }
  return std::move(findings.list());
}

}  // namespace weir::engine
