// SPDX-License-Identifier: Apache-2.0
//
// weir_check: everything about a table that can be verified from outside, whoever wrote it.
#pragma once

#include <vector>

#include "base/result.h"
#include "delta/check/finding.h"
#include "delta/snapshot/table_log.h"

namespace duckdb {
class ClientContext;
}

namespace weir::engine {

struct CheckOptions {
  /// Checks the log, and that files are there, but reads no rows.
  bool quick = false;
  /// Mends what can be mended without losing a row.
  bool repair = false;
};

/// Checks the table: delta::CheckLog, delta::CheckFiles, and the rules of data_rules.h. What is
/// wrong with the table is a finding and never an error. Errors: kNotFound DELTA_TABLE_NOT_FOUND;
/// kIo of the store; with `repair` those of writing.
Result<std::vector<delta::Finding>> CheckTable(duckdb::ClientContext& context,
                                               const delta::TableLog& log,
                                               const CheckOptions& options);

}  // namespace weir::engine
