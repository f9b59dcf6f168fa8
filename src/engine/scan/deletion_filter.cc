// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/deletion_filter.h"

#include <utility>

#include "delta/deletion_vectors/deletion_vector.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

class DeletionVectorFilter final : public duckdb::DeleteFilter {
 public:
  explicit DeletionVectorFilter(delta::RowBitmap deleted) : deleted_(std::move(deleted)) {}

  // The live rows of [start, start + count), as offsets from start. Called by many threads.
  duckdb::idx_t Filter(duckdb::row_t start, duckdb::idx_t count,
                       duckdb::SelectionVector& result) override {
    result.Initialize(STANDARD_VECTOR_SIZE);
    const auto begin = static_cast<uint64_t>(start);
    duckdb::idx_t live = 0;
    duckdb::idx_t next = 0;
    deleted_.ForEach(begin, begin + count, [&](uint64_t row) {
      while (next < row - begin) result.set_index(live++, next++);
      ++next;
    });
    while (next < count) result.set_index(live++, next++);
    return live;
  }

 private:
  const delta::RowBitmap deleted_;
};

}  // namespace

duckdb::unique_ptr<duckdb::DeleteFilter> MakeDeletionFilter(const ScanSource& source,
                                                            const delta::AddFile& file) {
  const auto& log = source.state->log();
  auto deleted = delta::ReadDeletionVector(*log.store, log.root, *file.deletion_vector);
  if (!deleted) {
    Throw(deleted.error().WithContext("table " + source.name + " at version " +
                                      std::to_string(source.state->version()) + ", file " +
                                      file.path));
  }
  return duckdb::make_uniq<DeletionVectorFilter>(std::move(*deleted));
}

}  // namespace weir::engine
