// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/file_list.h"

#include <algorithm>
#include <utility>

#include "engine/duckdb_errors.h"

namespace weir::engine {

WeirFileList::WeirFileList(ScanSourcePtr source, std::shared_ptr<const ScanFiles> files)
    : source_(std::move(source)), files_(std::move(files)) {}

duckdb::OpenFileInfo WeirFileList::GetFile(duckdb::idx_t i) const {
  if (i >= files_->size()) return {};
  return duckdb::OpenFileInfo(OrThrow(ResolveDataPath(source_->state->log().root, files_->path(i),
                                                      source_->allowed_root, source_->allow_external)));
}

duckdb::vector<duckdb::OpenFileInfo> WeirFileList::GetAllFiles() const { return GetDisplayFileList({}); }

duckdb::vector<duckdb::OpenFileInfo> WeirFileList::GetDisplayFileList(duckdb::optional_idx max_files) const {
  size_t count = files_->size();
  if (max_files.IsValid()) count = std::min<size_t>(count, max_files.GetIndex());
  duckdb::vector<duckdb::OpenFileInfo> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) result.push_back(GetFile(i));
  return result;
}

duckdb::FileExpandResult WeirFileList::GetExpandResult() const {
  if (files_->size() == 0) return duckdb::FileExpandResult::NO_FILES;
  return files_->size() == 1 ? duckdb::FileExpandResult::SINGLE_FILE : duckdb::FileExpandResult::MULTIPLE_FILES;
}

duckdb::MultiFileCount WeirFileList::GetFileCount(duckdb::idx_t) const { return duckdb::MultiFileCount(files_->size()); }

duckdb::unique_ptr<duckdb::MultiFileList> WeirFileList::Copy() const {
  return duckdb::make_uniq<WeirFileList>(source_, files_);
}

}  // namespace weir::engine
