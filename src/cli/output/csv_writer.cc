// SPDX-License-Identifier: Apache-2.0
#include "cli/output/writers.h"

namespace weir::cli {
namespace {

class CsvWriter final : public ResultWriter {
 public:
  explicit CsvWriter(Output& out) : out_(out) {}

  void Begin(const std::vector<engine::ColumnInfo>& columns) override {
    std::string line;
    for (const std::string& name : DistinctNames(columns)) {
      if (!line.empty()) line += ',';
      AppendField(line, name);
    }
    out_.Write(line + "\n");
  }

  void Batch(const engine::QueryResult& result) override {
    const size_t columns = result.columns().size();
    for (size_t row = 0; row < result.batch_size(); ++row) {
      line_.clear();
      for (size_t column = 0; column < columns; ++column) {
        if (column > 0) line_ += ',';
        if (!result.IsNull(column, row)) AppendField(line_, result.Text(column, row));
      }
      line_ += '\n';
      out_.Write(line_);
    }
  }

  void End() override {}

 private:
  static void AppendField(std::string& line, const std::string& text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) {
      line += text;
      return;
    }
    line += '"';
    for (const char c : text) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }

  Output& out_;
  std::string line_;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeCsvWriter(Output& out) {
  return std::make_unique<CsvWriter>(out);
}

}  // namespace weir::cli
