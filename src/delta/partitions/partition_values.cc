// SPDX-License-Identifier: Apache-2.0
#include "delta/partitions/partition_values.h"

#include <simdjson.h>

namespace weir::delta {
namespace {

Error WrongType(const DataType& type) {
  return InvalidArgument(
      "DELTA_INVALID_PARTITION_COLUMN_TYPE",
      "a partition value of type " + type.ToSql() + " was expected to be a primitive of that type");
}

// The text of a value that is not NULL; nullopt when it is not of the type.
std::optional<std::string> TextOf(const DataType& type, const Value& value) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      if (value.if_bool()) return *value.if_bool() ? "true" : "false";
      return std::nullopt;
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
      if (value.if_int()) return std::to_string(*value.if_int());
      return std::nullopt;
    case TypeKind::kFloat:
      if (value.if_double()) return FormatFloat(static_cast<float>(*value.if_double()));
      return std::nullopt;
    case TypeKind::kDouble:
      if (value.if_double()) return FormatDouble(*value.if_double());
      return std::nullopt;
    case TypeKind::kDecimal: {
      auto scaled = value.if_decimal() ? value.if_decimal()->Rescaled(type.scale()) : std::nullopt;
      if (scaled) return scaled->ToPlainString();
      return std::nullopt;
    }
    case TypeKind::kString:
    case TypeKind::kBinary:
      if (value.if_string()) return *value.if_string();
      return std::nullopt;
    case TypeKind::kDate:
      if (value.if_int()) return FormatDate(*value.if_int());
      return std::nullopt;
    case TypeKind::kTimestamp:
      if (value.if_int()) return FormatTimestamp(*value.if_int(), {'T', 6, "Z"});
      return std::nullopt;
    case TypeKind::kTimestampNtz:
      if (value.if_int()) return FormatTimestamp(*value.if_int(), {' ', -1, {}});
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool NeedsEscape(char c) {
  static constexpr std::string_view kEscaped = "\"#%'*/:=?\\{[]^";
  auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F || kEscaped.find(c) != std::string_view::npos;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "2020-01-01T00:00:00.500000Z" is named "2020-01-01 00:00:00.5" on disk; other texts stay.
std::string FolderValue(const std::string& text) {
  static const TypePtr kTimestamp = DataType::Primitive(TypeKind::kTimestamp);
  if (text.size() < 20 || text.back() != 'Z' || text.find('T') == std::string::npos) return text;
  auto value = ParseValue(*kTimestamp, text);
  if (!value || FormatTimestamp(*value->if_int(), {'T', 6, "Z"}) != text) return text;
  return FormatTimestamp(*value->if_int(), {' ', -1, {}});
}

}  // namespace

Result<std::optional<std::string>> SerializePartitionValue(const DataType& type,
                                                           const Value& value) {
  if (value.is_null()) return std::nullopt;
  auto text = TextOf(type, value);
  if (!text) return Fail(WrongType(type));
  if (text->empty() || *text == kHiveDefaultPartition) return std::nullopt;
  if (type.kind() == TypeKind::kBinary && !simdjson::validate_utf8(*text)) {
    return Fail(InvalidArgument("DELTA_INVALID_PARTITION_VALUE",
                                "a BINARY partition value must be valid UTF-8, because the log "
                                "holds partition values as text"));
  }
  return text;
}

Result<Value> ParsePartitionValue(const DataType& type, std::optional<std::string_view> text) {
  if (!text || text->empty() || *text == kHiveDefaultPartition) return Value();
  auto value = ParseValue(type, *text);
  if (!value) {
    return Fail(CorruptLog("DELTA_PARTITION_VALUE_NOT_PARSABLE",
                           "partition value '" + std::string(*text) + "' is no " + type.ToSql()));
  }
  return *value;
}

std::string EscapePathName(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    if (NeedsEscape(c)) {
      auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 0x0F];
    } else {
      out += c;
    }
  }
  return out;
}

std::string UnescapePathName(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    int high = i + 2 < text.size() && text[i] == '%' ? HexDigit(text[i + 1]) : -1;
    int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string PartitionDirectory(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& values) {
  std::string out;
  for (const auto& [column, value] : values) {
    if (!out.empty()) out += '/';
    out += EscapePathName(column);
    out += '=';
    out += value && !value->empty() ? EscapePathName(FolderValue(*value))
                                    : std::string(kHiveDefaultPartition);
  }
  return out;
}

}  // namespace weir::delta
