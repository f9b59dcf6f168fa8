// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/common/multi_file/base_file_reader.hpp"
#include "duckdb/common/multi_file/multi_file_data.hpp"

namespace weir::engine {

/// Makes a Parquet file's reader produce what the table means where the file's annotations say
/// something else: a timestamp is an instant or a wall clock as the table says, whatever the file's
/// flag and unit (INT96 too); binary is text or bytes as the table says; a group {metadata, value}
/// without annotation is a variant. Must run before the columns are mapped. `columns` were resolved
/// for this file (ResolveColumn).
void AdoptTypes(duckdb::BaseFileReader& reader,
                const duckdb::vector<duckdb::MultiFileColumnDefinition>& columns);

}  // namespace weir::engine
