// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/touched_rows.h"

#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

[[noreturn]] void ThrowChangedTwice() {
  Throw(InvalidArgument("DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
                        "more than one source row matches the same target row and would change it, "
                        "so the result would depend on their "
                        "order; make the source unique by the matching columns first, e.g. with "
                        "QUALIFY row_number() OVER (...) = 1",
                        "21506"));
}

}  // namespace

void TouchedRows::Local::Add(duckdb::Vector& files, duckdb::Vector& rows, size_t count,
                             bool is_delete, bool may_delete_twice) {
  duckdb::UnifiedVectorFormat file_data;
  duckdb::UnifiedVectorFormat row_data;
  files.ToUnifiedFormat(count, file_data);
  rows.ToUnifiedFormat(count, row_data);
  const auto* file_numbers = duckdb::UnifiedVectorFormat::GetData<uint64_t>(file_data);
  const auto* row_numbers = duckdb::UnifiedVectorFormat::GetData<int64_t>(row_data);
  FileChanges* changes = nullptr;
  uint64_t current = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t file = file_numbers[file_data.sel->get_index(i)];
    const auto row = static_cast<uint64_t>(row_numbers[row_data.sel->get_index(i)]);
    if (!changes || file != current) {
      changes = &files_[file];
      current = file;
    }
    auto& own = is_delete ? changes->deleted : changes->updated;
    const auto& other = is_delete ? changes->updated : changes->deleted;
    if (own.Contains(row)) {
      if (!is_delete || !may_delete_twice) ThrowChangedTwice();
      continue;
    }
    if (other.Contains(row)) ThrowChangedTwice();
    own.Add(row);
  }
}

void TouchedRows::Combine(const Local& local, bool may_delete_twice) {
  std::lock_guard lock(mutex_);
  for (const auto& [file, changes] : local.files_) {
    auto& all = files_[file];
    const uint64_t updated = all.updated.cardinality() + changes.updated.cardinality();
    const uint64_t deleted = all.deleted.cardinality() + changes.deleted.cardinality();
    all.updated.Union(changes.updated);
    all.deleted.Union(changes.deleted);
    delta::RowBitmap either = all.updated;
    either.Union(all.deleted);
    if (all.updated.cardinality() != updated || either.cardinality() != all.count() ||
        (!may_delete_twice && all.deleted.cardinality() != deleted)) {
      ThrowChangedTwice();
    }
  }
}

}  // namespace weir::engine
