// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duckdb/main/connection.hpp"

#include "delta/checkpoint/checkpoint_io.h"

namespace weir::engine {

/// One Parquet file of a checkpoint, under the name that DuckDB knows it by. All functions throw
/// what DuckDB throws, and Errors by Throw; those of a visitor come through unchanged.
class CheckpointReader {
 public:
  CheckpointReader(duckdb::Connection& connection, std::string file)
      : connection_(connection), file_(std::move(file)) {}

  void Read(const delta::CheckpointColumns& columns, delta::CheckpointVisitor& visitor);

  /// Hands over the statistics of every add of the file in order, counting from `first`; returns
  /// the count behind the last.
  size_t ReadStats(const std::optional<std::vector<std::string>>& stats_columns, size_t first,
                   const std::function<Status(size_t, std::string_view)>& receive);

 private:
  duckdb::Connection& connection_;
  std::string file_;
};

}  // namespace weir::engine
