// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "duckdb/storage/statistics/node_statistics.hpp"

#include "delta/statistics/predicate.h"
#include "engine/remote/remote_file_system.h"
#include "engine/scan/scan_files.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

/// The files of a scan as DuckDB's multi-file reader asks for them. Immutable: filters make a
/// smaller copy.
class WeirFileList final : public duckdb::MultiFileList {
 public:
  /// All live files of the source's table; entered into its read log.
  explicit WeirFileList(ScanSourcePtr source);
  /// A part of them: `condition` holds for all rows that the scan is about (null: none is known),
  /// `read` is the scan's number in the read log.
  WeirFileList(ScanSourcePtr source, std::shared_ptr<const ScanFiles> files,
               delta::PredicatePtr condition, size_t read);

  const ScanFiles& files() const { return *files_; }
  const ScanSource& source() const { return *source_; }

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  duckdb::idx_t GetTotalFileCount() const override { return files_->size(); }
  duckdb::MultiFileCount GetFileCount(duckdb::idx_t min_exact_count) const override;
  duckdb::vector<duckdb::OpenFileInfo> GetDisplayFileList(
      duckdb::optional_idx max_files) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(
      duckdb::ClientContext& context) const override;

  /// At planning: files are chosen by the WHERE clause.
  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options,
      duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const override;
  /// When the scan starts: also by what a join's other side has turned out to hold.
  duckdb::unique_ptr<duckdb::MultiFileList> DynamicFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options,
      const duckdb::vector<duckdb::string>& names, const duckdb::vector<duckdb::LogicalType>& types,
      const duckdb::vector<duckdb::column_t>& column_ids,
      duckdb::TableFilterSet& filters) const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  std::string PathOf(size_t i) const;
  /// What reads the files of a store ahead, for as long as this list lives; made when first wanted.
  uint64_t ReadAheadNumber() const;

  const ScanSourcePtr source_;
  const std::shared_ptr<const ScanFiles> files_;
  const delta::PredicatePtr condition_;
  const size_t read_;
  mutable std::once_flag ahead_begun_;
  mutable std::unique_ptr<RegisteredReadAhead> ahead_;
  mutable std::once_flag counted_;
  mutable uint64_t rows_ = 0;
};

}  // namespace weir::engine
