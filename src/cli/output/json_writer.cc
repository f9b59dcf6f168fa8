// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "cli/output/writers.h"

namespace weir::cli {
namespace {

// Both JSON forms: objects between `open_` and `close_`, with `separator_` between them.
class JsonResultWriter final : public ResultWriter {
 public:
  JsonResultWriter(Output& out, std::string_view open, std::string_view separator,
                   std::string_view close)
      : out_(out), open_(open), separator_(separator), close_(close) {}

  void Begin(const std::vector<engine::ColumnInfo>& columns) override {
    bool first = true;
    for (const std::string& name : DistinctNames(columns)) {
      std::string key(first ? "{" : ",");
      AppendJsonString(key, name);
      key += ':';
      keys_.push_back(std::move(key));
      first = false;
    }
    out_.Write(open_);
  }

  void Batch(const engine::QueryResult& result) override {
    for (size_t row = 0; row < result.batch_size(); ++row) {
      line_.assign(any_ ? separator_ : "");
      any_ = true;
      for (size_t column = 0; column < keys_.size(); ++column) {
        line_ += keys_[column];
        if (result.IsNull(column, row)) {
          line_ += "null";
        } else {
          result.AppendJson(column, row, line_);
        }
      }
      line_ += '}';
      out_.Write(line_);
    }
  }

  void End() override {
    if (any_ || !open_.empty()) out_.Write(close_);
  }

 private:
  Output& out_;
  std::string_view open_;
  std::string_view separator_;
  std::string_view close_;
  std::vector<std::string> keys_;
  std::string line_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeJsonWriter(Output& out) {
  return std::make_unique<JsonResultWriter>(out, "[", ",\n ", "]\n");
}

std::unique_ptr<ResultWriter> MakeJsonlWriter(Output& out) {
  return std::make_unique<JsonResultWriter>(out, "", "\n", "\n");
}

}  // namespace weir::cli
