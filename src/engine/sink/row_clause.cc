// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/row_clause.h"

#include <algorithm>

namespace weir::engine {

bool RowChangeSpec::may_change_rows() const {
  return std::any_of(clauses.begin(), clauses.end(), [](const auto& of_class) {
    return std::any_of(of_class.begin(), of_class.end(), [](const RowClause& clause) {
      return clause.action == RowAction::kUpdate || clause.action == RowAction::kDelete;
    });
  });
}

bool RowChangeSpec::may_delete_twice() const {
  if (kind == Kind::kDelete) return true;
  const auto& matched = clauses[static_cast<size_t>(RowClass::kMatched)];
  return matched.size() == 1 && matched[0].action == RowAction::kDelete && !matched[0].condition;
}

}  // namespace weir::engine
