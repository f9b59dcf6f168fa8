// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/scan_files.h"

#include <algorithm>
#include <utility>

#include "delta/actions/file_path.h"

namespace weir::engine {

ScanFiles::ScanFiles(TableStatePtr state) : state_(std::move(state)) {
  if (state_->snapshot()) base_size_ = state_->snapshot()->files().size();
  files_.reserve(base_size_ + state_->added().size());
  for (size_t i = 0; i < base_size_; ++i) {
    const bool hidden = !state_->hidden().empty() &&
                        state_->hidden().contains(std::string(state_->snapshot()->files().path(i)));
    if (!hidden) files_.push_back(static_cast<uint32_t>(i));
  }
  for (size_t i = 0; i < state_->added().size(); ++i)
    files_.push_back(static_cast<uint32_t>(base_size_ + i));
  total_ = files_.size();
}

ScanFiles::ScanFiles(const ScanFiles& all, const std::vector<uint32_t>& kept)
    : state_(all.state_), base_size_(all.base_size_), total_(all.total_) {
  files_.reserve(kept.size());
  for (uint32_t place : kept) files_.push_back(all.files_[place]);
}

size_t ScanFiles::PlaceOf(uint32_t number) const {
  return static_cast<size_t>(std::lower_bound(files_.begin(), files_.end(), number) -
                             files_.begin());
}

std::string_view ScanFiles::path(size_t i) const {
  return InSnapshot(i) ? state_->snapshot()->files().path(files_[i])
                       : std::string_view(Added(i).path);
}

int64_t ScanFiles::file_size(size_t i) const {
  return InSnapshot(i) ? state_->snapshot()->files().file_size(files_[i]) : Added(i).size;
}

int64_t ScanFiles::modification_time(size_t i) const {
  return InSnapshot(i) ? state_->snapshot()->files().modification_time(files_[i])
                       : Added(i).modification_time;
}

std::optional<std::string_view> ScanFiles::partition_value(size_t i, size_t k) const {
  if (InSnapshot(i)) return state_->snapshot()->files().partition_value(files_[i], k);
  const auto& values = Added(i).partition_values;
  const auto& column = state_->metadata().partition_columns[k];
  const auto* field = state_->schema()->FindField(column);
  auto it = values.find(field ? field->physical_name() : column);
  if (it == values.end() || !it->second) return std::nullopt;
  return std::string_view(*it->second);
}

std::optional<delta::DeletionVectorDescriptor> ScanFiles::deletion_vector(size_t i) const {
  return InSnapshot(i) ? state_->snapshot()->files().deletion_vector(files_[i])
                       : Added(i).deletion_vector;
}

delta::AddFile ScanFiles::Get(size_t i) const {
  return InSnapshot(i) ? state_->snapshot()->files().GetWithoutStats(files_[i]) : Added(i);
}

Result<delta::AddFile> ScanFiles::GetWithStats(size_t i) const {
  if (!InSnapshot(i)) return Added(i);
  const auto& files = state_->snapshot()->files();
  WEIR_RETURN_IF_ERROR(files.LoadStats());
  return files.Get(files_[i]);
}

std::optional<size_t> ScanFiles::snapshot_index(size_t i) const {
  return InSnapshot(i) ? std::optional<size_t>(files_[i]) : std::nullopt;
}

Result<std::string> ResolveDataPath(const std::string& root, std::string_view log_path,
                                    const std::string& allowed_root, bool allow_external) {
  WEIR_ASSIGN_OR_RETURN(auto path, delta::ResolveFilePath(root, log_path));
  if (allow_external || delta::IsWithinTable(root, path) ||
      delta::IsWithinTable(allowed_root, path))
    return path;
  return Fail(InvalidArgument(
      "WEIR_EXTERNAL_FILE_REFUSED",
      "table " + root + " names the file " + path + " outside of " + allowed_root +
          ", as a shallow clone may; SET weir_allow_external_files = true allows it"));
}

}  // namespace weir::engine
