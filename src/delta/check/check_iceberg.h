// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/check/finding.h"
#include "delta/check/table_replay.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// Rule `iceberg`: metadata of Iceberg, where UniForm keeps them, show the newest version, which
/// `replay` is, with as many files as the log has, and the hint names them.
void CheckIceberg(const TableLog& log, const TableReplay& replay, Findings& findings);

}  // namespace weir::delta
