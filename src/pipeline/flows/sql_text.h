// SPDX-License-Identifier: Apache-2.0
//
// Small pieces that the SQL of the flows is put together from.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "pipeline/flows/sql_type.h"

namespace weir::pipeline {

/// make(item) for every item, with `separator` between.
template <typename Items, typename Make>
std::string Join(const Items& items, std::string_view separator, Make make) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += make(item);
  }
  return text;
}

/// `alias`."name"
inline std::string In(std::string_view alias, std::string_view name) {
  return std::string(alias) + "." + QuoteIdentifier(name);
}

/// "a", "b" - or with an alias in front, t."a", t."b".
std::string Names(const std::vector<Column>& columns, std::string_view alias = "");
std::string Names(const std::vector<std::string>& names, std::string_view alias = "");

/// left."a" = right."a" AND left."b" = right."b"
std::string SameKey(const std::vector<std::string>& keys, std::string_view left,
                    std::string_view right);

}  // namespace weir::pipeline
