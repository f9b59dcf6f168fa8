// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/common/multi_file/multi_file_data.hpp"

#include "delta/actions/actions.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

/// What hides the rows of `file` that its deletion vector lists. Precondition: it has one. Reads
/// the vector; throws kCorruptLog or kIo errors that name the table and the file.
duckdb::unique_ptr<duckdb::DeleteFilter> MakeDeletionFilter(const ScanSource& source,
                                                            const delta::AddFile& file);

}  // namespace weir::engine
