// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/statistics_columns.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "delta/features/property_values.h"

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
  int64_t count = ParseIntegerProperty(it->second).value_or(-2);
  if (count < -1) {
    return Fail(
        BadProperty(kCountProperty, it->second, "expected a number, or -1 for all columns"));
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

bool StatisticsColumn::has_bounds() const { return TypeHasBounds(type->kind()); }

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
    auto wanted = ParseColumnListProperty(it->second);
    if (!wanted) {
      return Fail(BadProperty(kColumnsProperty, it->second, "expected a list of column names"));
    }
    std::erase_if(leaves, [&](const StatisticsColumn& column) {
      return std::none_of(wanted->begin(), wanted->end(),
                          [&](const auto& path) { return IsPrefix(path, column.path); });
    });
    return leaves;
  }
  WEIR_ASSIGN_OR_RETURN(int64_t count, IndexedCount(metadata));
  if (count < static_cast<int64_t>(leaves.size())) leaves.resize(static_cast<size_t>(count));
  return leaves;
}

}  // namespace weir::delta
