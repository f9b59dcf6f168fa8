// SPDX-License-Identifier: Apache-2.0
#include "cli/output/writers.h"

namespace weir::cli {
namespace {

class MarkdownWriter final : public ResultWriter {
 public:
  explicit MarkdownWriter(Output& out) : out_(out) {}

  void Begin(const std::vector<engine::ColumnInfo>& columns) override {
    std::string names = "|";
    std::string rule = "|";
    for (const auto& column : columns) {
      names += ' ';
      AppendCell(names, column.name);
      names += " |";
      rule += IsNumericType(column.type) ? "---:|" : "---|";
    }
    out_.Write(names + "\n" + rule + "\n");
  }

  void Batch(const engine::QueryResult& result) override {
    for (size_t row = 0; row < result.batch_size(); ++row) {
      line_ = "|";
      for (size_t column = 0; column < result.columns().size(); ++column) {
        line_ += ' ';
        AppendCell(line_, result.IsNull(column, row) ? "NULL" : result.Text(column, row));
        line_ += " |";
      }
      line_ += '\n';
      out_.Write(line_);
    }
  }

  void End() override {}

 private:
  static void AppendCell(std::string& line, const std::string& text) {
    for (const char c : text) {
      if (c == '\n') {
        line += "<br>";
      } else if (c == '|' || c == '\\') {
        line += '\\';
        line += c;
      } else if (c != '\r') {
        line += c;
      }
    }
  }

  Output& out_;
  std::string line_;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeMarkdownWriter(Output& out) {
  return std::make_unique<MarkdownWriter>(out);
}

}  // namespace weir::cli
