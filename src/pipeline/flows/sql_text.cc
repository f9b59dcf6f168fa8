// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

std::string Qualified(std::string_view alias, std::string_view name) {
  return alias.empty() ? QuoteIdentifier(name) : In(alias, name);
}

}  // namespace

std::string Names(const std::vector<Column>& columns, std::string_view alias) {
  return Join(columns, ", ", [&](const Column& column) { return Qualified(alias, column.name); });
}

std::string Names(const std::vector<std::string>& names, std::string_view alias) {
  return Join(names, ", ", [&](const std::string& name) { return Qualified(alias, name); });
}

std::string SameKey(const std::vector<std::string>& keys, std::string_view left,
                    std::string_view right) {
  return Join(keys, " AND ",
              [&](const std::string& key) { return In(left, key) + " = " + In(right, key); });
}

}  // namespace weir::pipeline
