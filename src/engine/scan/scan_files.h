// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "engine/catalog/table_state.h"

namespace weir::engine {

/// The files that a scan reads: the live files of a TableState, or a part of them. Immutable and
/// thread-safe; views live as long as the state.
class ScanFiles {
 public:
  /// All live files.
  explicit ScanFiles(TableStatePtr state);
  /// The files of `all` at the places `kept`, in that order.
  ScanFiles(const ScanFiles& all, const std::vector<uint32_t>& kept);
  /// All live files of the state, whatever part this is.
  size_t total() const { return total_; }

  const TableState& state() const { return *state_; }
  const TableStatePtr& shared_state() const { return state_; }
  size_t size() const { return files_.size(); }

  /// The file's number in its TableState, the same in every part: what the column file_index gives.
  uint32_t number(size_t i) const { return files_[i]; }
  /// The place of the file with that number. Precondition: this set holds it.
  size_t PlaceOf(uint32_t number) const;

  std::string_view path(size_t i) const;
  int64_t file_size(size_t i) const;
  int64_t modification_time(size_t i) const;
  /// For the k-th partition column of the metadata; nullopt is NULL.
  std::optional<std::string_view> partition_value(size_t i, size_t k) const;
  std::optional<delta::DeletionVectorDescriptor> deletion_vector(size_t i) const;
  /// The action without its statistics (those of uncommitted files are there).
  delta::AddFile Get(size_t i) const;
  /// The whole action, with statistics. Errors: as FileList::LoadStats.
  Result<delta::AddFile> GetWithStats(size_t i) const;
  /// The file's place in the snapshot's list; nullopt for an uncommitted file.
  std::optional<size_t> snapshot_index(size_t i) const;

 private:
  // A number below base_size_ is a file of the snapshot, from there on one of state().added().
  bool InSnapshot(size_t i) const { return files_[i] < base_size_; }
  const delta::AddFile& Added(size_t i) const { return state_->added()[files_[i] - base_size_]; }

  TableStatePtr state_;
  size_t base_size_ = 0;
  size_t total_ = 0;
  std::vector<uint32_t> files_;
};

/// The full path under which the file `log_path` (data, or a deletion vector's) of a table at
/// `root` is opened. Errors: as delta::ResolveFilePath; kInvalidArgument WEIR_EXTERNAL_FILE_REFUSED
/// for a file outside of the table and of `allowed_root`, unless `allow_external`.
Result<std::string> ResolveDataPath(const std::string& root, std::string_view log_path,
                                    const std::string& allowed_root, bool allow_external);

}  // namespace weir::engine
