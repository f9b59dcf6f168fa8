// SPDX-License-Identifier: Apache-2.0
#include "engine/write/parquet_file.h"

#include <utility>

namespace weir::engine {

ParquetFile::ParquetFile(duckdb::ClientContext& context, const ParquetFormat& format,
                         std::string path)
    : context_(context), format_(format), path_(std::move(path)) {
  const auto& function = format_.function();
  state_ = function.copy_to_initialize_global(context_, format_.bind_data(), path_);
  // Must be asked for before the first row group; the size of the finished file is among them.
  function.copy_to_get_written_statistics(context_, format_.bind_data(), *state_, written_);
}

void ParquetFile::WriteRowGroup(duckdb::unique_ptr<duckdb::ColumnDataCollection> rows) {
  const auto& function = format_.function();
  auto batch = function.prepare_batch(context_, format_.bind_data(), *state_, std::move(rows));
  function.flush_batch(context_, format_.bind_data(), *state_, *batch);
}

bool ParquetFile::HasReached(int64_t bytes) const {
  return format_.function().rotate_next_file(*state_, format_.bind_data(),
                                             static_cast<duckdb::idx_t>(bytes));
}

int64_t ParquetFile::Finish() {
  format_.function().copy_to_finalize(context_, format_.bind_data(), *state_);
  state_.reset();
  return static_cast<int64_t>(written_.file_size_bytes);
}

}  // namespace weir::engine
