// SPDX-License-Identifier: Apache-2.0
#include "engine/write/variant_encoding.h"

#include <algorithm>
#include <utility>

#include "duckdb/catalog/default/default_schemas.hpp"
#include "duckdb/function/function_binder.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"

namespace weir::engine {

using delta::TypeKind;
using duckdb::LogicalType;

bool HasNestedVariant(const delta::DataType& type) {
  const auto holds = [](const delta::DataType& inner) {
    return inner.kind() == TypeKind::kVariant || HasNestedVariant(inner);
  };
  switch (type.kind()) {
    case TypeKind::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [&](const delta::StructField& field) { return holds(*field.type); });
    case TypeKind::kArray:
      return holds(*type.element());
    case TypeKind::kMap:
      return holds(*type.key()) || holds(*type.value());
    default:
      return false;
  }
}

LogicalType VariantEncoder::FileType() {
  return LogicalType::STRUCT({{"metadata", LogicalType::BLOB}, {"value", LogicalType::BLOB}});
}

VariantEncoder::VariantEncoder(duckdb::ClientContext& context) : executor_(context) {
  duckdb::FunctionBinder binder(context);
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  arguments.push_back(
      duckdb::make_uniq<duckdb::BoundReferenceExpression>(LogicalType::VARIANT(), 0));
  duckdb::ErrorData error;
  auto encode = binder.BindScalarFunction(DEFAULT_SCHEMA, "variant_to_parquet_variant",
                                          std::move(arguments), error);
  if (!encode) error.Throw();
  function_ = duckdb::BoundCastExpression::AddCastToType(context, std::move(encode), FileType());
  executor_.AddExpression(*function_);
}

void VariantEncoder::Encode(duckdb::Vector& variants, size_t count, duckdb::Vector& groups) {
  duckdb::DataChunk input;
  input.InitializeEmpty({LogicalType::VARIANT()});
  input.data[0].Reference(variants);
  input.SetCardinality(count);
  executor_.ExecuteExpression(input, groups);
  // The function has a value of its own for NULL.
  groups.Flatten(count);
  duckdb::UnifiedVectorFormat format;
  variants.ToUnifiedFormat(count, format);
  if (format.validity.AllValid()) return;
  for (size_t row = 0; row < count; row++) {
    if (!format.validity.RowIsValid(format.sel->get_index(row)))
      duckdb::FlatVector::SetNull(groups, row, true);
  }
}

}  // namespace weir::engine
