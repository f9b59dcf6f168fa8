// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/file_filters.h"

#include <algorithm>
#include <string>
#include <utility>

#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"

namespace weir::engine {

using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;
using duckdb::TableFilter;
using duckdb::TableFilterType;
using FilterPtr = duckdb::unique_ptr<TableFilter>;
using LocalColumns = duckdb::vector<MultiFileColumnDefinition>;

namespace {

// What a file's column is to the table's. In the order of what it takes.
enum class TypeMatch { kSame, kWiderInteger, kOther };

const MultiFileColumnDefinition* Find(const LocalColumns& local,
                                      const MultiFileColumnDefinition& column) {
  const auto name = column.GetIdentifierName();
  auto it = std::find_if(local.begin(), local.end(),
                         [&](const auto& candidate) { return candidate.name == name; });
  return it == local.end() ? nullptr : &*it;
}

TypeMatch Match(const MultiFileColumnDefinition& column, const MultiFileColumnDefinition& local) {
  if (column.type == local.type && column.children.empty()) return TypeMatch::kSame;
  if (column.type.id() == LogicalTypeId::STRUCT && local.type.id() == LogicalTypeId::STRUCT) {
    TypeMatch worst = TypeMatch::kSame;
    for (const auto& child : column.children) {
      if (const auto* found = Find(local.children, child)) {
        worst = std::max(worst, Match(child, *found));
      }
    }
    return worst;
  }
  if (column.type.id() == local.type.id() && column.type.IsNested()) return TypeMatch::kSame;
  const bool integers = column.type.IsIntegral() && local.type.IsIntegral();
  return integers ? TypeMatch::kWiderInteger : TypeMatch::kOther;
}

bool HoldsBloomFilter(const TableFilter& filter) {
  if (filter.filter_type == TableFilterType::BLOOM_FILTER) return true;
  if (filter.filter_type != TableFilterType::OPTIONAL_FILTER) return false;
  const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
  return child && HoldsBloomFilter(*child);
}

// Null when nothing is left.
FilterPtr WithoutBloomFilters(const TableFilter& filter) {
  if (HoldsBloomFilter(filter)) return nullptr;
  if (filter.filter_type != TableFilterType::CONJUNCTION_AND) return filter.Copy();
  auto rest = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
  for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
    if (auto kept = WithoutBloomFilters(*child)) rest->child_filters.push_back(std::move(kept));
  }
  if (rest->child_filters.empty()) return nullptr;
  return rest;
}

// The multi-file reader does not cast a filter that holds an expression.
FilterPtr AfterConversion(const TableFilter& filter) {
  auto both = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
  both->child_filters.push_back(filter.Copy());
  both->child_filters.push_back(duckdb::make_uniq<duckdb::ExpressionFilter>(
      duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value::BOOLEAN(true))));
  return both;
}

}  // namespace

duckdb::unique_ptr<duckdb::TableFilterSet> FiltersForFile(
    const duckdb::TableFilterSet& filters, const duckdb::vector<duckdb::ColumnIndex>& scanned,
    const LocalColumns& columns, const LocalColumns& local) {
  auto adapted = duckdb::make_uniq<duckdb::TableFilterSet>();
  bool changed = false;
  for (const auto& [index, filter] : filters.filters) {
    const auto column = scanned[index].GetPrimaryIndex();
    const auto* found = duckdb::IsVirtualColumn(column) || columns[column].identifier.IsNull()
                            ? nullptr
                            : Find(local, columns[column]);
    const auto match = found ? Match(columns[column], *found) : TypeMatch::kSame;
    FilterPtr kept;
    if (match == TypeMatch::kSame) {
      kept = filter->Copy();
    } else {
      changed = true;
      kept = match == TypeMatch::kOther ? AfterConversion(*filter) : WithoutBloomFilters(*filter);
    }
    if (kept) adapted->filters.emplace(index, std::move(kept));
  }
  return changed ? std::move(adapted) : nullptr;
}

}  // namespace weir::engine
