// SPDX-License-Identifier: Apache-2.0
#include "engine/write/truncated_value.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "duckdb.hpp"
#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"
#include "engine/write/struct_members.h"

namespace weir::engine {
namespace {

using duckdb::FlatVector;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using duckdb::Vector;

struct TargetType final : duckdb::FunctionData {
  TargetType(LogicalType type, std::string place)
      : type(std::move(type)), place(std::move(place)) {}

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<TargetType>(type, place);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    const auto& target = other.Cast<TargetType>();
    return type == target.type && place == target.place;
  }

  LogicalType type;
  std::string place;
};

bool IsInteger(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      return true;
    default:
      return false;
  }
}

bool MayHaveFraction(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
    case LogicalTypeId::VARCHAR:
      return true;
    case LogicalTypeId::DECIMAL:
      return duckdb::DecimalType::GetScale(type) > 0;
    default:
      return false;
  }
}

// Calls `change` for the address of every value that is not NULL.
template <typename T, typename Change>
void ForEach(Vector& values, duckdb::idx_t count, Change change) {
  T* data = FlatVector::GetData<T>(values);
  const auto& validity = FlatVector::Validity(values);
  for (duckdb::idx_t i = 0; i < count; i++) {
    if (validity.RowIsValid(i)) change(data[i]);
  }
}

template <typename T>
void DropFraction(Vector& values, duckdb::idx_t count, T one) {
  ForEach<T>(values, count, [one](T& value) { value = static_cast<T>(value - value % one); });
}

void TruncateDecimals(Vector& values, duckdb::idx_t count) {
  const auto scale = duckdb::DecimalType::GetScale(values.GetType());
  const duckdb::hugeint_t one = duckdb::Hugeint::POWERS_OF_TEN[scale];
  switch (values.GetType().InternalType()) {
    case PhysicalType::INT16:
      return DropFraction(values, count, duckdb::Hugeint::Cast<int16_t>(one));
    case PhysicalType::INT32:
      return DropFraction(values, count, duckdb::Hugeint::Cast<int32_t>(one));
    case PhysicalType::INT64:
      return DropFraction(values, count, duckdb::Hugeint::Cast<int64_t>(one));
    default:
      return DropFraction(values, count, one);
  }
}

bool SpellsInteger(std::string_view text) {
  text = Trim(text);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void CheckTexts(Vector& values, duckdb::idx_t count, const LogicalType& target,
                const std::string& place) {
  ForEach<duckdb::string_t>(values, count, [&](const duckdb::string_t& text) {
    const std::string_view view(text.GetData(), text.GetSize());
    if (SpellsInteger(view)) return;
    Throw(InvalidArgument("CAST_INVALID_INPUT",
                          "the text '" + std::string(view) + "' is no " + target.ToString() +
                              ", the type of " + place,
                          "22018"));
  });
}

// `values` are flat and no one else's.
void Truncate(Vector& values, const LogicalType& target, const std::string& place,
              duckdb::idx_t count) {
  const LogicalType source = values.GetType();
  if (!MakesIntegers(source, target)) return;
  switch (source.id()) {
    case LogicalTypeId::STRUCT: {
      auto& entries = duckdb::StructVector::GetEntries(values);
      for (size_t i = 0; i < entries.size(); i++) {
        if (const auto* member = CounterpartOf(source, i, target)) {
          Truncate(*entries[i], *member, place, count);
        }
      }
      return;
    }
    case LogicalTypeId::LIST:
      return Truncate(duckdb::ListVector::GetEntry(values), duckdb::ListType::GetChildType(target),
                      place, duckdb::ListVector::GetListSize(values));
    case LogicalTypeId::MAP: {
      const auto size = duckdb::ListVector::GetListSize(values);
      Truncate(duckdb::MapVector::GetKeys(values), duckdb::MapType::KeyType(target), place, size);
      Truncate(duckdb::MapVector::GetValues(values), duckdb::MapType::ValueType(target), place,
               size);
      return;
    }
    case LogicalTypeId::FLOAT:
      return ForEach<float>(values, count, [](float& value) { value = std::trunc(value); });
    case LogicalTypeId::DOUBLE:
      return ForEach<double>(values, count, [](double& value) { value = std::trunc(value); });
    case LogicalTypeId::DECIMAL:
      return TruncateDecimals(values, count);
    default:
      return CheckTexts(values, count, target, place);
  }
}

void EvaluateTruncated(duckdb::DataChunk& arguments, duckdb::ExpressionState& state,
                       Vector& result) {
  const auto& function = state.expr.Cast<duckdb::BoundFunctionExpression>();
  const auto& target = function.bind_info->Cast<TargetType>();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  duckdb::VectorOperations::Copy(arguments.data[0], result, arguments.size(), 0, 0);
  Truncate(result, target.type, target.place, arguments.size());
}

}  // namespace

bool MakesIntegers(const LogicalType& source, const LogicalType& target) {
  if (source.id() != target.id()) return IsInteger(target) && MayHaveFraction(source);
  switch (source.id()) {
    case LogicalTypeId::LIST:
      return MakesIntegers(duckdb::ListType::GetChildType(source),
                           duckdb::ListType::GetChildType(target));
    case LogicalTypeId::MAP:
      return MakesIntegers(duckdb::MapType::KeyType(source), duckdb::MapType::KeyType(target)) ||
             MakesIntegers(duckdb::MapType::ValueType(source), duckdb::MapType::ValueType(target));
    case LogicalTypeId::STRUCT: {
      const auto& members = duckdb::StructType::GetChildTypes(source);
      for (size_t i = 0; i < members.size(); i++) {
        const auto* other = CounterpartOf(source, i, target);
        if (other && MakesIntegers(members[i].second, *other)) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

duckdb::unique_ptr<duckdb::Expression> Truncated(duckdb::unique_ptr<duckdb::Expression> value,
                                                 const LogicalType& target,
                                                 const std::string& place) {
  const LogicalType type = value->return_type;
  duckdb::ScalarFunction function("weir_truncated", {type}, type, EvaluateTruncated);
  function.SetFallible();
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  arguments.push_back(std::move(value));
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(
      type, std::move(function), std::move(arguments),
      duckdb::make_uniq<TargetType>(target, place));
}

}  // namespace weir::engine
