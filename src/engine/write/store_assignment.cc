// SPDX-License-Identifier: Apache-2.0
#include "engine/write/store_assignment.h"

#include <string>
#include <utility>

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/operator/logical_expression_get.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"
#include "duckdb/planner/operator/logical_merge_into.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"
#include "duckdb/planner/operator/logical_update.hpp"

#include "engine/catalog/table_entry.h"
#include "engine/duckdb_errors.h"
#include "engine/write/struct_members.h"
#include "engine/write/truncated_value.h"

namespace weir::engine {
namespace {

using duckdb::Expression;
using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;

// One that the binder has added for the column's sake: it stands where its operand stands in the
// text, unlike one that the user has written.
bool IsImplicitCast(const Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CAST) return false;
  const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
  const auto place = cast.GetQueryLocation();
  const auto operand = cast.child->GetQueryLocation();
  if (!place.IsValid() || !operand.IsValid()) return !place.IsValid();
  return place.GetIndex() == operand.GetIndex();
}

class Assignment {
 public:
  Assignment(const duckdb::TableCatalogEntry& table, const duckdb::ColumnDefinition& column,
             bool is_insert)
      : table_(table.Cast<WeirTableEntry>()), column_(column), is_insert_(is_insert) {}

  // `value` is what the column gets, over the columns of `input`.
  void Visit(duckdb::unique_ptr<Expression>& value, LogicalOperator& input) const {
    if (value->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
      VisitSource(value->Cast<duckdb::BoundColumnRefExpression>().binding, input);
    } else if (IsImplicitCast(*value)) {
      VisitCast(value->Cast<duckdb::BoundCastExpression>());
    }
  }

  // The values of a binding where they are computed: a projection or the rows of VALUES.
  void VisitSource(const duckdb::ColumnBinding& binding, LogicalOperator& input) const {
    const auto tables = input.GetTableIndex();
    if (tables.size() != 1 || tables[0] != binding.table_index) return;
    if (input.type == LogicalOperatorType::LOGICAL_PROJECTION) {
      Visit(input.expressions[binding.column_index], *input.children[0]);
    } else if (input.type == LogicalOperatorType::LOGICAL_EXPRESSION_GET) {
      for (auto& row : input.Cast<duckdb::LogicalExpressionGet>().expressions) {
        Visit(row[binding.column_index], *input.children[0]);
      }
    }
  }

  void CheckMembers(const duckdb::LogicalType& source, const duckdb::LogicalType& target) const {
    const auto difference = FindMemberDifference(source, target, column_.Name());
    if (!difference) return;
    const bool evolves = table_.write_target().evolves;
    if (evolves && !difference->is_extra) return;
    const std::string found = difference->is_extra
                                  ? "gets a value with " + difference->path + ", which it lacks"
                                  : "gets a value without " + difference->path;
    Throw(InvalidArgument(
        NameOf(*difference),
        "column \"" + column_.Name() + "\" of table " + table_.name + " " + found +
            ": it has the type " + target.ToString() + ", the value " + source.ToString() +
            ". Make the members the same" +
            (evolves ? "" : ", or write WITH SCHEMA EVOLUTION, by which new ones are added"),
        is_insert_ ? "42KDG" : "42846"));
  }

 private:
  void VisitCast(duckdb::BoundCastExpression& cast) const {
    CheckMembers(cast.child->return_type, cast.return_type);
    if (!MakesIntegers(cast.child->return_type, cast.return_type)) return;
    cast.child = Truncated(std::move(cast.child), cast.return_type,
                           "column \"" + column_.Name() + "\" of table " + table_.name);
  }

  const char* NameOf(const MemberDifference& difference) const {
    if (!is_insert_) return "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION";
    return difference.is_extra ? "DELTA_METADATA_MISMATCH" : "DELTA_INSERT_COLUMN_ARITY_MISMATCH";
  }

  const WeirTableEntry& table_;
  const duckdb::ColumnDefinition& column_;
  const bool is_insert_;
};

// Where a statement's values have that of a column; beyond their end when it gets none.
size_t PlaceOf(const duckdb::physical_index_vector_t<duckdb::idx_t>& map,
               const duckdb::ColumnDefinition& column) {
  return map.empty() ? column.Physical().index : map[column.Physical()];
}

bool IsWeirs(const duckdb::TableCatalogEntry& table) {
  return dynamic_cast<const WeirTableEntry*>(&table) != nullptr;
}

// The types of a file's columns where COPY has its reader cast them; null for another input.
const duckdb::vector<duckdb::MultiFileColumnDefinition>* FileColumns(LogicalOperator& input) {
  if (input.type != LogicalOperatorType::LOGICAL_GET) return nullptr;
  const auto& get = input.Cast<duckdb::LogicalGet>();
  const auto* files = dynamic_cast<const duckdb::MultiFileBindData*>(get.bind_data.get());
  const bool is_copy = files && files->initial_reader && !files->table_columns.empty();
  return is_copy ? &files->initial_reader->GetColumns() : nullptr;
}

void VisitInsert(duckdb::LogicalInsert& insert) {
  if (!IsWeirs(insert.table)) return;
  auto& input = *insert.children[0];
  const auto* file_columns = FileColumns(input);
  const auto bindings = input.GetColumnBindings();
  for (auto& column : insert.table.GetColumns().Physical()) {
    const size_t place = PlaceOf(insert.column_index_map, column);
    if (place >= bindings.size()) continue;
    const Assignment assignment(insert.table, column, true);
    assignment.VisitSource(bindings[place], input);
    if (file_columns && place < file_columns->size()) {
      assignment.CheckMembers((*file_columns)[place].type, column.Type());
    }
  }
}

void VisitUpdate(duckdb::LogicalUpdate& update) {
  if (!IsWeirs(update.table)) return;
  for (size_t i = 0; i < update.columns.size(); i++) {
    const auto& column = update.table.GetColumns().GetColumn(update.columns[i]);
    Assignment(update.table, column, false).Visit(update.expressions[i], *update.children[0]);
  }
}

void VisitMerge(duckdb::LogicalMergeInto& merge) {
  if (!IsWeirs(merge.table)) return;
  auto& input = *merge.children[0];
  const auto& columns = merge.table.GetColumns();
  for (auto& [condition, actions] : merge.actions) {
    for (auto& action : actions) {
      if (action->action_type == duckdb::MergeActionType::MERGE_UPDATE) {
        for (size_t i = 0; i < action->columns.size(); i++) {
          Assignment(merge.table, columns.GetColumn(action->columns[i]), false)
              .Visit(action->expressions[i], input);
        }
      }
      if (action->action_type != duckdb::MergeActionType::MERGE_INSERT) continue;
      for (auto& column : columns.Physical()) {
        const size_t place = PlaceOf(action->column_index_map, column);
        if (place >= action->expressions.size()) continue;
        Assignment(merge.table, column, false).Visit(action->expressions[place], input);
      }
    }
  }
}

void VisitPlan(LogicalOperator& plan) {
  switch (plan.type) {
    case LogicalOperatorType::LOGICAL_INSERT:
      return VisitInsert(plan.Cast<duckdb::LogicalInsert>());
    case LogicalOperatorType::LOGICAL_UPDATE:
      return VisitUpdate(plan.Cast<duckdb::LogicalUpdate>());
    case LogicalOperatorType::LOGICAL_MERGE_INTO:
      return VisitMerge(plan.Cast<duckdb::LogicalMergeInto>());
    default:
      // Above the statement: RETURNING, EXPLAIN, WITH.
      for (auto& child : plan.children) VisitPlan(*child);
  }
}

}  // namespace

void RegisterStoreAssignment(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension extension;
  extension.pre_optimize_function = [](duckdb::OptimizerExtensionInput&,
                                       duckdb::unique_ptr<LogicalOperator>& plan) {
    VisitPlan(*plan);
  };
  duckdb::OptimizerExtension::Register(config, std::move(extension));
}

}  // namespace weir::engine
