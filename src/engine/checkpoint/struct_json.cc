// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/struct_json.h"

#include <fmt/format.h>

#include <cmath>

#include "duckdb/common/types/date.hpp"
#include "duckdb/common/types/decimal.hpp"
#include "duckdb/common/types/time.hpp"
#include "duckdb/common/types/timestamp.hpp"

#include "base/json.h"
#include "engine/checkpoint/vector_access.h"

namespace weir::engine {
namespace {

using duckdb::LogicalTypeId;

template <typename T>
const T& At(duckdb::Vector& vector, size_t row) {
  return duckdb::FlatVector::GetData<T>(vector)[row];
}

template <typename T>
void AppendFloat(T value, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

void AppendDecimal(duckdb::Vector& vector, size_t row, std::string& out) {
  uint8_t width = duckdb::DecimalType::GetWidth(vector.GetType());
  uint8_t scale = duckdb::DecimalType::GetScale(vector.GetType());
  switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::INT16:
      out += duckdb::Decimal::ToString(At<int16_t>(vector, row), width, scale);
      return;
    case duckdb::PhysicalType::INT32:
      out += duckdb::Decimal::ToString(At<int32_t>(vector, row), width, scale);
      return;
    case duckdb::PhysicalType::INT64:
      out += duckdb::Decimal::ToString(At<int64_t>(vector, row), width, scale);
      return;
    default:
      out += duckdb::Decimal::ToString(At<duckdb::hugeint_t>(vector, row), width, scale);
  }
}

// Milliseconds as writers of the log have them, or microseconds where there are some.
void AppendTimestamp(duckdb::timestamp_t value, bool zone, std::string& out) {
  if (!duckdb::Timestamp::IsFinite(value)) return;
  duckdb::date_t date;
  duckdb::dtime_t time;
  duckdb::Timestamp::Convert(value, date, time);
  int32_t hour, minute, second, micros;
  duckdb::Time::Convert(time, hour, minute, second, micros);
  out += duckdb::Date::ToString(date);
  fmt::format_to(std::back_inserter(out), "T{:02}:{:02}:{:02}.", hour, minute, second);
  if (micros % 1000 == 0) {
    fmt::format_to(std::back_inserter(out), "{:03}", micros / 1000);
  } else {
    fmt::format_to(std::back_inserter(out), "{:06}", micros);
  }
  if (zone) out += 'Z';
}

bool AppendStruct(duckdb::Vector& vector, size_t row, std::string& out) {
  const auto& types = duckdb::StructType::GetChildTypes(vector.GetType());
  auto& children = duckdb::StructVector::GetEntries(vector);
  bool any = false;
  out += '{';
  for (size_t i = 0; i < children.size(); ++i) {
    size_t before = out.size();
    if (any) out += ',';
    AppendJsonString(out, types[i].first);
    out += ':';
    if (AppendJson(*children[i], row, out)) {
      any = true;
    } else {
      out.resize(before);
    }
  }
  out += '}';
  return true;
}

// A value that has no quotes in JSON; false when the type is another.
bool AppendBare(duckdb::Vector& vector, size_t row, std::string& out) {
  switch (vector.GetType().id()) {
    case LogicalTypeId::BOOLEAN:
      out += At<bool>(vector, row) ? "true" : "false";
      return true;
    case LogicalTypeId::TINYINT:
      fmt::format_to(std::back_inserter(out), "{}", static_cast<int>(At<int8_t>(vector, row)));
      return true;
    case LogicalTypeId::SMALLINT:
      fmt::format_to(std::back_inserter(out), "{}", At<int16_t>(vector, row));
      return true;
    case LogicalTypeId::INTEGER:
      fmt::format_to(std::back_inserter(out), "{}", At<int32_t>(vector, row));
      return true;
    case LogicalTypeId::BIGINT:
      fmt::format_to(std::back_inserter(out), "{}", At<int64_t>(vector, row));
      return true;
    case LogicalTypeId::FLOAT:
      AppendFloat(At<float>(vector, row), out);
      return true;
    case LogicalTypeId::DOUBLE:
      AppendFloat(At<double>(vector, row), out);
      return true;
    case LogicalTypeId::DECIMAL:
      AppendDecimal(vector, row, out);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool AppendJson(duckdb::Vector& vector, size_t row, std::string& out) {
  if (!duckdb::FlatVector::Validity(vector).RowIsValid(row)) return false;
  switch (vector.GetType().id()) {
    case LogicalTypeId::STRUCT:
      return AppendStruct(vector, row, out);
    case LogicalTypeId::VARCHAR:
      AppendJsonString(out, ViewOf(At<duckdb::string_t>(vector, row)));
      return true;
    case LogicalTypeId::DATE:
      out += '"' + duckdb::Date::ToString(At<duckdb::date_t>(vector, row)) + '"';
      return true;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      out += '"';
      AppendTimestamp(At<duckdb::timestamp_t>(vector, row),
                      vector.GetType().id() == LogicalTypeId::TIMESTAMP_TZ, out);
      out += '"';
      return true;
    default:
      return AppendBare(vector, row, out);
  }
}

bool AppendPartitionText(duckdb::Vector& vector, size_t row, std::string& out) {
  if (!duckdb::FlatVector::Validity(vector).RowIsValid(row)) return false;
  if (vector.GetType().id() == LogicalTypeId::VARCHAR) {
    out += ViewOf(At<duckdb::string_t>(vector, row));
    return true;
  }
  size_t start = out.size();
  if (!AppendJson(vector, row, out)) return false;
  if (out[start] == '"') {
    out.erase(start, 1);
    out.pop_back();
  }
  return true;
}

}  // namespace weir::engine
