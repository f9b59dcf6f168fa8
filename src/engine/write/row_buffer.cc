// SPDX-License-Identifier: Apache-2.0
#include "engine/write/row_buffer.h"

#include <algorithm>

#include "duckdb/storage/buffer_manager.hpp"

namespace weir::engine {
namespace {

constexpr size_t kFirstCapacity = 64;
// Beyond it rows are stored where they can be spilled.
constexpr size_t kFewBytes = 1 << 20;
constexpr size_t kStoresBetweenSizeChecks = 8;

}  // namespace

RowBuffer::RowBuffer(duckdb::ClientContext& context,
                     const duckdb::vector<duckdb::LogicalType>& types, bool is_one_of_many)
    : context_(context), types_(types), is_one_of_many_(is_one_of_many) {}

RowBuffer::~RowBuffer() = default;

size_t RowBuffer::rows() const {
  return (few_ ? few_->size() : 0) + (stored_ ? stored_->Count() : 0);
}

bool RowBuffer::HasReached(size_t rows, size_t bytes) const {
  return this->rows() >= rows ||
         (stored_ && stores_ % kStoresBetweenSizeChecks == 0 && stored_->SizeInBytes() >= bytes);
}

void RowBuffer::Append(duckdb::DataChunk& rows) {
  if (!is_one_of_many_ || (!few_ && rows.size() >= STANDARD_VECTOR_SIZE / 2)) {
    Store(rows);
  } else {
    AppendToFew(rows);
  }
}

void RowBuffer::AppendToFew(duckdb::DataChunk& rows) {
  if (few_ && few_->size() + rows.size() > STANDARD_VECTOR_SIZE) StoreFew();
  if (!few_) {
    // Nested values do not grow.
    const bool is_nested =
        std::any_of(types_.begin(), types_.end(), [](const auto& type) { return type.IsNested(); });
    const size_t capacity = std::max<size_t>(kFirstCapacity, duckdb::NextPowerOfTwo(rows.size()));
    few_ = std::make_unique<duckdb::DataChunk>();
    few_->Initialize(duckdb::BufferAllocator::Get(context_), types_,
                     is_nested ? STANDARD_VECTOR_SIZE : capacity);
  }
  few_->Append(rows, true);
  if (few_->GetAllocationSize() > kFewBytes) StoreFew();
}

void RowBuffer::StoreFew() {
  if (!few_) return;
  auto rows = std::move(few_);
  Store(*rows);
}

void RowBuffer::Store(duckdb::DataChunk& rows) {
  if (!stored_) {
    stored_ = duckdb::make_uniq<duckdb::ColumnDataCollection>(context_, types_);
    stored_->InitializeAppend(append_);
  } else if (is_one_of_many_) {
    stored_->InitializeAppend(append_);
  }
  stored_->Append(append_, rows);
  // What is pinned cannot be spilled.
  if (is_one_of_many_) append_.current_chunk_state.handles.clear();
  stores_++;
}

void RowBuffer::Absorb(RowBuffer& other) {
  if (other.few_) AppendToFew(*other.few_);
  other.few_.reset();
  if (!other.stored_) return;
  auto stored = other.Take();
  append_.current_chunk_state.handles.clear();
  if (!stored_) {
    stored_ = std::move(stored);
  } else {
    stored_->Combine(*stored);
  }
  stored_->InitializeAppend(append_);
  if (is_one_of_many_) append_.current_chunk_state.handles.clear();
}

duckdb::unique_ptr<duckdb::ColumnDataCollection> RowBuffer::Take() {
  StoreFew();
  // The append state pins the last chunk.
  append_.current_chunk_state.handles.clear();
  return std::move(stored_);
}

}  // namespace weir::engine
