// SPDX-License-Identifier: Apache-2.0
//
// Files as actions of the log.
#pragma once

#include <cstdint>

#include "delta/actions/actions.h"
#include "delta/commit/transaction.h"
#include "engine/catalog/table_state.h"
#include "engine/write/data_writer.h"

namespace weir::engine {

/// `now_ms` is the time of modification.
delta::AddFile MakeAdd(WrittenFile file, int64_t now_ms);
delta::AddCdcFile MakeCdc(WrittenFile file);

/// Takes away all live files of `state`; returns how many.
size_t RemoveAllFiles(const TableStatePtr& state, delta::Transaction& writer, int64_t now_ms);

}  // namespace weir::engine
