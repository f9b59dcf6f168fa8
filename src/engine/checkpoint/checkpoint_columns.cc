// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_columns.h"

#include <functional>

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/main/prepared_statement.hpp"

#include "base/text.h"

namespace weir::engine {
namespace {

// Writers of old did not mark their texts as UTF-8.
std::string Source(const std::string& file) {
  return "read_parquet(" + QuoteLiteral(file) +
         ", binary_as_string = true, hive_partitioning = false)";
}

std::string Expression(std::initializer_list<std::string_view> path) {
  std::string expression;
  for (std::string_view name : path) {
    expression = expression.empty()
                     ? QuoteIdentifier(name)
                     : "struct_extract(" + expression + ", " + QuoteLiteral(name) + ")";
  }
  return expression;
}

// A flat struct may still have children in other forms.
void FlattenDeep(duckdb::Vector& vector, size_t count) {
  vector.Flatten(count);
  if (vector.GetType().InternalType() != duckdb::PhysicalType::STRUCT) return;
  for (auto& child : duckdb::StructVector::GetEntries(vector)) FlattenDeep(*child, count);
}

}  // namespace

CheckpointSchema::CheckpointSchema(duckdb::Connection& connection, const std::string& file) {
  auto statement = connection.Prepare("SELECT * FROM " + Source(file));
  if (statement->HasError()) statement->error.Throw();
  names_ = statement->GetNames();
  types_ = statement->GetTypes();
}

const duckdb::LogicalType* CheckpointSchema::Find(
    std::initializer_list<std::string_view> path) const {
  const duckdb::LogicalType* type = nullptr;
  for (std::string_view name : path) {
    const duckdb::LogicalType* found = nullptr;
    if (type == nullptr) {
      for (size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) found = &types_[i];
      }
    } else if (type->id() == duckdb::LogicalTypeId::STRUCT) {
      for (const auto& child : duckdb::StructType::GetChildTypes(*type)) {
        if (child.first == name) found = &child.second;
      }
    }
    if (found == nullptr) return nullptr;
    type = found;
  }
  return type;
}

size_t CheckpointQuery::Add(std::initializer_list<std::string_view> path, std::string_view type) {
  std::string expression = schema_.Has(path) ? Expression(path) : "NULL";
  columns_.push_back("CAST(" + expression + " AS " + std::string(type) + ")");
  return columns_.size() - 1;
}

size_t CheckpointQuery::AddAsIs(std::initializer_list<std::string_view> path) {
  columns_.push_back(Expression(path));
  return columns_.size() - 1;
}

std::string CheckpointQuery::ToSql() const {
  std::string sql = "SELECT ";
  for (size_t i = 0; i < columns_.size(); ++i) sql += (i == 0 ? "" : ", ") + columns_[i];
  return sql + " FROM " + Source(file_);
}

void ForEachChunk(duckdb::Connection& connection, const std::string& sql,
                  const std::function<void(duckdb::DataChunk&)>& take) {
  auto result = connection.SendQuery(sql);
  if (result->HasError()) result->ThrowError();
  for (auto chunk = result->Fetch(); chunk && chunk->size() > 0; chunk = result->Fetch()) {
    for (auto& vector : chunk->data) FlattenDeep(vector, chunk->size());
    take(*chunk);
  }
  if (result->HasError()) result->ThrowError();
}

}  // namespace weir::engine
