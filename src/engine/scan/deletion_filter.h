// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/common/multi_file/base_file_reader.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"

#include "engine/scan/scan_files.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

/// Makes `reader` hide the rows of the file at `place` that are not wanted: those that its deletion
/// vector lists, those that are not among the source's chosen ones, and in a change feed those that
/// did not change. Says to skip the file when no row is left of a feed's. Reads the vectors; throws
/// kCorruptLog or kIo errors that name the table and the file, and ResolveDataPath's for a vector
/// that lies where none of the table's files may.
duckdb::ReaderInitializeType AddDeletionFilter(const ScanSource& source, const ScanFiles& files,
                                               size_t place, duckdb::BaseFileReader& reader);

}  // namespace weir::engine
