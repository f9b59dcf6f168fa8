// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "duckdb/common/multi_file/multi_file_reader.hpp"

#include "engine/scan/scan_source.h"

namespace weir::engine {

class WeirFileList;

/// For a catch clause: throws the current exception again, as FAILED_READ_FILE with the file's name
/// where it is none of DuckDB's: Thrift, which finds most damages of a file, tells neither.
[[noreturn]] void RethrowOfFile(const std::string& file);

/// DuckDB's multi-file reader for the files of one table: it knows the schema without opening a
/// file, and prepares each file's reader (columns, partition values, virtual columns, deleted
/// rows). Thread-safe as DuckDB asks: files are prepared by many threads at once.
struct WeirMultiFileReader final : duckdb::MultiFileReader {
  explicit WeirMultiFileReader(ScanSourcePtr source);

  /// For TableFunction::get_multi_file_reader; the function carries a ScanFunctionInfo.
  static duckdb::unique_ptr<duckdb::MultiFileReader> Create(const duckdb::TableFunction& function);

  const ScanSource& source() const { return *source_; }

  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(
      duckdb::ClientContext& context, const duckdb::vector<duckdb::string>& paths,
      const duckdb::FileGlobInput& glob) override;
  bool Bind(duckdb::MultiFileOptions& options, duckdb::MultiFileList& files,
            duckdb::vector<duckdb::LogicalType>& return_types,
            duckdb::vector<duckdb::string>& names,
            duckdb::MultiFileReaderBindData& bind_data) override;
  void BindOptions(duckdb::MultiFileOptions& options, duckdb::MultiFileList& files,
                   duckdb::vector<duckdb::LogicalType>& return_types,
                   duckdb::vector<duckdb::string>& names,
                   duckdb::MultiFileReaderBindData& bind_data) override;
  using duckdb::MultiFileReader::CreateReader;
  /// Errors: DELTA_FILE_NOT_FOUND names table, version and file; FAILED_READ_FILE the file.
  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(
      duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& gstate,
      const duckdb::OpenFileInfo& file, duckdb::idx_t file_idx,
      const duckdb::MultiFileBindData& bind_data) override;
  duckdb::ReaderInitializeType InitializeReader(
      duckdb::MultiFileReaderData& reader_data, const duckdb::MultiFileBindData& bind_data,
      const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
      const duckdb::vector<duckdb::ColumnIndex>& global_column_ids,
      duckdb::optional_ptr<duckdb::TableFilterSet> table_filters, duckdb::ClientContext& context,
      duckdb::MultiFileGlobalState& gstate) override;
  duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override;

 private:
  const ScanSourcePtr source_;
};

}  // namespace weir::engine
