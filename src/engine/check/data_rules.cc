// SPDX-License-Identifier: Apache-2.0
#include "engine/check/data_rules.h"

#include <array>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr std::array kRules{
    DataRule{"statistics", CheckStatistics},  DataRule{"row-id-unique", CheckRowIds},
    DataRule{"constraints", CheckRowRules},   DataRule{"identity", CheckIdentity},
    DataRule{"change-feed", CheckChangeFeed},
};

// Whether all values of a file can be decoded.
Status ReadFile(const DataCheck& table, const std::string& path) {
  return table.Query("SELECT bit_xor(hash(t)) FROM read_parquet(" + QuoteLiteral(path) + ") AS t")
      .map([](const auto&) {});
}

}  // namespace

std::string DataCheck::ScanSql(int64_t version) const {
  return "weir_scan(" + QuoteLiteral(snapshot_->log().root) + ", version => " +
         std::to_string(version) + ")";
}

Result<duckdb::unique_ptr<duckdb::MaterializedQueryResult>> DataCheck::Query(
    const std::string& sql) const {
  auto result = connection_.Query(sql);
  if (result->HasError()) return Fail(FromDuckDB(result->GetErrorObject()));
  return result;
}

bool CheckReadable(const DataCheck& table) {
  if (table.Query("SELECT bit_xor(hash(t)) FROM " + table.ScanSql() + " AS t")) return true;
  const delta::FileList& files = table.snapshot().files();
  bool explained = false;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name(files.path(i));
    const auto path = delta::ResolveFilePath(table.snapshot().log().root, name);
    if (!path || !table.snapshot().log().store->Head(*path)) {
      explained = true;  // It was reported as missing.
      continue;
    }
    const Status read = ReadFile(table, *path);
    if (read) continue;
    explained = true;
    table.Report(
        "file-readable", name, read.error().message,
        "the file is damaged: put it back from a backup, or RESTORE a version that does not "
        "need it");
  }
  if (!explained) {
    const auto whole = table.Query("SELECT bit_xor(hash(t)) FROM " + table.ScanSql() + " AS t");
    if (!whole)
      table.Report(
          "table-readable", "", whole.error().message,
          "mend what else is found first; then look at the columns of the file that it names");
  }
  return false;
}

std::span<const DataRule> DataRules() { return kRules; }

}  // namespace weir::engine
