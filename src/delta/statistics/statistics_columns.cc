// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/statistics_columns.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace weir::delta {
namespace {

constexpr const char* kColumnsProperty = "delta.dataSkippingStatsColumns";
constexpr const char* kCountProperty = "delta.dataSkippingNumIndexedCols";
constexpr int64_t kDefaultCount = 32;

Error BadProperty(const char* property, std::string_view value, std::string_view why) {
  return InvalidArgument("DELTA_INVALID_DATA_SKIPPING_PROPERTY",
                         "table property " + std::string(property) + " = '" + std::string(value) +
                             "': " + std::string(why));
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) || c == '_';
  });
}

// Reads names from the property text.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  Result<std::vector<ColumnPath>> Read() {
    std::vector<ColumnPath> columns;
    SkipBlanks();
    if (at_ == text_.size()) return columns;
    while (true) {
      ColumnPath path;
      do {
        WEIR_ASSIGN_OR_RETURN(std::string name, ReadName());
        path.push_back(std::move(name));
      } while (Take('.'));
      columns.push_back(std::move(path));
      if (at_ == text_.size()) return columns;
      if (!Take(','))
        return Fail(BadProperty(kColumnsProperty, text_, "expected ',' or '.' after a name"));
    }
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<std::string> ReadName() {
    SkipBlanks();
    std::string name;
    if (Take('`')) {
      while (true) {
        if (at_ == text_.size())
          return Fail(BadProperty(kColumnsProperty, text_, "missing backtick"));
        char c = text_[at_++];
        if (c == '`' && !Take('`')) break;
        name += c;
      }
    } else {
      while (at_ < text_.size() && text_[at_] != '.' && text_[at_] != ',' && text_[at_] != '`') {
        name += text_[at_++];
      }
      name = std::string(Trim(name));
    }
    SkipBlanks();
    if (name.empty()) return Fail(BadProperty(kColumnsProperty, text_, "empty column name"));
    return name;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Collects the leaves below a struct in schema order.
void CollectLeaves(const DataType& parent, const StatisticsColumn& prefix,
                   std::vector<StatisticsColumn>& out) {
  for (const auto& field : parent.fields()) {
    StatisticsColumn column = prefix;
    column.path.push_back(field.name);
    column.physical_path.push_back(field.physical_name());
    column.type = field.type;
    if (field.type->kind() == TypeKind::kStruct) {
      CollectLeaves(*field.type, column, out);
    } else {
      out.push_back(std::move(column));
    }
  }
}

bool IsPrefix(const ColumnPath& prefix, const ColumnPath& path) {
  return prefix.size() <= path.size() &&
         std::equal(prefix.begin(), prefix.end(), path.begin(),
                    [](const auto& a, const auto& b) { return EqualsIgnoreCase(a, b); });
}

Result<int64_t> IndexedCount(const Metadata& metadata) {
  auto it = metadata.configuration.find(kCountProperty);
  if (it == metadata.configuration.end()) return kDefaultCount;
  const std::string& text = it->second;
  int64_t count = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc() || end != text.data() + text.size() || count < -1) {
    return Fail(BadProperty(kCountProperty, text, "expected a number of columns, or -1 for all"));
  }
  return count == -1 ? std::numeric_limits<int64_t>::max() : count;
}

}  // namespace

bool TypeHasBounds(TypeKind kind) {
  switch (kind) {
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kString:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return true;
    default:
      return false;
  }
}

bool StatisticsColumn::has_bounds() const {
  return TypeHasBounds(type->kind());
}

Result<std::vector<ColumnPath>> ParseColumnList(std::string_view text) {
  return ListReader(text).Read();
}

std::string FormatColumnList(const std::vector<ColumnPath>& columns) {
  std::string out;
  for (const auto& path : columns) {
    if (!out.empty()) out += ',';
    for (size_t i = 0; i < path.size(); ++i) {
      if (i > 0) out += '.';
      if (IsPlainName(path[i])) {
        out += path[i];
        continue;
      }
      out += '`';
      for (char c : path[i]) out.append(c == '`' ? 2 : 1, c);
      out += '`';
    }
  }
  return out;
}

Result<std::vector<StatisticsColumn>> StatisticsColumns(const DataType& schema,
                                                        const Metadata& metadata) {
  std::vector<StatisticsColumn> leaves;
  CollectLeaves(schema, {}, leaves);
  std::erase_if(leaves, [&](const StatisticsColumn& column) {
    return std::any_of(metadata.partition_columns.begin(), metadata.partition_columns.end(),
                       [&](const auto& name) { return EqualsIgnoreCase(name, column.path[0]); });
  });
  auto it = metadata.configuration.find(kColumnsProperty);
  if (it != metadata.configuration.end()) {
    WEIR_ASSIGN_OR_RETURN(auto wanted, ParseColumnList(it->second));
    std::erase_if(leaves, [&](const StatisticsColumn& column) {
      return std::none_of(wanted.begin(), wanted.end(),
                          [&](const auto& path) { return IsPrefix(path, column.path); });
    });
    return leaves;
  }
  WEIR_ASSIGN_OR_RETURN(int64_t count, IndexedCount(metadata));
  if (count < static_cast<int64_t>(leaves.size())) leaves.resize(static_cast<size_t>(count));
  return leaves;
}

}  // namespace weir::delta
