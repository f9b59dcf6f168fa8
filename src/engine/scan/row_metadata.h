// SPDX-License-Identifier: Apache-2.0
//
// `_metadata`: a hidden struct column that tells where a row comes from, with Spark's member names:
// file_path, file_name, file_size, file_modification_time, file_block_start, file_block_length,
// row_index, and with row tracking row_id and row_commit_version (protocol section "Row Tracking":
// the materialised value, else base id + position, else NULL).
#pragma once

#include <string>

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/common/types.hpp"

#include "delta/actions/actions.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

constexpr const char* kRowMetadataName = "_metadata";
/// Its place among DuckDB's virtual columns.
constexpr duckdb::column_t kRowMetadataColumn =
    duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME + 1000;

/// A row's id and commit version alone, for those who carry them: BIGINT columns that DML projects
/// for a table that tracks rows.
constexpr duckdb::column_t kRowIdColumn = kRowMetadataColumn + 1;
constexpr duckdb::column_t kRowCommitVersionColumn = kRowMetadataColumn + 2;

/// Whether `column` is computed by AddRowMetadata, not read.
constexpr bool IsRowMetadata(duckdb::column_t column) {
  return column >= kRowMetadataColumn && column <= kRowCommitVersionColumn;
}
/// The type of one of the three.
duckdb::LogicalType RowMetadataType(duckdb::column_t column);

duckdb::LogicalType RowMetadataType();

/// Makes the `output`-th expression of an opened and mapped file compute `_metadata` (or one of its
/// two members above), letting the reader fetch what that takes (row numbers, materialised
/// columns). `index` says which members are wanted; the others are NULL.
void AddRowMetadata(duckdb::ClientContext& context, const ScanSource& source,
                    const delta::AddFile& file, const duckdb::ColumnIndex& index,
                    duckdb::idx_t output, duckdb::MultiFileReaderData& reader_data);

}  // namespace weir::engine
