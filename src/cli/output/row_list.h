// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/session.h"

namespace weir::cli {

/// Rows that a command made itself, as a result that every output format can write.
class RowList final : public engine::QueryResult {
 public:
  /// NULL, an integer or a text.
  using Cell = std::variant<std::monostate, int64_t, std::string>;

  explicit RowList(std::vector<engine::ColumnInfo> columns) : columns_(std::move(columns)) {}

  /// `row` has a cell for each column.
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  engine::ResultKind kind() const override { return engine::ResultKind::kRows; }
  const std::vector<engine::ColumnInfo>& columns() const override { return columns_; }
  Result<bool> NextBatch() override;
  size_t batch_size() const override { return rows_.size(); }
  bool IsNull(size_t column, size_t row) const override;
  std::string Text(size_t column, size_t row) const override;
  void AppendJson(size_t column, size_t row, std::string& out) const override;
  int64_t Int64(size_t column, size_t row) const override;

 private:
  std::vector<engine::ColumnInfo> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool given_ = false;
};

}  // namespace weir::cli
