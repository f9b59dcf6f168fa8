// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's planner hooks for INSERT, CREATE TABLE AS, DELETE, UPDATE and MERGE: each becomes a list
// of clauses over its input.
#include <algorithm>
#include <utility>

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/execution/column_binding_resolver.hpp"
#include "duckdb/execution/operator/join/physical_comparison_join.hpp"
#include "duckdb/execution/operator/projection/physical_projection.hpp"
#include "duckdb/execution/operator/scan/physical_empty_result.hpp"
#include "duckdb/execution/operator/scan/physical_table_scan.hpp"
#include "duckdb/execution/operator/set/physical_union.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/merge_into_statement.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_create_table.hpp"
#include "duckdb/planner/operator/logical_delete.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"
#include "duckdb/planner/operator/logical_merge_into.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"
#include "duckdb/planner/operator/logical_update.hpp"
#include "duckdb/planner/planner.hpp"

#include "base/text.h"
#include "delta/features/features.h"
#include "delta/identity/identity_columns.h"
#include "delta/statistics/file_statistics.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_entry.h"
#include "engine/catalog/transaction.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/scan_files.h"
#include "engine/sink/row_change_operator.h"
#include "engine/sink/row_counter.h"
#include "engine/sink/statement_predicate.h"
#include "engine/write/table_expression.h"

namespace weir::engine {
namespace {

using duckdb::PhysicalOperator;
using Kind = RowChangeSpec::Kind;
using Expressions = duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>;

std::vector<RowClause>& Clauses(RowChangeSpec& spec, RowClass row_class) {
  return spec.clauses[static_cast<size_t>(row_class)];
}

RowChangeSpec InsertSpec(Kind kind, bool returning) {
  RowChangeSpec spec;
  spec.kind = kind;
  spec.returning = returning;
  RowClause clause;
  clause.action = RowAction::kInsert;
  Clauses(spec, RowClass::kNotMatchedByTarget).push_back(std::move(clause));
  return spec;
}

PhysicalOperator& Project(duckdb::PhysicalPlanGenerator& planner, PhysicalOperator& child,
                          Expressions expressions) {
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& expression : expressions) types.push_back(expression->return_type);
  auto& projection = planner.Make<duckdb::PhysicalProjection>(
      std::move(types), std::move(expressions), child.estimated_cardinality);
  projection.children.push_back(child);
  return projection;
}

const delta::StructField& FieldOf(const duckdb::TableCatalogEntry& table, size_t column) {
  return table.Cast<WeirTableEntry>().state()->schema()->fields()[column];
}

duckdb::unique_ptr<duckdb::Expression> NullOf(const duckdb::LogicalType& type) {
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(type));
}

// The new row of an update. What is not in the SET list is generated or stays as it is.
void SetUpdateImage(RowClause& clause, const duckdb::TableCatalogEntry& table,
                    const duckdb::vector<duckdb::PhysicalIndex>& columns, Expressions& values,
                    const Expressions& defaults) {
  clause.image.resize(table.GetColumns().PhysicalColumnCount());
  for (size_t i = 0; i < columns.size(); i++) {
    const auto place = columns[i].index;
    const bool is_default = values[i]->GetExpressionType() == duckdb::ExpressionType::VALUE_DEFAULT;
    clause.image[place] = is_default ? defaults[place]->Copy() : std::move(values[i]);
  }
  for (size_t i = 0; i < clause.image.size(); i++) {
    if (clause.image[i]) continue;
    (IsGenerated(FieldOf(table, i)) ? clause.computed : clause.kept).push_back(i);
    clause.image[i] = NullOf(table.GetColumns().GetColumn(duckdb::LogicalIndex(i)).Type());
  }
}

// A column that the statement names, and so gives values of its own.
void RefuseExplicitIdentity(const duckdb::TableCatalogEntry& table,
                            const duckdb::ColumnDefinition& column) {
  const auto& field = FieldOf(table, column.Logical().index);
  if (!delta::IsIdentity(field) || OrThrow(delta::IdentityOf(field)).allows_explicit) return;
  Throw(InvalidArgument("DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
                        "column \"" + field.name + "\" of table " + table.name +
                            " is GENERATED ALWAYS AS IDENTITY and takes no values from a "
                            "statement; name the other columns and leave it out",
                        "42808"));
}

// A column that the statement does not name gets its generated value or its default.
void TakeOmitted(RowClause& clause, const duckdb::TableCatalogEntry& table,
                 const duckdb::ColumnDefinition& column) {
  const auto& field = FieldOf(table, column.Logical().index);
  if (IsGenerated(field) || delta::IsIdentity(field)) {
    clause.computed.push_back(column.Logical().index);
  } else if (field.MetadataText("CURRENT_DEFAULT") && !column.HasDefaultValue()) {
    Throw(UnsupportedFeature(
        "DELTA_UNSUPPORTED_EXPRESSION",
        "column \"" + field.name + "\" of table " + table.name + " has the default " +
            *field.MetadataText("CURRENT_DEFAULT") +
            ", which cannot be evaluated here; name the column and give it a value",
        "0A000"));
  }
}

void SetInsertImage(RowClause& clause, const duckdb::TableCatalogEntry& table,
                    duckdb::BoundMergeIntoAction& action, const Expressions& defaults) {
  if (action.column_index_map.empty()) {
    for (auto& column : table.GetColumns().Physical()) RefuseExplicitIdentity(table, column);
    clause.image = std::move(action.expressions);
    return;
  }
  for (auto& column : table.GetColumns().Physical()) {
    const auto mapped = action.column_index_map[column.Physical()];
    const bool is_omitted = mapped == duckdb::DConstants::INVALID_INDEX;
    if (is_omitted) {
      TakeOmitted(clause, table, column);
    } else {
      RefuseExplicitIdentity(table, column);
    }
    clause.image.push_back(is_omitted ? defaults[column.StorageOid()]->Copy()
                                      : action.expressions[mapped]->Copy());
  }
}

RowClass ClassOf(duckdb::MergeActionCondition condition) {
  switch (condition) {
    case duckdb::MergeActionCondition::WHEN_MATCHED:
      return RowClass::kMatched;
    case duckdb::MergeActionCondition::WHEN_NOT_MATCHED_BY_SOURCE:
      return RowClass::kNotMatchedBySource;
    default:
      return RowClass::kNotMatchedByTarget;
  }
}

RowClause MakeClause(duckdb::LogicalMergeInto& op, duckdb::MergeActionCondition condition,
                     duckdb::BoundMergeIntoAction& action) {
  RowClause clause;
  clause.description = duckdb::MergeIntoStatement::ActionConditionToString(condition);
  if (action.condition) clause.description += " AND " + action.condition->ToString();
  clause.condition = std::move(action.condition);
  switch (action.action_type) {
    case duckdb::MergeActionType::MERGE_UPDATE:
      clause.action = RowAction::kUpdate;
      SetUpdateImage(clause, op.table, action.columns, action.expressions, op.bound_defaults);
      break;
    case duckdb::MergeActionType::MERGE_DELETE:
      clause.action = RowAction::kDelete;
      break;
    case duckdb::MergeActionType::MERGE_INSERT:
      clause.action = RowAction::kInsert;
      SetInsertImage(clause, op.table, action, op.bound_defaults);
      break;
    case duckdb::MergeActionType::MERGE_ERROR:
      clause.action = RowAction::kError;
      clause.image = std::move(action.expressions);
      break;
    case duckdb::MergeActionType::MERGE_DO_NOTHING:
      clause.action = RowAction::kNothing;
      break;
  }
  return clause;
}

// Has the joins of a statement look their keys up before other columns of the target are read and
// its rows are joined; DuckDB does so by itself only where the other side is filtered. A filter
// that lets most rows through is dropped while it runs.
void FilterByJoinKeys(PhysicalOperator& plan) {
  if (plan.type == duckdb::PhysicalOperatorType::HASH_JOIN) {
    auto& join = plan.Cast<duckdb::PhysicalComparisonJoin>();
    if (join.filter_pushdown) join.filter_pushdown->build_side_has_filter = true;
  }
  for (auto& child : plan.children) FilterByJoinKeys(child.get());
}

// A DELETE of the whole table whose rows can be counted without reading them.
bool DeletesAll(duckdb::ClientContext& context, const duckdb::LogicalDelete& op,
                const PhysicalOperator& plan) {
  if (op.return_chunk || plan.type != duckdb::PhysicalOperatorType::TABLE_SCAN) return false;
  const auto& scan = plan.Cast<duckdb::PhysicalTableScan>();
  if (scan.table_filters && !scan.table_filters->filters.empty()) return false;
  const auto& state = op.table.Cast<WeirTableEntry>().state();
  const bool has_feed = delta::IsActive(delta::Feature::kChangeDataFeed, state->protocol(),
                                        state->metadata(), *state->schema());
  if (has_feed && WeirTransaction::IsMultiStatement(context)) return false;
  const ScanFiles files(state);
  // Static filters that the scan has taken over have left out files.
  const auto& scanned = scan.bind_data->Cast<duckdb::MultiFileBindData>();
  if (scanned.file_list->GetTotalFileCount() != files.size()) return false;
  for (size_t i = 0; i < files.size(); i++) {
    const auto file = files.GetWithStats(i);
    if (!file || !file->stats || !delta::ReadNumRecords(*file->stats)) return false;
  }
  return true;
}

PhysicalOperator& Make(duckdb::PhysicalPlanGenerator& planner, PhysicalOperator& child,
                       duckdb::LogicalOperator& op, RowChangeSpec spec,
                       duckdb::TableCatalogEntry& table) {
  auto& result = planner.Make<RowChangeOperator>(
      op.types, std::move(spec), table.Cast<WeirTableEntry>(), op.estimated_cardinality);
  result.children.push_back(child);
  return result;
}

// `plan`, and behind it the positions of the rows that REPLACE WHERE takes away.
PhysicalOperator& AddReplacedRows(duckdb::ClientContext& context,
                                  duckdb::PhysicalPlanGenerator& planner, PhysicalOperator& plan,
                                  const WeirTableEntry& table, const std::string& condition) {
  for (const char* taken : {"file_index", "file_row_number"}) {
    if (!table.ColumnExists(taken)) continue;
    Throw(UnsupportedFeature(
        "WEIR_UNSUPPORTED_STATEMENT",
        "REPLACE WHERE cannot be used on a table with a column named " + std::string(taken)));
  }
  duckdb::Parser parser(context.GetParserOptions());
  parser.ParseQuery("SELECT file_index, file_row_number FROM " +
                    QuoteIdentifier(table.ParentCatalog().GetName()) + "." +
                    QuoteIdentifier(table.ParentSchema().name) + "." + QuoteIdentifier(table.name) +
                    " WHERE " + condition);
  duckdb::Planner logical(context);
  logical.CreatePlan(std::move(parser.statements[0]));
  duckdb::Optimizer optimizer(*logical.binder, context);
  auto optimised = optimizer.Optimize(std::move(logical.plan));
  optimised->ResolveOperatorTypes();
  duckdb::ColumnBindingResolver resolver;
  resolver.VisitOperator(*optimised);
  auto& positions = planner.CreatePlan(*optimised);

  const bool tracks_rows = table.GetRowIdColumns().size() > 2;
  Expressions inserted;
  Expressions replaced;
  for (size_t i = 0; i < plan.types.size(); i++) {
    inserted.push_back(duckdb::make_uniq<duckdb::BoundReferenceExpression>(plan.types[i], i));
    replaced.push_back(NullOf(plan.types[i]));
  }
  for (size_t i = 0; i < positions.types.size(); i++) {
    inserted.push_back(NullOf(positions.types[i]));
    replaced.push_back(duckdb::make_uniq<duckdb::BoundReferenceExpression>(positions.types[i], i));
  }
  if (tracks_rows) {
    inserted.push_back(NullOf(duckdb::LogicalType::BIGINT));
    replaced.push_back(NullOf(duckdb::LogicalType::BIGINT));
  }
  duckdb::ArenaLinkedList<std::reference_wrapper<PhysicalOperator>> children(planner.ArenaRef());
  children.push_back(Project(planner, plan, std::move(inserted)));
  children.push_back(Project(planner, positions, std::move(replaced)));
  return planner.Make<duckdb::PhysicalUnion>(children[0].get().types, children,
                                             plan.estimated_cardinality, true);
}

// Completes the plan of an INSERT that takes the place of other rows.
PhysicalOperator& PlanOverwrite(duckdb::ClientContext& context,
                                duckdb::PhysicalPlanGenerator& planner, PhysicalOperator& plan,
                                const WeirTableEntry& table, RowChangeSpec& spec) {
  const auto& target = table.write_target();
  if (target.mode == WriteMode::kAppend) return plan;
  if (target.mode == WriteMode::kOverwritePartitions) {
    spec.replaces_partitions = true;
    return plan;
  }
  const auto& state = *table.state();
  const bool has_feed = delta::IsActive(delta::Feature::kChangeDataFeed, state.protocol(),
                                        state.metadata(), *state.schema());
  if (target.mode == WriteMode::kOverwrite &&
      !(has_feed && WeirTransaction::IsMultiStatement(context))) {
    spec.deletes_all = true;
    return plan;
  }
  if (target.mode == WriteMode::kReplaceWhere) spec.replace_condition = target.condition;
  spec.position_start = plan.types.size();
  RowClause clause;
  clause.action = RowAction::kDelete;
  Clauses(spec, RowClass::kMatched).push_back(std::move(clause));
  return AddReplacedRows(context, planner, plan, table,
                         target.mode == WriteMode::kOverwrite ? "true" : target.condition);
}

}  // namespace

PhysicalOperator& WeirCatalog::PlanInsert(duckdb::ClientContext& context,
                                          duckdb::PhysicalPlanGenerator& planner,
                                          duckdb::LogicalInsert& op,
                                          duckdb::optional_ptr<PhysicalOperator> plan) {
  auto spec = InsertSpec(Kind::kInsert, op.return_chunk);
  auto& clause = Clauses(spec, RowClass::kNotMatchedByTarget)[0];
  for (auto& column : op.table.GetColumns().Physical()) {
    const bool is_omitted =
        !op.column_index_map.empty() &&
        op.column_index_map[column.Physical()] == duckdb::DConstants::INVALID_INDEX;
    if (is_omitted) {
      TakeOmitted(clause, op.table, column);
    } else {
      RefuseExplicitIdentity(op.table, column);
    }
  }
  if (!op.column_index_map.empty()) {
    plan = planner.ResolveDefaultsProjection(op, *plan);
  }
  auto& child = PlanOverwrite(context, planner, *plan, op.table.Cast<WeirTableEntry>(), spec);
  return Make(planner, child, op, std::move(spec), op.table);
}

PhysicalOperator& WeirCatalog::PlanCreateTableAs(duckdb::ClientContext& context,
                                                 duckdb::PhysicalPlanGenerator& planner,
                                                 duckdb::LogicalCreateTable& op,
                                                 PhysicalOperator& plan) {
  // The query's types, brought to those that the table will have.
  Expressions casts;
  for (size_t i = 0; i < plan.types.size(); i++) {
    auto reference = duckdb::make_uniq<duckdb::BoundReferenceExpression>(plan.types[i], i);
    auto target = OrThrow(ToDuckDB(*OrThrow(FromDuckDB(plan.types[i]))));
    casts.push_back(
        duckdb::BoundCastExpression::AddCastToType(context, std::move(reference), target));
  }
  auto& child = Project(planner, plan, std::move(casts));
  auto& result = planner.Make<RowChangeOperator>(op.types, InsertSpec(Kind::kCreateTableAs, false),
                                                 op.schema.Cast<WeirSchemaEntry>(),
                                                 std::move(op.info), op.estimated_cardinality);
  result.children.push_back(child);
  return result;
}

PhysicalOperator& WeirCatalog::PlanDelete(duckdb::ClientContext& context,
                                          duckdb::PhysicalPlanGenerator& planner,
                                          duckdb::LogicalDelete& op, PhysicalOperator& plan) {
  if (DeletesAll(context, op, plan)) {
    RowChangeSpec spec;
    spec.kind = Kind::kDelete;
    spec.position_start = 0;
    spec.deletes_all = true;
    spec.predicate = PredicateOf(context);
    auto& nothing = planner.Make<duckdb::PhysicalEmptyResult>(plan.types, 0);
    return Make(planner, nothing, op, std::move(spec), op.table);
  }
  FilterByJoinKeys(plan);
  Expressions positions;
  for (auto& expression : op.expressions) positions.push_back(expression->Copy());
  auto& child = Project(planner, plan, std::move(positions));
  RowChangeSpec spec;
  spec.kind = Kind::kDelete;
  spec.predicate = PredicateOf(context);
  spec.returning = op.return_chunk;
  spec.position_start = 0;
  RowClause clause;
  clause.action = RowAction::kDelete;
  Clauses(spec, RowClass::kMatched).push_back(std::move(clause));
  return Make(planner, child, op, std::move(spec), op.table);
}

PhysicalOperator& WeirCatalog::PlanUpdate(duckdb::ClientContext& context,
                                          duckdb::PhysicalPlanGenerator& planner,
                                          duckdb::LogicalUpdate& op, PhysicalOperator& plan) {
  RowChangeSpec spec;
  spec.kind = Kind::kUpdate;
  spec.predicate = PredicateOf(context);
  spec.returning = op.return_chunk;
  spec.position_start = plan.types.size() - op.table.GetRowIdColumns().size();
  FilterByJoinKeys(plan);
  RowClause clause;
  clause.action = RowAction::kUpdate;
  SetUpdateImage(clause, op.table, op.columns, op.expressions, op.bound_defaults);
  Clauses(spec, RowClass::kMatched).push_back(std::move(clause));
  return Make(planner, plan, op, std::move(spec), op.table);
}

PhysicalOperator& WeirCatalog::PlanMergeInto(duckdb::ClientContext& context,
                                             duckdb::PhysicalPlanGenerator& planner,
                                             duckdb::LogicalMergeInto& op, PhysicalOperator& plan) {
  RowChangeSpec spec;
  spec.kind = Kind::kMerge;
  spec.predicate = PredicateOf(context);
  spec.returning = op.return_chunk;
  spec.position_start = op.row_id_start;
  if (op.source_marker.IsValid()) spec.source_marker = op.source_marker.GetIndex();
  for (auto& [condition, actions] : op.actions) {
    for (auto& action : actions) {
      Clauses(spec, ClassOf(condition)).push_back(MakeClause(op, condition, *action));
    }
  }
  FilterByJoinKeys(plan);
  spec.source_rows = CountSourceRows(planner, plan);
  return Make(planner, plan, op, std::move(spec), op.table);
}

void WeirTableEntry::BindUpdateConstraints(duckdb::Binder&, duckdb::LogicalGet&,
                                           duckdb::LogicalProjection&,
                                           duckdb::LogicalUpdate& update, duckdb::ClientContext&) {
  for (const auto& set : update.columns) {
    const auto& field = state_->schema()->fields()[set.index];
    if (!delta::IsIdentity(field)) continue;
    Throw(InvalidArgument("DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
                          "column \"" + field.name + "\" of table " + name +
                              " is an identity column and cannot be updated",
                          "42808"));
  }
  // A changed row is written anew. The columns that are not set come with the second pass.
  update.update_is_del_and_insert = true;
}

}  // namespace weir::engine
