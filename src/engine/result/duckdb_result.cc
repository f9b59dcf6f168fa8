// SPDX-License-Identifier: Apache-2.0
#include "engine/result/duckdb_result.h"

#include <utility>

#include "base/json.h"
#include "engine/duckdb_errors.h"
#include "engine/result/value_text.h"

namespace weir::engine {
namespace {

using duckdb::LogicalTypeId;

ResultKind KindOf(duckdb::StatementReturnType type) {
  switch (type) {
    case duckdb::StatementReturnType::QUERY_RESULT:
      return ResultKind::kRows;
    case duckdb::StatementReturnType::CHANGED_ROWS:
      return ResultKind::kChangedRows;
    case duckdb::StatementReturnType::NOTHING:
      return ResultKind::kNothing;
  }
  return ResultKind::kNothing;
}

class DuckDBResult final : public QueryResult {
 public:
  DuckDBResult(std::shared_ptr<duckdb::Connection> connection,
               duckdb::unique_ptr<duckdb::QueryResult> result)
      : connection_(std::move(connection)), result_(std::move(result)) {
    for (size_t i = 0; i < result_->names.size(); ++i) {
      columns_.push_back({result_->names[i], result_->types[i].ToString()});
    }
  }

  ResultKind kind() const override {
    const bool is_nothing = result_->type == duckdb::QueryResultType::MATERIALIZED_RESULT &&
                            columns_.size() == 1 && columns_[0].name == kNothingColumn;
    return is_nothing ? ResultKind::kNothing : KindOf(result_->properties.return_type);
  }
  const std::vector<ColumnInfo>& columns() const override { return columns_; }

  Result<bool> NextBatch() override {
    duckdb::ErrorData error;
    const bool ok = result_->TryFetch(chunk_, error);
    if (!ok) {
      chunk_.reset();
      return Fail(FromDuckDB(error.HasError() ? error : result_->GetErrorObject()));
    }
    if (chunk_ && chunk_->size() == 0) chunk_.reset();
    return chunk_ != nullptr;
  }

  size_t batch_size() const override { return chunk_ ? chunk_->size() : 0; }

  bool IsNull(size_t column, size_t row) const override {
    return !duckdb::FlatVector::Validity(chunk_->data[column]).RowIsValid(row);
  }

  std::string Text(size_t column, size_t row) const override {
    const duckdb::Vector& vector = chunk_->data[column];
    if (vector.GetType().id() == LogicalTypeId::VARCHAR) {
      return duckdb::FlatVector::GetData<duckdb::string_t>(vector)[row].GetString();
    }
    return ValueText(*connection_->context, chunk_->GetValue(column, row));
  }

  void AppendJson(size_t column, size_t row, std::string& out) const override {
    const duckdb::Vector& vector = chunk_->data[column];
    if (vector.GetType().id() == LogicalTypeId::VARCHAR && !vector.GetType().IsJSONType() &&
        !IsNull(column, row)) {
      const duckdb::string_t text = duckdb::FlatVector::GetData<duckdb::string_t>(vector)[row];
      AppendJsonString(out, {text.GetData(), text.GetSize()});
      return;
    }
    AppendValueJson(*connection_->context, chunk_->GetValue(column, row), out);
  }

  int64_t Int64(size_t column, size_t row) const override {
    const duckdb::Value value = chunk_->GetValue(column, row);
    duckdb::Value integer;
    std::string reason;
    const bool is_integer =
        value.DefaultTryCastAs(duckdb::LogicalType::BIGINT, integer, &reason) && !integer.IsNull();
    return is_integer ? integer.GetValue<int64_t>() : 0;
  }

 private:
  std::shared_ptr<duckdb::Connection> connection_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  duckdb::unique_ptr<duckdb::DataChunk> chunk_;
  std::vector<ColumnInfo> columns_;
};

}  // namespace

std::unique_ptr<QueryResult> WrapResult(std::shared_ptr<duckdb::Connection> connection,
                                        duckdb::unique_ptr<duckdb::QueryResult> result) {
  return std::make_unique<DuckDBResult>(std::move(connection), std::move(result));
}

}  // namespace weir::engine
