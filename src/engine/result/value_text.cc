// SPDX-License-Identifier: Apache-2.0
#include "engine/result/value_text.h"

#include <fmt/format.h>

#include <cmath>

#include "duckdb/common/types/date.hpp"
#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/types/time.hpp"
#include "duckdb/common/types/timestamp.hpp"
#include "duckdb/main/client_context.hpp"

#include "base/json.h"

namespace weir::engine {
namespace {

using duckdb::LogicalTypeId;
using duckdb::Value;

std::string DateTimeText(duckdb::date_t date, int64_t seconds_of_day, int64_t fraction,
                         int digits) {
  return fmt::format("{} {:02}:{:02}:{:02}.{:0{}}", duckdb::Date::ToString(date),
                     seconds_of_day / 3600, seconds_of_day / 60 % 60, seconds_of_day % 60, fraction,
                     digits);
}

std::string TimestampText(duckdb::timestamp_t timestamp) {
  if (!duckdb::Timestamp::IsFinite(timestamp)) return duckdb::Timestamp::ToString(timestamp);
  duckdb::date_t date;
  duckdb::dtime_t time;
  duckdb::Timestamp::Convert(timestamp, date, time);
  return DateTimeText(date, time.micros / 1'000'000, time.micros % 1'000'000, 6);
}

std::string TimestampNsText(duckdb::timestamp_ns_t timestamp) {
  if (!duckdb::Timestamp::IsFinite(timestamp)) return duckdb::Timestamp::ToString(timestamp);
  duckdb::date_t date;
  duckdb::dtime_t time;
  int32_t nanos = 0;
  duckdb::Timestamp::Convert(timestamp, date, time, nanos);
  return DateTimeText(date, time.micros / 1'000'000, time.micros % 1'000'000 * 1000 + nanos, 9);
}

std::string Hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string FloatText(double number, const Value& value) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return value.ToString();
}

double FloatValue(const Value& value) {
  return value.type().id() == LogicalTypeId::FLOAT ? value.GetValueUnsafe<float>()
                                                   : value.GetValueUnsafe<double>();
}

bool IsNested(const duckdb::LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::STRUCT:
    case LogicalTypeId::LIST:
    case LogicalTypeId::ARRAY:
    case LogicalTypeId::MAP:
    case LogicalTypeId::UNION:
      return true;
    default:
      return false;
  }
}

class JsonAppender {
 public:
  JsonAppender(duckdb::ClientContext& context, std::string& out) : context_(context), out_(out) {}

  void Append(const Value& value) {
    if (value.IsNull()) {
      out_ += "null";
      return;
    }
    switch (value.type().id()) {
      case LogicalTypeId::BOOLEAN:
      case LogicalTypeId::TINYINT:
      case LogicalTypeId::SMALLINT:
      case LogicalTypeId::INTEGER:
      case LogicalTypeId::BIGINT:
      case LogicalTypeId::UTINYINT:
      case LogicalTypeId::USMALLINT:
      case LogicalTypeId::UINTEGER:
      case LogicalTypeId::UBIGINT:
        out_ += value.ToString();
        return;
      case LogicalTypeId::HUGEINT:
      case LogicalTypeId::UHUGEINT:
        return AppendWide(value);
      case LogicalTypeId::FLOAT:
      case LogicalTypeId::DOUBLE:
        return AppendFloat(value);
      case LogicalTypeId::STRUCT:
        return AppendStruct(value);
      case LogicalTypeId::LIST:
        return AppendArray(duckdb::ListValue::GetChildren(value));
      case LogicalTypeId::ARRAY:
        return AppendArray(duckdb::ArrayValue::GetChildren(value));
      case LogicalTypeId::MAP:
        return AppendMap(value);
      case LogicalTypeId::UNION:
        return Append(duckdb::UnionValue::GetValue(value));
      default:
        break;
    }
    const std::string text = ValueText(context_, value);
    if (value.type().IsJSONType() || value.type().id() == LogicalTypeId::VARIANT) {
      out_ += text;
    } else {
      AppendJsonString(out_, text);
    }
  }

 private:
  void AppendWide(const Value& value) {
    Value narrow;
    std::string reason;
    const bool fits = value.DefaultTryCastAs(duckdb::LogicalType::BIGINT, narrow, &reason) ||
                      value.DefaultTryCastAs(duckdb::LogicalType::UBIGINT, narrow, &reason);
    if (fits) {
      out_ += value.ToString();
    } else {
      AppendJsonString(out_, value.ToString());
    }
  }

  void AppendFloat(const Value& value) {
    const double number = FloatValue(value);
    const std::string text = FloatText(number, value);
    if (std::isfinite(number)) {
      out_ += text;
    } else {
      AppendJsonString(out_, text);
    }
  }

  void AppendStruct(const Value& value) {
    const auto& children = duckdb::StructValue::GetChildren(value);
    if (duckdb::StructType::IsUnnamed(value.type())) return AppendArray(children);
    out_ += '{';
    for (size_t i = 0; i < children.size(); ++i) {
      if (i != 0) out_ += ',';
      AppendJsonString(out_, duckdb::StructType::GetChildName(value.type(), i));
      out_ += ':';
      Append(children[i]);
    }
    out_ += '}';
  }

  template <typename Values>
  void AppendArray(const Values& values) {
    out_ += '[';
    for (size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out_ += ',';
      Append(values[i]);
    }
    out_ += ']';
  }

  void AppendMap(const Value& value) {
    const bool text_keys = duckdb::MapType::KeyType(value.type()).id() == LogicalTypeId::VARCHAR;
    out_ += text_keys ? '{' : '[';
    bool first = true;
    for (const Value& entry : duckdb::MapValue::GetChildren(value)) {
      const auto& pair = duckdb::StructValue::GetChildren(entry);
      if (!first) out_ += ',';
      first = false;
      if (text_keys) {
        AppendJsonString(out_, duckdb::StringValue::Get(pair[0]));
        out_ += ':';
        Append(pair[1]);
      } else {
        out_ += "{\"key\":";
        Append(pair[0]);
        out_ += ",\"value\":";
        Append(pair[1]);
        out_ += '}';
      }
    }
    out_ += text_keys ? '}' : ']';
  }

  duckdb::ClientContext& context_;
  std::string& out_;
};

}  // namespace

std::string ValueText(duckdb::ClientContext& context, const Value& value) {
  if (IsNested(value.type())) {
    std::string text;
    JsonAppender(context, text).Append(value);
    return text;
  }
  switch (value.type().id()) {
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
      return FloatText(FloatValue(value), value);
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return TimestampText(duckdb::timestamp_t(value.GetValueUnsafe<int64_t>()));
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
      return TimestampText(value.DefaultCastAs(duckdb::LogicalType::TIMESTAMP)
                               .GetValueUnsafe<duckdb::timestamp_t>());
    case LogicalTypeId::TIMESTAMP_NS:
      return TimestampNsText(value.GetValueUnsafe<duckdb::timestamp_ns_t>());
    case LogicalTypeId::BLOB:
      return Hex(duckdb::StringValue::Get(value));
    case LogicalTypeId::VARIANT:
      return value.CastAs(context, duckdb::LogicalType::JSON()).ToString();
    default:
      return value.ToString();
  }
}

void AppendValueJson(duckdb::ClientContext& context, const Value& value, std::string& out) {
  JsonAppender(context, out).Append(value);
}

}  // namespace weir::engine
