// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "engine/scan/scan_files.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

/// The files of a scan as DuckDB's multi-file reader asks for them. Immutable: filters make a smaller copy.
class WeirFileList final : public duckdb::MultiFileList {
 public:
  WeirFileList(ScanSourcePtr source, std::shared_ptr<const ScanFiles> files);

  const ScanFiles& files() const { return *files_; }
  const ScanSource& source() const { return *source_; }

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  duckdb::idx_t GetTotalFileCount() const override { return files_->size(); }
  duckdb::MultiFileCount GetFileCount(duckdb::idx_t min_exact_count) const override;
  duckdb::vector<duckdb::OpenFileInfo> GetDisplayFileList(duckdb::optional_idx max_files) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  const ScanSourcePtr source_;
  const std::shared_ptr<const ScanFiles> files_;
};

}  // namespace weir::engine
