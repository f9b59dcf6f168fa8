// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/stats_vectors.h"

#include "base/text.h"
#include "delta/values/value.h"
#include "engine/checkpoint/vector_writer.h"

namespace weir::engine {
namespace {

namespace ondemand = simdjson::ondemand;

// Members mostly come in the schema's order: the one behind the last found is tried first.
int FindMember(const std::vector<delta::StructField>& fields, std::string_view name,
               size_t& guess) {
  for (size_t tried = 0; tried < fields.size(); ++tried) {
    size_t i = guess + tried < fields.size() ? guess + tried : guess + tried - fields.size();
    if (fields[i].name != name) continue;
    guess = i + 1 < fields.size() ? i + 1 : 0;
    return static_cast<int>(i);
  }
  return -1;
}

void PutInteger(delta::TypeKind kind, int64_t value, duckdb::Vector& vector, size_t row) {
  auto put = [&](auto narrow) {
    if (static_cast<int64_t>(narrow) == value) Put(vector, row, narrow);
  };
  switch (kind) {
    case delta::TypeKind::kByte:
      return put(static_cast<int8_t>(value));
    case delta::TypeKind::kShort:
      return put(static_cast<int16_t>(value));
    case delta::TypeKind::kInteger:
    case delta::TypeKind::kDate:
      return put(static_cast<int32_t>(value));
    default:
      return Put(vector, row, value);
  }
}

void PutDecimal(const delta::Decimal& decimal, duckdb::Vector& vector, size_t row) {
  switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::INT16:
      return Put(vector, row, static_cast<int16_t>(decimal.unscaled));
    case duckdb::PhysicalType::INT32:
      return Put(vector, row, static_cast<int32_t>(decimal.unscaled));
    case duckdb::PhysicalType::INT64:
      return Put(vector, row, static_cast<int64_t>(decimal.unscaled));
    default: {
      duckdb::hugeint_t value;
      value.lower = static_cast<uint64_t>(decimal.unscaled);
      value.upper = static_cast<int64_t>(decimal.unscaled >> 64);
      return Put(vector, row, value);
    }
  }
}

bool IsWhole(delta::TypeKind kind) {
  return kind == delta::TypeKind::kByte || kind == delta::TypeKind::kShort ||
         kind == delta::TypeKind::kInteger || kind == delta::TypeKind::kLong;
}

}  // namespace

void PutParsed(const delta::DataType& type, std::string_view text, duckdb::Vector& vector,
               size_t row) {
  if (type.kind() == delta::TypeKind::kString) return PutText(vector, row, text);
  auto value = delta::ParseValue(type, text);
  if (!value) return;
  if (const bool* flag = value->if_bool()) return Put(vector, row, *flag);
  if (const int64_t* number = value->if_int()) return PutInteger(type.kind(), *number, vector, row);
  if (const auto* decimal = value->if_decimal()) return PutDecimal(*decimal, vector, row);
  if (const std::string* bytes = value->if_string())
    return PutText(vector, row, std::string_view(*bytes));
  const double* number = value->if_double();
  if (number == nullptr) return;
  if (type.kind() == delta::TypeKind::kFloat) return Put(vector, row, static_cast<float>(*number));
  Put(vector, row, *number);
}

void StatsParser::Put(const delta::DataType& schema, std::string_view json, duckdb::Vector& vector,
                      size_t row) {
  padded_.assign(json);
  padded_.resize(json.size() + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  ondemand::object object;
  if (parser_.iterate(padded_.data(), json.size(), padded_.size()).get(document) ==
          simdjson::SUCCESS &&
      document.get_object().get(object) == simdjson::SUCCESS) {
    PutObject(schema, object, vector, row);
  }
}

void StatsParser::PutObject(const delta::DataType& schema, ondemand::object object,
                            duckdb::Vector& vector, size_t row) {
  PutStruct(vector, row);
  size_t guess = 0;
  for (auto member : object) {
    std::string_view name;
    ondemand::value value;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS ||
        member.value().get(value) != simdjson::SUCCESS) {
      return;
    }
    int i = FindMember(schema.fields(), name, guess);
    if (i < 0) continue;
    const auto& field = schema.fields()[static_cast<size_t>(i)];
    PutValue(*field.type, value, Member(vector, static_cast<size_t>(i)), row);
  }
}

void StatsParser::PutValue(const delta::DataType& type, ondemand::value value,
                           duckdb::Vector& vector, size_t row) {
  ondemand::json_type json_type;
  if (value.type().get(json_type) != simdjson::SUCCESS) return;
  if (type.kind() == delta::TypeKind::kStruct) {
    ondemand::object nested;
    if (json_type == ondemand::json_type::object &&
        value.get_object().get(nested) == simdjson::SUCCESS) {
      PutObject(type, nested, vector, row);
    }
    return;
  }
  if (json_type == ondemand::json_type::string) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) PutParsed(type, text, vector, row);
    return;
  }
  if (json_type == ondemand::json_type::number && IsWhole(type.kind())) {
    int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS) {
      PutInteger(type.kind(), number, vector, row);
      return;
    }
  }
  if (json_type == ondemand::json_type::number || json_type == ondemand::json_type::boolean) {
    PutParsed(type, Trim(value.raw_json_token()), vector, row);
  }
}

}  // namespace weir::engine
