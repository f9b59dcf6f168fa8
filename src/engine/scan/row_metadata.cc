// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/row_metadata.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "duckdb/function/function_binder.hpp"
#include "duckdb/function/scalar/nested_functions.hpp"
#include "duckdb/function/scalar/struct_functions.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"

#include "engine/duckdb_errors.h"
#include "storage/object_store.h"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::make_uniq;
using duckdb::Value;
using ExpressionPtr = duckdb::unique_ptr<duckdb::Expression>;

namespace {

constexpr const char* kRowIdProperty = "delta.rowTracking.materializedRowIdColumnName";
constexpr const char* kCommitVersionProperty =
    "delta.rowTracking.materializedRowCommitVersionColumnName";

const LogicalType kBigInt(LogicalTypeId::BIGINT);

ExpressionPtr Constant(Value value) {
  return make_uniq<duckdb::BoundConstantExpression>(std::move(value));
}

ExpressionPtr Constant(std::optional<int64_t> value) {
  return Constant(value ? Value::BIGINT(*value) : Value(kBigInt));
}

ExpressionPtr Sum(duckdb::ClientContext& context, ExpressionPtr left, ExpressionPtr right) {
  duckdb::vector<ExpressionPtr> children;
  children.push_back(std::move(left));
  children.push_back(std::move(right));
  duckdb::ErrorData error;
  duckdb::FunctionBinder binder(context);
  auto sum = binder.BindScalarFunction(DEFAULT_SCHEMA, "+", std::move(children), error, true);
  if (!sum) error.Throw();
  return sum;
}

ExpressionPtr Coalesce(ExpressionPtr first, ExpressionPtr second) {
  auto coalesce = make_uniq<duckdb::BoundOperatorExpression>(
      duckdb::ExpressionType::OPERATOR_COALESCE, kBigInt);
  coalesce->children.push_back(std::move(first));
  coalesce->children.push_back(std::move(second));
  return coalesce;
}

constexpr duckdb::idx_t kRowIdMember = 7;
constexpr duckdb::idx_t kRowCommitVersionMember = 8;

// Builds the members for one file; columns are added to the reader as members ask for them.
class MetadataBuilder {
 public:
  MetadataBuilder(duckdb::ClientContext& context, const ScanSource& source,
                  const delta::AddFile& file, duckdb::BaseFileReader& reader)
      : context_(context), source_(source), file_(file), reader_(reader) {}

  ExpressionPtr Member(duckdb::idx_t member) {
    const std::string& path = reader_.GetFileName();
    switch (member) {
      case 0:
        return Constant(Value(path));
      case 1:
        return Constant(Value(std::string(storage::BaseName(path))));
      case 2:
        return Constant(std::optional(file_.size));
      case 3:
        return Constant(Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(file_.modification_time * 1000)));
      case 4:
        return Constant(std::optional<int64_t>(0));
      case 5:
        return Constant(std::optional(file_.size));
      case 6:
        return RowIndex();
      case kRowIdMember:
        return RowId();
      default:
        return CommitVersion();
    }
  }

 private:
  ExpressionPtr RowIndex() {
    if (!row_number_) {
      duckdb::MultiFileLocalColumnId id(reader_.columns.size());
      reader_.columns.emplace_back("file_row_number", kBigInt);
      reader_.AddVirtualColumn(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER);
      row_number_ = Project(id);
    }
    return make_uniq<duckdb::BoundReferenceExpression>(kBigInt, *row_number_);
  }

  ExpressionPtr RowId() {
    auto id = file_.base_row_id ? Sum(context_, Constant(file_.base_row_id), RowIndex())
                                : Constant(std::nullopt);
    auto stored = Materialised(kRowIdProperty);
    return stored ? Coalesce(std::move(stored), std::move(id)) : std::move(id);
  }

  ExpressionPtr CommitVersion() {
    auto version = Constant(file_.default_row_commit_version);
    auto stored = Materialised(kCommitVersionProperty);
    return stored ? Coalesce(std::move(stored), std::move(version)) : std::move(version);
  }

  // The column that the property names, or null when this file has none. Found by name in every
  // mapping mode.
  ExpressionPtr Materialised(const char* property) {
    const std::string* name = source_.state->FindProperty(property);
    if (!name) return nullptr;
    for (duckdb::idx_t i = 0; i < reader_.columns.size(); ++i) {
      if (reader_.columns[i].name != *name) continue;
      auto reference = make_uniq<duckdb::BoundReferenceExpression>(
          reader_.columns[i].type, Project(duckdb::MultiFileLocalColumnId(i)));
      return duckdb::BoundCastExpression::AddCastToType(context_, std::move(reference), kBigInt);
    }
    return nullptr;
  }

  duckdb::idx_t Project(duckdb::MultiFileLocalColumnId id) {
    reader_.column_ids.push_back(id);
    reader_.column_indexes.emplace_back(id.GetId());
    return reader_.column_ids.size() - 1;
  }

  duckdb::ClientContext& context_;
  const ScanSource& source_;
  const delta::AddFile& file_;
  duckdb::BaseFileReader& reader_;
  std::optional<duckdb::idx_t> row_number_;
};

bool IsWanted(const duckdb::ColumnIndex& index, duckdb::idx_t member) {
  if (!index.HasChildren()) return true;
  for (const auto& child : index.GetChildIndexes()) {
    if (child.GetPrimaryIndex() == member) return true;
  }
  return false;
}

}  // namespace

LogicalType RowMetadataType(duckdb::column_t column) {
  return column == kRowMetadataColumn ? RowMetadataType() : kBigInt;
}

LogicalType RowMetadataType() {
  return LogicalType::STRUCT({{"file_path", LogicalType(LogicalTypeId::VARCHAR)},
                              {"file_name", LogicalType(LogicalTypeId::VARCHAR)},
                              {"file_size", kBigInt},
                              {"file_modification_time", LogicalType(LogicalTypeId::TIMESTAMP_TZ)},
                              {"file_block_start", kBigInt},
                              {"file_block_length", kBigInt},
                              {"row_index", kBigInt},
                              {"row_id", kBigInt},
                              {"row_commit_version", kBigInt}});
}

void AddRowMetadata(duckdb::ClientContext& context, const ScanSource& source,
                    const delta::AddFile& file, const duckdb::ColumnIndex& index,
                    duckdb::idx_t output, duckdb::MultiFileReaderData& reader_data) {
  MetadataBuilder builder(context, source, file, *reader_data.reader);
  if (index.GetPrimaryIndex() != kRowMetadataColumn) {
    reader_data.expressions[output] = builder.Member(
        index.GetPrimaryIndex() == kRowIdColumn ? kRowIdMember : kRowCommitVersionMember);
    return;
  }
  const auto type = RowMetadataType();
  duckdb::vector<ExpressionPtr> members;
  duckdb::idx_t position = 0;
  for (const auto& [name, member_type] : duckdb::StructType::GetChildTypes(type)) {
    auto member =
        IsWanted(index, position) ? builder.Member(position) : Constant(Value(member_type));
    member->SetAlias(name);
    members.push_back(std::move(member));
    ++position;
  }
  auto bind_data = make_uniq<duckdb::VariableReturnBindData>(type);
  reader_data.expressions[output] = make_uniq<duckdb::BoundFunctionExpression>(
      type, duckdb::StructPackFun::GetFunction(), std::move(members), std::move(bind_data));
}

}  // namespace weir::engine
