// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/partition_values.h"

#include <string>
#include <utility>

#include "duckdb/common/types/timestamp.hpp"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

namespace {

Error Malformed(std::string_view text, const LogicalType& type) {
  return CorruptLog("DELTA_INVALID_PARTITION_VALUE", "partition value \"" + std::string(text) +
                                                         "\" cannot be read as " + type.ToString());
}

// Text without zone is UTC; the cast to TIMESTAMP WITH TIME ZONE honours a zone, where one is given.
Result<Value> ParseInstant(std::string_view text, const LogicalType& type) {
  Value value{std::string(text)};
  if (!value.DefaultTryCastAs(LogicalType(LogicalTypeId::TIMESTAMP_TZ), true)) return Fail(Malformed(text, type));
  if (type.id() == LogicalTypeId::TIMESTAMP) value.Reinterpret(type);
  return value;
}

}  // namespace

Result<Value> ParsePartitionValue(std::optional<std::string_view> text, const LogicalType& type) {
  if (!text || text->empty()) return Value(type);
  switch (type.id()) {
    case LogicalTypeId::VARCHAR:
      return Value(std::string(*text));
    case LogicalTypeId::BLOB:
      return Value::BLOB_RAW(std::string(*text));
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return ParseInstant(*text, type);
    default: {
      Value value{std::string(*text)};
      if (!value.DefaultTryCastAs(type, true)) return Fail(Malformed(*text, type));
      return value;
    }
  }
}

}  // namespace weir::engine
