// SPDX-License-Identifier: Apache-2.0
//
// What must hold for the rows of a table's newest version. Each rule is a function and a line in
// the table of data_rules.cc.
#pragma once

#include <span>
#include <string>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/materialized_query_result.hpp"

#include "base/result.h"
#include "delta/check/finding.h"
#include "delta/snapshot/snapshot.h"

namespace weir::engine {

/// One table under check.
class DataCheck {
 public:
  /// Everything outlives it.
  DataCheck(duckdb::Connection& connection, const delta::SnapshotPtr& snapshot,
            delta::Findings& findings)
      : connection_(connection), snapshot_(snapshot), findings_(findings) {}

  const delta::Snapshot& snapshot() const { return *snapshot_; }
  /// A table function call that gives the rows of `version`, with file_index and _metadata.
  std::string ScanSql(int64_t version) const;
  /// The same of the snapshot's version.
  std::string ScanSql() const { return ScanSql(snapshot_->version()); }

  Result<duckdb::unique_ptr<duckdb::MaterializedQueryResult>> Query(const std::string& sql) const;

  void Report(const char* rule, const std::string& file, std::string problem, std::string remedy,
              delta::RepairKind repair = delta::RepairKind::kNone) const {
    findings_.Add(rule, snapshot_->version(), file, std::move(problem), std::move(remedy), repair);
  }
  /// Of another version than the newest.
  void ReportAt(const char* rule, int64_t version, std::string problem, std::string remedy) const {
    findings_.Add(rule, version, "", std::move(problem), std::move(remedy));
  }

 private:
  duckdb::Connection& connection_;
  const delta::SnapshotPtr& snapshot_;
  delta::Findings& findings_;
};

struct DataRule {
  const char* name;
  /// Errors: a question that could not be answered; nothing is concluded from it then.
  Status (*check)(const DataCheck& table);
};

/// Every row of every file can be read; which files cannot is reported. False: the other rules,
/// which read all rows, cannot be asked.
bool CheckReadable(const DataCheck& table);

std::span<const DataRule> DataRules();

// One per file of this folder.
Status CheckStatistics(const DataCheck& table);
Status CheckRowIds(const DataCheck& table);
Status CheckRowRules(const DataCheck& table);
Status CheckIdentity(const DataCheck& table);
Status CheckChangeFeed(const DataCheck& table);

}  // namespace weir::engine
