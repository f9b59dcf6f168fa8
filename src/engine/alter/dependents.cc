// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/sql/tokens.h"
#include "base/text.h"
#include "delta/constraints/check_constraints.h"
#include "engine/alter/alteration.h"
#include "engine/duckdb_errors.h"
#include "engine/write/spark_sql.h"

namespace weir::engine {
namespace {

using delta::ColumnPath;

// The names that an expression speaks of: a, s.x. Words of the language and functions are among
// them; they match no column unless it is called so.
std::vector<ColumnPath> NamesIn(const std::string& expression) {
  std::vector<ColumnPath> names;
  const auto tokens = sql::Tokenize(InDuckDBSql(expression));
  if (!tokens) return names;
  bool continues = false;
  for (const sql::Token& token : *tokens) {
    if (token.IsName()) {
      if (!continues || names.empty()) names.emplace_back();
      names.back().push_back(token.text);
      continues = false;
    } else {
      continues = token.IsSymbol(".");
    }
  }
  return names;
}

// Up to the first array or map: what lies within is spoken of by the whole.
ColumnPath WithinStructs(const delta::DataType& schema, const ColumnPath& path) {
  ColumnPath result;
  const delta::DataType* type = &schema;
  for (const std::string& name : path) {
    const delta::StructField* field =
        type->kind() == delta::TypeKind::kStruct ? type->FindField(name) : nullptr;
    if (field == nullptr) break;
    result.push_back(name);
    type = field->type.get();
  }
  return result;
}

bool SpeaksOf(const std::string& expression, const ColumnPath& column) {
  const auto names = NamesIn(expression);
  return std::any_of(names.begin(), names.end(), [&](const ColumnPath& name) {
    const size_t common = std::min(name.size(), column.size());
    return std::equal(name.begin(), name.begin() + static_cast<long>(common), column.begin(),
                      [](const auto& a, const auto& b) { return EqualsIgnoreCase(a, b); });
  });
}

}  // namespace

void CheckNoDependents(const Alteration& change, const ColumnPath& path) {
  const ColumnPath column = WithinStructs(*change.schema, path);
  std::string found;
  for (const auto& [name, condition] : delta::Constraints(change.metadata)) {
    if (SpeaksOf(condition, column)) found += " " + name + " (" + condition + ")";
  }
  const std::string begin =
      "column " + delta::PathText(path) + " of table " + change.table.name + " cannot be changed: ";
  if (!found.empty()) {
    Throw(InvalidArgument("DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
                          begin + "CHECK constraints speak of it; drop them first:" + found,
                          "42K09"));
  }
  for (const auto& field : change.schema->fields()) {
    const std::string* expression = field.MetadataText("delta.generationExpression");
    if (expression && SpeaksOf(*expression, column))
      found += " " + field.name + " (" + *expression + ")";
  }
  if (!found.empty()) {
    Throw(InvalidArgument("DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
                          begin + "generated columns are computed from it:" + found, "42K09"));
  }
}

}  // namespace weir::engine
