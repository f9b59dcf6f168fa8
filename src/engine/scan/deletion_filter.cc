// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/deletion_filter.h"

#include <memory>
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

// Lets the listed rows through and no others.
class SelectedRowsFilter final : public duckdb::DeleteFilter {
 public:
  explicit SelectedRowsFilter(std::shared_ptr<const delta::RowBitmap> selected)
      : selected_(std::move(selected)) {}

  duckdb::idx_t Filter(duckdb::row_t start, duckdb::idx_t count,
                       duckdb::SelectionVector& result) override {
    result.Initialize(STANDARD_VECTOR_SIZE);
    const auto begin = static_cast<uint64_t>(start);
    duckdb::idx_t found = 0;
    selected_->ForEach(begin, begin + count,
                       [&](uint64_t row) { result.set_index(found++, row - begin); });
    return found;
  }

 private:
  const std::shared_ptr<const delta::RowBitmap> selected_;
};

delta::RowBitmap Read(const ScanSource& source, int64_t version, const delta::AddFile& file,
                      const delta::DeletionVectorDescriptor& vector) {
  const auto& log = source.state->log();
  if (vector.storage_type == 'p') {
    OrThrow(ResolveDataPath(log.root, vector.path_or_inline_dv, source.allowed_root,
                            source.allow_external));
  }
  auto rows = delta::ReadDeletionVector(*log.store, log.root, vector);
  if (!rows) {
    Throw(rows.error().WithContext("table " + source.name + " at version " +
                                   std::to_string(version) + ", file " + file.path));
  }
  return std::move(*rows);
}

}  // namespace

duckdb::ReaderInitializeType AddDeletionFilter(const ScanSource& source, const ScanFiles& files,
                                               size_t place, duckdb::BaseFileReader& reader) {
  if (!source.chosen_rows.empty()) {
    if (const auto& chosen = source.chosen_rows[files.number(place)]) {
      reader.deletion_filter = duckdb::make_uniq<SelectedRowsFilter>(chosen);
      return duckdb::ReaderInitializeType::INITIALIZED;
    }
  }
  const auto vector = files.deletion_vector(place);
  const ChangeFeed::File* change =
      source.changes ? &source.changes->files[files.number(place)] : nullptr;
  if (!vector && !(change && change->rows_in)) return duckdb::ReaderInitializeType::INITIALIZED;
  const delta::AddFile file = files.Get(place);
  const int64_t version = change ? change->version : source.state->version();
  if (!change || !change->rows_in) {
    reader.deletion_filter =
        duckdb::make_uniq<DeletionVectorFilter>(Read(source, version, file, *vector));
    return duckdb::ReaderInitializeType::INITIALIZED;
  }
  delta::RowBitmap selected = Read(source, version, file, *change->rows_in);
  if (vector) selected.Subtract(Read(source, version, file, *vector));
  if (selected.empty()) return duckdb::ReaderInitializeType::SKIP_READING_FILE;
  reader.deletion_filter = duckdb::make_uniq<SelectedRowsFilter>(
      std::make_shared<const delta::RowBitmap>(std::move(selected)));
  return duckdb::ReaderInitializeType::INITIALIZED;
}

}  // namespace weir::engine
