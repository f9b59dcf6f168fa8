// SPDX-License-Identifier: Apache-2.0
#include "engine/write/variant_encoding.h"

#include <algorithm>
#include <utility>

#include "duckdb/catalog/default/default_schemas.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/function/function_binder.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

bool HoldsVariant(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::VARIANT:
      return true;
    case LogicalTypeId::STRUCT: {
      const auto& children = duckdb::StructType::GetChildTypes(type);
      return std::any_of(children.begin(), children.end(),
                         [](const auto& child) { return HoldsVariant(child.second); });
    }
    case LogicalTypeId::LIST:
      return HoldsVariant(duckdb::ListType::GetChildType(type));
    case LogicalTypeId::MAP:
      return HoldsVariant(duckdb::MapType::KeyType(type)) ||
             HoldsVariant(duckdb::MapType::ValueType(type));
    default:
      return false;
  }
}

LogicalType VariantEncoder::GroupType() {
  return LogicalType::STRUCT({{"metadata", LogicalType::BLOB}, {"value", LogicalType::BLOB}});
}

LogicalType VariantEncoder::FileType(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::VARIANT:
      return GroupType();
    case LogicalTypeId::STRUCT: {
      duckdb::child_list_t<LogicalType> children;
      for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type))
        children.emplace_back(name, FileType(child));
      return LogicalType::STRUCT(std::move(children));
    }
    case LogicalTypeId::LIST:
      return LogicalType::LIST(FileType(duckdb::ListType::GetChildType(type)));
    case LogicalTypeId::MAP:
      return LogicalType::MAP(FileType(duckdb::MapType::KeyType(type)),
                              FileType(duckdb::MapType::ValueType(type)));
    default:
      return type;
  }
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
  function_ = duckdb::BoundCastExpression::AddCastToType(context, std::move(encode), GroupType());
  executor_.AddExpression(*function_);
}

void VariantEncoder::Encode(duckdb::Vector& values, size_t count, duckdb::Vector& encoded) {
  const LogicalType& type = values.GetType();
  if (!HoldsVariant(type)) {
    encoded.Reference(values);
  } else if (type.id() == LogicalTypeId::VARIANT) {
    EncodeVariants(values, count, encoded);
  } else if (type.id() == LogicalTypeId::STRUCT) {
    EncodeStruct(values, count, encoded);
  } else {
    EncodeList(values, count, encoded);
  }
}

// Children of lists may be more than the executor takes at once.
void VariantEncoder::EncodeVariants(duckdb::Vector& variants, size_t count,
                                    duckdb::Vector& groups) {
  for (size_t start = 0; start < count; start += STANDARD_VECTOR_SIZE) {
    const size_t rows = std::min<size_t>(count - start, STANDARD_VECTOR_SIZE);
    duckdb::DataChunk input;
    input.InitializeEmpty({LogicalType::VARIANT()});
    duckdb::Vector piece(variants, start, start + rows);
    input.data[0].Reference(piece);
    input.SetCardinality(rows);
    duckdb::Vector encoded(GroupType());
    executor_.ExecuteExpression(input, encoded);
    encoded.Flatten(rows);
    // The function has a value of its own for NULL.
    duckdb::UnifiedVectorFormat format;
    piece.ToUnifiedFormat(rows, format);
    for (size_t row = 0; row < rows; row++) {
      if (!format.validity.RowIsValid(format.sel->get_index(row)))
        duckdb::FlatVector::SetNull(encoded, row, true);
    }
    duckdb::VectorOperations::Copy(encoded, groups, rows, 0, start);
  }
}

void VariantEncoder::EncodeStruct(duckdb::Vector& values, size_t count, duckdb::Vector& encoded) {
  values.Flatten(count);
  auto& from = duckdb::StructVector::GetEntries(values);
  auto& to = duckdb::StructVector::GetEntries(encoded);
  for (size_t i = 0; i < from.size(); i++) Encode(*from[i], count, *to[i]);
  duckdb::FlatVector::SetValidity(encoded, duckdb::FlatVector::Validity(values));
}

// Maps are lists of structs.
void VariantEncoder::EncodeList(duckdb::Vector& values, size_t count, duckdb::Vector& encoded) {
  values.Flatten(count);
  const size_t size = duckdb::ListVector::GetListSize(values);
  duckdb::ListVector::Reserve(encoded, size);
  Encode(duckdb::ListVector::GetEntry(values), size, duckdb::ListVector::GetEntry(encoded));
  duckdb::ListVector::SetListSize(encoded, size);
  const auto* from = duckdb::FlatVector::GetData<duckdb::list_entry_t>(values);
  std::copy_n(from, count, duckdb::FlatVector::GetData<duckdb::list_entry_t>(encoded));
  duckdb::FlatVector::SetValidity(encoded, duckdb::FlatVector::Validity(values));
}

}  // namespace weir::engine
