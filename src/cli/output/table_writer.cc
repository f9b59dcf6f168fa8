// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/output/text_width.h"
#include "cli/output/writers.h"

namespace weir::cli {
namespace {

constexpr size_t kRowsMeasured = 10'000;

using Cell = std::vector<std::string>;  // its lines
using Row = std::vector<Cell>;

struct Edge {
  const char* left;
  const char* middle;
  const char* right;
};
constexpr Edge kTop{"┌", "┬", "┐"};
constexpr Edge kBelowHeader{"├", "┼", "┤"};
constexpr Edge kBottom{"└", "┴", "┘"};

class TableWriter final : public ResultWriter {
 public:
  explicit TableWriter(Output& out) : out_(out) {}

  void Begin(const std::vector<engine::ColumnInfo>& columns) override {
    is_plan_ = columns.size() == 2 && columns[0].name == "explain_key" &&
               columns[1].name == "explain_value";
    for (const auto& column : columns) {
      header_.push_back(CellLines(column.name));
      numeric_.push_back(IsNumericType(column.type));
    }
    widths_.assign(columns.size(), 0);
    Measure(header_);
  }

  void Batch(const engine::QueryResult& result) override {
    for (size_t r = 0; r < result.batch_size(); ++r) {
      ++row_count_;
      if (is_plan_) {
        out_.Write(result.Text(1, r));
        continue;
      }
      Row row;
      for (size_t c = 0; c < header_.size(); ++c) {
        row.push_back(CellLines(result.IsNull(c, r) ? "NULL" : result.Text(c, r)));
      }
      if (header_written_) {
        WriteRow(row, false);
        continue;
      }
      Measure(row);
      pending_.push_back(std::move(row));
      if (pending_.size() == kRowsMeasured) WritePending();
    }
  }

  void End() override {
    if (is_plan_) return;
    if (!header_written_) WritePending();
    WriteEdge(kBottom);
    out_.Write(std::to_string(row_count_) + (row_count_ == 1 ? " row\n" : " rows\n"));
  }

 private:
  void Measure(const Row& row) {
    for (size_t c = 0; c < row.size(); ++c) {
      for (const std::string& line : row[c]) widths_[c] = std::max(widths_[c], TextWidth(line));
    }
  }

  void WritePending() {
    WriteEdge(kTop);
    WriteRow(header_, true);
    WriteEdge(kBelowHeader);
    for (const Row& row : pending_) WriteRow(row, false);
    pending_.clear();
    header_written_ = true;
  }

  void WriteEdge(const Edge& edge) {
    std::string line;
    for (size_t c = 0; c < widths_.size(); ++c) {
      line += c == 0 ? edge.left : edge.middle;
      for (size_t i = 0; i < widths_[c] + 2; ++i) line += "─";
    }
    out_.Write(line + edge.right + "\n");
  }

  void WriteRow(const Row& row, bool is_header) {
    size_t height = 1;
    for (const Cell& cell : row) height = std::max(height, cell.size());
    for (size_t i = 0; i < height; ++i) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c) {
        line += "│ ";
        AppendPadded(line, i < row[c].size() ? row[c][i] : std::string(), widths_[c],
                     numeric_[c] && !is_header);
        line += ' ';
      }
      out_.Write(line + "│\n");
    }
  }

  static void AppendPadded(std::string& line, const std::string& text, size_t width, bool right) {
    const size_t used = TextWidth(text);
    const std::string padding(width > used ? width - used : 0, ' ');
    line += right ? padding + text : text + padding;
  }

  Output& out_;
  bool is_plan_ = false;
  bool header_written_ = false;
  size_t row_count_ = 0;
  Row header_;
  std::vector<bool> numeric_;
  std::vector<size_t> widths_;
  std::vector<Row> pending_;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeTableWriter(Output& out) {
  return std::make_unique<TableWriter>(out);
}

}  // namespace weir::cli
