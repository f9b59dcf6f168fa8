// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/main/database.hpp"

#include "delta/checkpoint/checkpoint_io.h"

namespace weir::engine {

/// Adds the table function that CheckpointRowsSql names to an instance.
void RegisterCheckpointRows(duckdb::DatabaseInstance& instance);

/// A FROM item whose rows are the actions of `content`, one a row, in the columns of a checkpoint.
/// Both arguments must outlive the query.
std::string CheckpointRowsSql(const delta::CheckpointContent& content,
                              const delta::CheckpointLayout& layout);

}  // namespace weir::engine
