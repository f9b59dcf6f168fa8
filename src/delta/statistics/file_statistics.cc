// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/file_statistics.h"

#include <simdjson.h>

#include <cmath>
#include <functional>

#include "base/json.h"

namespace weir::delta {
namespace {

// The JSON text of a bound; nullopt when there is none.
using BoundText = std::function<std::optional<std::string>(const StatisticsColumn&)>;

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string FloatingJson(TypeKind kind, double value) {
  std::string text =
      kind == TypeKind::kFloat ? FormatFloat(static_cast<float>(value)) : FormatDouble(value);
  return std::isfinite(value) ? text : Quoted(text);
}

// A bound as JSON; strings are already cut.
std::optional<std::string> BoundJson(const DataType& type, const Value& value) {
  switch (type.kind()) {
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
      if (!value.if_int()) return std::nullopt;
      return std::to_string(*value.if_int());
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      if (!value.if_double()) return std::nullopt;
      return FloatingJson(type.kind(), *value.if_double());
    case TypeKind::kDecimal: {
      if (!value.if_decimal()) return std::nullopt;
      auto scaled = value.if_decimal()->Rescaled(type.scale());
      if (!scaled) return std::nullopt;
      return scaled->ToJavaString();
    }
    case TypeKind::kString:
      if (!value.if_string()) return std::nullopt;
      return Quoted(*value.if_string());
    case TypeKind::kDate:
      if (!value.if_int()) return std::nullopt;
      return Quoted(FormatDate(*value.if_int()));
    case TypeKind::kTimestamp:
      if (!value.if_int()) return std::nullopt;
      return Quoted(FormatTimestamp(*value.if_int(), {'T', 3, "Z"}));
    case TypeKind::kTimestampNtz:
      if (!value.if_int()) return std::nullopt;
      return Quoted(FormatTimestamp(*value.if_int(), {'T', 3, {}}));
    default:
      return std::nullopt;
  }
}

bool IsFloating(const DataType& type) {
  return type.kind() == TypeKind::kFloat || type.kind() == TypeKind::kDouble;
}

std::optional<std::string> MinimumJson(const DataType& type, const ColumnStatistics& statistics) {
  if (!statistics.min) {
    // NaN is the greatest value, so it is the minimum only when it is the one value there is.
    bool only_nan = IsFloating(type) && statistics.has_nan == true && !statistics.max;
    return only_nan ? std::optional<std::string>("\"NaN\"") : std::nullopt;
  }
  if (type.kind() == TypeKind::kString && statistics.min->if_string()) {
    return BoundJson(type, Value(TruncateMinimum(*statistics.min->if_string())));
  }
  return BoundJson(type, *statistics.min);
}

std::optional<std::string> MaximumJson(const DataType& type, const ColumnStatistics& statistics) {
  if (IsFloating(type)) {
    if (!statistics.has_nan) return std::nullopt;
    if (*statistics.has_nan) return "\"NaN\"";
  }
  if (!statistics.max) return std::nullopt;
  if (type.kind() == TypeKind::kString && statistics.max->if_string()) {
    auto bound = TruncateMaximum(*statistics.max->if_string());
    if (!bound) return std::nullopt;
    return BoundJson(type, Value(std::move(*bound)));
  }
  return BoundJson(type, *statistics.max);
}

// Writes the columns [begin, end), which agree on the first `depth` names, as one nested object.
void AppendNested(std::string& out, const std::vector<const StatisticsColumn*>& columns,
                  size_t begin, size_t end, size_t depth, const BoundText& text) {
  out += '{';
  bool first = true;
  for (size_t i = begin; i < end;) {
    const std::string& name = columns[i]->physical_path[depth];
    size_t group_end = i + 1;
    while (group_end < end && columns[group_end]->physical_path[depth] == name) ++group_end;
    bool is_leaf = columns[i]->physical_path.size() == depth + 1;
    std::optional<std::string> leaf;
    if (is_leaf) leaf = text(*columns[i]);
    if (!is_leaf || leaf) {
      if (!first) out += ',';
      first = false;
      AppendJsonString(out, name);
      out += ':';
      if (is_leaf) {
        out += *leaf;
      } else {
        AppendNested(out, columns, i, group_end, depth + 1, text);
      }
    }
    i = group_end;
  }
  out += '}';
}

// Splits one character off valid UTF-8; its size in bytes, 0 for anything else.
size_t CharacterSize(std::string_view text) {
  auto lead = static_cast<unsigned char>(text[0]);
  size_t size = lead < 0x80                   ? 1
                : lead >= 0xF0 && lead < 0xF5 ? 4
                : lead >= 0xE0 && lead < 0xF0 ? 3
                : lead >= 0xC2 && lead < 0xE0 ? 2
                                              : 0;
  if (size == 0 || size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return size;
}

constexpr size_t kPrefixUnits = 32;  // UTF-16 units, Spark's measure
constexpr size_t kMaxBoundBytes = 1024;
constexpr std::string_view kGreatestAscii = "\x7F";
constexpr std::string_view kGreatestCharacter = "\xF4\x8F\xBF\xBF";  // U+10FFFF

// Bytes of the longest prefix of at most 32 units, a surrogate pair never split; nullopt for text
// that is no UTF-8 within it.
std::optional<size_t> PrefixBytes(std::string_view value) {
  size_t units = 0;
  size_t at = 0;
  while (at < value.size() && units < kPrefixUnits) {
    size_t size = CharacterSize(value.substr(at));
    if (size == 0) return std::nullopt;
    units += size == 4 ? 2 : 1;
    at += size;
  }
  return at;
}

}  // namespace

std::string TruncateMinimum(std::string_view value) {
  auto prefix = PrefixBytes(value);
  // Any prefix is a lower bound; of text that is no UTF-8 only the empty one is valid.
  return std::string(value.substr(0, prefix.value_or(0)));
}

std::optional<std::string> TruncateMaximum(std::string_view value) {
  auto prefix = PrefixBytes(value);
  if (!prefix) return std::nullopt;
  size_t at = *prefix;
  while (at < value.size()) {
    std::string_view rest = value.substr(at);
    if (CharacterSize(rest) == 0) return std::nullopt;
    if (static_cast<unsigned char>(rest[0]) < 0x7F) {
      return std::string(value.substr(0, at)).append(kGreatestAscii);
    }
    if (!rest.starts_with(kGreatestCharacter)) {
      return std::string(value.substr(0, at)).append(kGreatestCharacter);
    }
    at += kGreatestCharacter.size();
    if (at > kMaxBoundBytes) return std::nullopt;
  }
  return std::string(value);
}

std::string BuildStatistics(const std::vector<StatisticsColumn>& columns,
                            const DataFileStatistics& statistics) {
  std::vector<const StatisticsColumn*> all;
  std::vector<const StatisticsColumn*> bounded;
  for (const auto& column : columns) {
    all.push_back(&column);
    if (column.has_bounds()) bounded.push_back(&column);
  }
  auto find = [&](const StatisticsColumn& column) -> const ColumnStatistics* {
    auto it = statistics.columns.find(column.physical_path);
    return it == statistics.columns.end() ? nullptr : &it->second;
  };
  std::string out = "{\"numRecords\":" + std::to_string(statistics.num_records);
  auto append = [&](std::string_view key, const auto& members, const BoundText& text) {
    if (members.empty()) return;
    out += ',';
    AppendJsonString(out, key);
    out += ':';
    AppendNested(out, members, 0, members.size(), 0, text);
  };
  append("minValues", bounded, [&](const StatisticsColumn& column) {
    const ColumnStatistics* found = find(column);
    return found ? MinimumJson(*column.type, *found) : std::nullopt;
  });
  append("maxValues", bounded, [&](const StatisticsColumn& column) {
    const ColumnStatistics* found = find(column);
    return found ? MaximumJson(*column.type, *found) : std::nullopt;
  });
  append("nullCount", all, [&](const StatisticsColumn& column) -> std::optional<std::string> {
    const ColumnStatistics* found = find(column);
    if (!found || !found->null_count) return std::nullopt;
    return std::to_string(*found->null_count);
  });
  if (statistics.tight_bounds) {
    out += *statistics.tight_bounds ? ",\"tightBounds\":true" : ",\"tightBounds\":false";
  }
  return out + "}";
}

Result<std::string> WidenBounds(std::string_view stats) {
  if (!ReadNumRecords(stats)) {
    return Fail(InvalidArgument("DELTA_ADDING_DELETION_VECTORS_WITHOUT_NUM_RECORDS",
                                "a file can get a deletion vector only when its statistics say "
                                "how many rows it has (numRecords)"));
  }
  auto parsed = JsonValue::Parse(stats);
  if (!parsed) {
    return Fail(
        CorruptLog("DELTA_STATISTICS_MALFORMED",
                   "the statistics of a file are no JSON object: " + parsed.error().message));
  }
  parsed->Set("tightBounds", JsonValue::Bool(false));
  return parsed->ToString();
}

std::optional<int64_t> ReadNumRecords(std::string_view stats) {
  if (stats.empty()) return std::nullopt;
  simdjson::ondemand::parser parser;
  simdjson::padded_string padded(stats);
  simdjson::ondemand::document document;
  if (parser.iterate(padded).get(document)) return std::nullopt;
  int64_t count = 0;
  if (document.find_field_unordered("numRecords").get_int64().get(count)) return std::nullopt;
  if (count < 0) return std::nullopt;
  return count;
}

}  // namespace weir::delta
