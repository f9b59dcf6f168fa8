// SPDX-License-Identifier: Apache-2.0
#include "changes/arrow_ipc/arrow_type.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace weir::changes {
namespace {

using Layout = ArrowColumn::Layout;

// Members of the union `Type` in Arrow's Schema.fbs.
enum : uint8_t {
  kNull = 1,
  kInt = 2,
  kFloatingPoint = 3,
  kBinary = 4,
  kUtf8 = 5,
  kBool = 6,
  kDecimal = 7,
  kDate = 8,
  kTime = 9,
  kTimestamp = 10,
  kInterval = 11,
  kList = 12,
  kStruct = 13,
  kFixedSizeBinary = 15,
  kMap = 17,
  kDuration = 18,
  kLargeBinary = 19,
  kLargeUtf8 = 20,
  kLargeList = 21,
};

// A type: its member of the union, the fields of that member's table, and how values are laid out.
struct Type {
  uint8_t member = 0;
  std::vector<FlatField> fields;
  Layout layout = Layout::kFixed;
  int64_t width = 0;
  std::string timezone;
};

Type Int(int bits, bool is_signed) {
  return {kInt, {{0, 4, bits}, {1, 1, is_signed ? 1 : 0}}, Layout::kFixed, bits / 8, {}};
}

int64_t NumberAt(std::string_view text, size_t position) {
  int64_t number = 0;
  if (position < text.size())
    std::from_chars(text.data() + position, text.data() + text.size(), number);
  return number;
}

// Seconds, milli-, micro- and nanoseconds, as the enum `TimeUnit` counts them.
std::optional<int64_t> UnitOf(char letter) {
  const auto unit = std::string_view("smun").find(letter);
  if (unit == std::string_view::npos) return std::nullopt;
  return static_cast<int64_t>(unit);
}

std::optional<Type> TimeType(std::string_view format) {
  if (format == "tdD") return Type{kDate, {{0, 2, 0}}, Layout::kFixed, 4, {}};
  if (format == "tdm") return Type{kDate, {{0, 2, 1}}, Layout::kFixed, 8, {}};
  if (format == "tiM") return Type{kInterval, {{0, 2, 0}}, Layout::kFixed, 4, {}};
  if (format == "tiD") return Type{kInterval, {{0, 2, 1}}, Layout::kFixed, 8, {}};
  if (format == "tin") return Type{kInterval, {{0, 2, 2}}, Layout::kFixed, 16, {}};
  if (format.size() < 3) return std::nullopt;
  const auto unit = UnitOf(format[2]);
  if (!unit) return std::nullopt;
  if (format[1] == 't') {
    const int64_t bits = *unit < 2 ? 32 : 64;
    return Type{kTime, {{0, 2, *unit}, {1, 4, bits}}, Layout::kFixed, bits / 8, {}};
  }
  if (format[1] == 'D') return Type{kDuration, {{0, 2, *unit}}, Layout::kFixed, 8, {}};
  if (format[1] != 's' || format.size() < 4) return std::nullopt;
  Type type{kTimestamp, {{0, 2, *unit}}, Layout::kFixed, 8, std::string(format.substr(4))};
  if (!type.timezone.empty()) type.fields.push_back({1, 0, 0});
  return type;
}

std::optional<Type> NestedType(std::string_view format, int64_t flags) {
  if (format == "+l") return Type{kList, {}, Layout::kList, 4, {}};
  if (format == "+L") return Type{kLargeList, {}, Layout::kList, 8, {}};
  if (format == "+s") return Type{kStruct, {}, Layout::kStruct, 0, {}};
  if (format != "+m") return std::nullopt;
  const bool sorted = (flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0;
  return Type{kMap, {{0, 1, sorted ? 1 : 0}}, Layout::kList, 4, {}};
}

std::optional<Type> PlainType(char letter) {
  switch (letter) {
    case 'n':
      return Type{kNull, {}, Layout::kNull, 0, {}};
    case 'b':
      return Type{kBool, {}, Layout::kBits, 0, {}};
    case 'c':
      return Int(8, true);
    case 'C':
      return Int(8, false);
    case 's':
      return Int(16, true);
    case 'S':
      return Int(16, false);
    case 'i':
      return Int(32, true);
    case 'I':
      return Int(32, false);
    case 'l':
      return Int(64, true);
    case 'L':
      return Int(64, false);
    case 'f':
      return Type{kFloatingPoint, {{0, 2, 1}}, Layout::kFixed, 4, {}};
    case 'g':
      return Type{kFloatingPoint, {{0, 2, 2}}, Layout::kFixed, 8, {}};
    case 'z':
      return Type{kBinary, {}, Layout::kVariable, 4, {}};
    case 'Z':
      return Type{kLargeBinary, {}, Layout::kVariable, 8, {}};
    case 'u':
      return Type{kUtf8, {}, Layout::kVariable, 4, {}};
    case 'U':
      return Type{kLargeUtf8, {}, Layout::kVariable, 8, {}};
    default:
      return std::nullopt;
  }
}

std::optional<Type> TypeOf(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr || format.empty()) return std::nullopt;
  if (format.size() == 1) return PlainType(format[0]);
  if (format[0] == 't') return TimeType(format);
  if (format[0] == '+') return NestedType(format, schema.flags);
  if (format.starts_with("w:")) {
    const int64_t width = NumberAt(format, 2);
    return Type{kFixedSizeBinary, {{0, 4, width}}, Layout::kFixed, width, {}};
  }
  if (!format.starts_with("d:")) return std::nullopt;
  // d:precision,scale[,bits]
  const size_t comma = format.find(',');
  const size_t second = comma == std::string_view::npos ? comma : format.find(',', comma + 1);
  const int64_t bits = second == std::string_view::npos ? 128 : NumberAt(format, second + 1);
  return Type{kDecimal,
              {{0, 4, NumberAt(format, 2)}, {1, 4, NumberAt(format, comma + 1)}, {2, 4, bits}},
              Layout::kFixed,
              bits / 8,
              {}};
}

}  // namespace

Result<ArrowColumn> WriteField(FlatBuffer& buffer, FlatPlace place, const ArrowSchema& schema) {
  const auto type = TypeOf(schema);
  if (!type) {
    return Fail(UnsupportedFeature("WEIR_ARROW_TYPE", std::string("column ") + schema.name +
                                                          " has the Arrow type '" + schema.format +
                                                          "', which cannot be written here"));
  }
  const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
  const auto field = buffer.Table(
      place, {{0, 0, 0}, {1, 1, nullable ? 1 : 0}, {2, 1, type->member}, {3, 0, 0}, {5, 0, 0}});
  buffer.String(field[0], schema.name);
  const auto pointers = buffer.Table(field[1], type->fields);
  if (!pointers.empty()) buffer.String(pointers[0], type->timezone);
  ArrowColumn column{type->layout, type->width, {}};
  const auto children = buffer.Pointers(field[2], static_cast<size_t>(schema.n_children));
  for (size_t i = 0; i < children.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(auto child, WriteField(buffer, children[i], *schema.children[i]));
    column.children.push_back(std::move(child));
  }
  return column;
}

}  // namespace weir::changes
