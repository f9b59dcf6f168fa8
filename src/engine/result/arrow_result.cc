// SPDX-License-Identifier: Apache-2.0
#include "engine/result/arrow_result.h"

#include <utility>

#include "duckdb/common/arrow/result_arrow_wrapper.hpp"

namespace weir::engine {
namespace {

// A multiple of DuckDB's vectors.
constexpr duckdb::idx_t kRowsPerArray = duckdb::idx_t{STANDARD_VECTOR_SIZE} * 32;

// DuckDB's stream, which does not keep the connection that feeds it.
struct OwnedStream {
  std::shared_ptr<duckdb::Connection> connection;
  ArrowArrayStream inner;
};

OwnedStream& Owned(ArrowArrayStream* stream) {
  return *static_cast<OwnedStream*>(stream->private_data);
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto& inner = Owned(stream).inner;
  return inner.get_schema(&inner, out);
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto& inner = Owned(stream).inner;
  return inner.get_next(&inner, out);
}

const char* GetLastError(ArrowArrayStream* stream) {
  auto& inner = Owned(stream).inner;
  return inner.get_last_error(&inner);
}

void Release(ArrowArrayStream* stream) {
  const std::unique_ptr<OwnedStream> owned(&Owned(stream));
  if (owned->inner.release != nullptr) owned->inner.release(&owned->inner);
  stream->release = nullptr;
  stream->private_data = nullptr;
}

}  // namespace

void MakeArrowStream(std::shared_ptr<duckdb::Connection> connection,
                     duckdb::unique_ptr<duckdb::QueryResult> result, ArrowArrayStream* out) {
  // Its stream's release deletes it.
  auto* wrapper = new duckdb::ResultArrowArrayStreamWrapper(std::move(result), kRowsPerArray);
  auto owned = std::make_unique<OwnedStream>();
  owned->connection = std::move(connection);
  owned->inner = wrapper->stream;
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = Release;
  out->private_data = owned.release();
}

}  // namespace weir::engine
