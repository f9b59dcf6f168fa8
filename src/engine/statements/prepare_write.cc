// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/prepare_write.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/expression/case_expression.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/expression/operator_expression.hpp"
#include "duckdb/parser/expression/star_expression.hpp"
#include "duckdb/parser/query_node/select_node.hpp"
#include "duckdb/parser/statement/explain_statement.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/parser/statement/merge_into_statement.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/basetableref.hpp"
#include "duckdb/parser/tableref/expressionlistref.hpp"
#include "duckdb/planner/binder.hpp"

#include "base/text.h"
#include "delta/features/features.h"
#include "delta/schema/merge_schemas.h"
#include "delta/schema/type_widening.h"
#include "engine/catalog/create_table.h"
#include "engine/catalog/schema_entry.h"
#include "engine/catalog/transaction.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/statements/insert_partitions.h"
#include "engine/statements/write_mode.h"
#include "engine/write/struct_members.h"
#include "engine/write/table_expression.h"

namespace weir::engine {
namespace {

using duckdb::MergeActionType;
using duckdb::MergeIntoAction;

constexpr const char* kUnnamedSource = "weir_source";

// The columns of the rows that a statement writes.
struct Source {
  std::string alias;  ///< By which the clauses of a MERGE name it.
  std::vector<std::string> names;
  duckdb::vector<duckdb::LogicalType> types;

  std::optional<size_t> Find(const std::string& name) const {
    std::optional<size_t> found;
    for (size_t i = 0; i < names.size(); i++) {
      if (!EqualsIgnoreCase(names[i], name)) continue;
      if (found) {
        Throw(InvalidArgument("AMBIGUOUS_REFERENCE", "the source has two columns \"" + name + "\"",
                              "42704"));
      }
      found = i;
    }
    return found;
  }

  duckdb::unique_ptr<duckdb::ParsedExpression> Column(size_t place) const {
    return duckdb::make_uniq<duckdb::ColumnRefExpression>(names[place], alias);
  }
};

// A copy of the query is bound to learn its columns; the statement itself stays unbound.
void BindColumns(duckdb::ClientContext& context, duckdb::Binder& binder,
                 duckdb::unique_ptr<duckdb::QueryNode> query, Source& source) {
  duckdb::SelectStatement select;
  select.node = std::move(query);
  auto child = duckdb::Binder::CreateBinder(context, &binder);
  child->SetCanContainNulls(true);  // A bare NULL has no type that a column could take over.
  auto bound = child->Bind(static_cast<duckdb::SQLStatement&>(select));
  source.names.assign(bound.names.begin(), bound.names.end());
  source.types = bound.types;
}

Source SourceOf(duckdb::ClientContext& context, duckdb::Binder& binder,
                duckdb::MergeIntoStatement& merge) {
  auto& ref = *merge.source;
  Source source;
  if (ref.alias.empty() && ref.type == duckdb::TableReferenceType::BASE_TABLE) {
    source.alias = ref.Cast<duckdb::BaseTableRef>().table_name;
  } else if (ref.alias.empty()) {
    // No clause can name its columns by a table's name; ours can.
    ref.alias = kUnnamedSource;
    source.alias = kUnnamedSource;
  } else {
    source.alias = ref.alias;
  }
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  node->from_table = ref.Copy();
  node->cte_map = merge.cte_map.Copy();
  BindColumns(context, binder, std::move(node), source);
  return source;
}

Source SourceOf(duckdb::ClientContext& context, duckdb::Binder& binder,
                duckdb::InsertStatement& insert) {
  Source source;
  auto node = insert.select_statement->node->Copy();
  for (const auto& [name, cte] : insert.cte_map.map) {
    if (!node->cte_map.map.contains(name)) node->cte_map.map.insert(name, cte->Copy());
  }
  BindColumns(context, binder, std::move(node), source);
  return source;
}

std::vector<size_t> AllOf(const Source& source) {
  std::vector<size_t> places(source.names.size());
  for (size_t i = 0; i < places.size(); i++) places[i] = i;
  return places;
}

// BY NAME without evolution is DuckDB's own.
bool IsStar(const MergeIntoAction& action, bool evolves) {
  if (action.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME && !evolves) return false;
  if (action.action_type == MergeActionType::MERGE_UPDATE) return !action.update_info;
  return action.action_type == MergeActionType::MERGE_INSERT && action.expressions.empty() &&
         !action.default_values && action.insert_columns.empty();
}

bool IsStruct(const duckdb::LogicalType& type) {
  return type.id() == duckdb::LogicalTypeId::STRUCT;
}

duckdb::unique_ptr<duckdb::ParsedExpression> Member(const duckdb::ParsedExpression& of,
                                                    const std::string& name) {
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(of.Copy());
  arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(name)));
  return duckdb::make_uniq<duckdb::FunctionExpression>("struct_extract", std::move(arguments));
}

// The struct of the source, with the members that it lacks as they are in the table's row.
duckdb::unique_ptr<duckdb::ParsedExpression> Completed(const duckdb::LogicalType& table,
                                                       const duckdb::LogicalType& source,
                                                       const duckdb::ParsedExpression& old_value,
                                                       const duckdb::ParsedExpression& new_value) {
  if (!IsStruct(table) || !IsStruct(source) || !FindMemberDifference(source, table, "")) {
    return new_value.Copy();
  }
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> members;
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(table)) {
    const auto* other = FindMember(source, name);
    const auto old_member = Member(old_value, name);
    members.push_back(other ? Completed(type, *other, *old_member, *Member(new_value, name))
                            : old_member->Copy());
    members.back()->SetAlias(name);
  }
  auto result = duckdb::make_uniq<duckdb::CaseExpression>();
  duckdb::CaseCheck is_null;
  is_null.when_expr = duckdb::make_uniq<duckdb::OperatorExpression>(
      duckdb::ExpressionType::OPERATOR_IS_NULL, new_value.Copy());
  is_null.then_expr = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value());
  result->case_checks.push_back(std::move(is_null));
  result->else_expr =
      duckdb::make_uniq<duckdb::FunctionExpression>("struct_pack", std::move(members));
  return result;
}

class Preparation {
 public:
  Preparation(duckdb::ClientContext& context, WeirTableEntry& table, WriteTarget& target,
              Source source)
      : context_(context), table_(table), target_(target), source_(std::move(source)) {}

  // `wanted` are the places of the source's columns that are written under their own names.
  void Evolve(const std::vector<size_t>& wanted) {
    const auto& state = *table_.state();
    std::vector<delta::StructField> fields;
    for (size_t place : wanted) AddField(state, place, fields);
    const bool may_widen = delta::IsActive(delta::Feature::kTypeWidening, state.protocol(),
                                           state.metadata(), *state.schema()) ||
                           delta::IsActive(delta::Feature::kTypeWideningPreview, state.protocol(),
                                           state.metadata(), *state.schema());
    auto merged = OrThrow(delta::MergeSchemas(
        *state.schema(), *delta::DataType::Struct(std::move(fields)), may_widen));
    std::optional<Evolution> evolution;
    if (!merged->Equals(*state.schema())) {
      const bool is_preview =
          delta::IsSupported(state.protocol(), delta::Feature::kTypeWideningPreview);
      merged = delta::RecordTypeChanges(
          merged, *state.schema(),
          is_preview ? std::optional<int64_t>(state.version() + 1) : std::nullopt);
      evolution.emplace();
      evolution->metadata = state.metadata();
      delta::Protocol protocol;
      AdoptMetadata(std::move(merged), &state, protocol, evolution->metadata);
      if (!(protocol == state.protocol())) evolution->protocol = std::move(protocol);
    }
    Prepare(std::move(evolution));
  }

  void Prepare(std::optional<Evolution> evolution) {
    prepared_ = &WeirTransaction::Get(context_, table_.ParentCatalog())
                     .PrepareTarget(table_, target_, std::move(evolution));
  }

  // Of a star, and those whose names the clauses assign to.
  std::vector<size_t> Wanted(const duckdb::MergeIntoStatement& merge) const {
    std::vector<bool> is_wanted(source_.names.size());
    for (const auto& [condition, actions] : merge.actions) {
      for (const auto& action : actions) {
        if (IsStar(*action, true)) return AllOf(source_);
        const auto& assigned =
            action->update_info ? action->update_info->columns : action->insert_columns;
        for (const auto& column : assigned) {
          if (auto place = source_.Find(column)) is_wanted[*place] = true;
        }
      }
    }
    std::vector<size_t> places;
    for (size_t i = 0; i < is_wanted.size(); i++) {
      if (is_wanted[i]) places.push_back(i);
    }
    return places;
  }

  void ExpandStars(duckdb::MergeIntoStatement& merge) const {
    const std::string target_alias =
        merge.target->alias.empty() ? table_.name : merge.target->alias;
    for (auto& [condition, actions] : merge.actions) {
      for (auto& action : actions) {
        if (IsStar(*action, target_.evolves)) ExpandStar(*action, target_alias);
      }
    }
  }

  const Source& source() const { return source_; }

 private:
  // Types that Delta has no place for matter in new columns alone; elsewhere they are cast.
  void AddField(const TableState& state, size_t place,
                std::vector<delta::StructField>& fields) const {
    auto type = FromDuckDB(source_.types[place]);
    if (!type && state.schema()->FindField(source_.names[place])) return;
    delta::StructField field;
    field.name = source_.names[place];
    field.type = OrThrow(std::move(type));
    fields.push_back(std::move(field));
  }

  void ExpandStar(MergeIntoAction& action, const std::string& target_alias) const {
    const bool is_update = action.action_type == MergeActionType::MERGE_UPDATE;
    duckdb::vector<duckdb::string> columns;
    duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> values;
    const auto& fields = prepared_->state()->schema()->fields();
    for (const auto& field : fields) {
      const auto place = source_.Find(field.name);
      if (place) {
        columns.push_back(field.name);
        values.push_back(Value(field, *place, is_update ? target_alias : std::string()));
      } else if (!target_.evolves && !IsGenerated(field)) {
        ThrowUnresolved(field.name);
      }
    }
    action.column_order = duckdb::InsertColumnOrder::INSERT_BY_POSITION;
    if (!is_update) {
      action.insert_columns = std::move(columns);
      action.expressions = std::move(values);
      return;
    }
    action.update_info = duckdb::make_uniq<duckdb::UpdateSetInfo>();
    action.update_info->columns = std::move(columns);
    action.update_info->expressions = std::move(values);
  }

  // The source's value of a column; in an update, `target_alias` names the old row.
  duckdb::unique_ptr<duckdb::ParsedExpression> Value(const delta::StructField& field, size_t place,
                                                     const std::string& target_alias) const {
    const auto type = prepared_->GetColumn(field.name).Type();
    const auto& source_type = source_.types[place];
    auto value = source_.Column(place);
    if (target_alias.empty() || !target_.evolves) return value;
    const duckdb::ColumnRefExpression old_value(field.name, target_alias);
    return Completed(type, source_type, old_value, *value);
  }

  [[noreturn]] void ThrowUnresolved(const std::string& column) const {
    std::string names;
    for (const auto& name : source_.names) names += (names.empty() ? "" : ", ") + name;
    Throw(InvalidArgument("DELTA_MERGE_UNRESOLVED_EXPRESSION",
                          "the source of a MERGE with * has no column \"" + column +
                              "\" of table " + table_.name + "; it has " + names +
                              ". Name the columns, or MERGE WITH SCHEMA EVOLUTION",
                          "42601"));
  }

  duckdb::ClientContext& context_;
  WeirTableEntry& table_;
  WriteTarget& target_;
  const Source source_;
  duckdb::optional_ptr<WeirTableEntry> prepared_;
};

void PrepareMerge(duckdb::ClientContext& context, duckdb::Binder& binder,
                  duckdb::MergeIntoStatement& merge, WeirTableEntry& table, WriteTarget& target) {
  bool has_star = false;
  for (const auto& [condition, actions] : merge.actions) {
    for (const auto& action : actions) has_star = has_star || IsStar(*action, target.evolves);
  }
  Source source;
  if (has_star || target.evolves) source = SourceOf(context, binder, merge);
  Preparation preparation(context, table, target, std::move(source));
  if (target.evolves) {
    preparation.Evolve(preparation.Wanted(merge));
  } else {
    preparation.Prepare(std::nullopt);
  }
  preparation.ExpandStars(merge);
}

// DEFAULT among the values needs the table's columns to be bound.
bool HasDefault(const duckdb::InsertStatement& insert) {
  const auto values = insert.GetValuesList();
  if (!values) return false;
  for (const auto& row : values->Cast<duckdb::ExpressionListRef>().values) {
    for (const auto& value : row) {
      if (value->GetExpressionType() == duckdb::ExpressionType::VALUE_DEFAULT) return true;
    }
  }
  return false;
}

void PrepareInsert(duckdb::ClientContext& context, duckdb::Binder& binder,
                   duckdb::InsertStatement& insert, WeirTableEntry& table, WriteTarget& target) {
  ApplyPartitions(context, insert, table, target);
  // A list of columns names what is there.
  const bool may_evolve =
      target.evolves && insert.columns.empty() && insert.select_statement && !HasDefault(insert);
  if (!may_evolve) {
    Preparation(context, table, target, {}).Prepare(std::nullopt);
    return;
  }
  Source source = SourceOf(context, binder, insert);
  const bool by_name = insert.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME;
  if (!by_name) {
    // The first columns are the table's, whatever the query calls them.
    size_t place = 0;
    for (const auto& column : table.GetColumns().Logical()) {
      if (place < source.names.size()) source.names[place++] = column.Name();
    }
    // VALUES has no names of its own; further ones are called as in Spark.
    for (; insert.GetValuesList() && place < source.names.size(); place++) {
      source.names[place] = "col" + std::to_string(place + 1);
    }
  }
  Preparation preparation(context, table, target, std::move(source));
  preparation.Evolve(AllOf(preparation.source()));
}

duckdb::SQLStatement& Innermost(duckdb::SQLStatement& statement) {
  if (statement.type != duckdb::StatementType::EXPLAIN_STATEMENT) return statement;
  return Innermost(*statement.Cast<duckdb::ExplainStatement>().stmt);
}

duckdb::optional_ptr<WeirTableEntry> FindTable(duckdb::ClientContext& context, std::string catalog,
                                               std::string schema, const std::string& name) {
  duckdb::Binder::BindSchemaOrCatalog(context, catalog, schema);
  auto entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(
      context, catalog, schema, name, duckdb::OnEntryNotFound::RETURN_NULL);
  if (!entry) return nullptr;
  return dynamic_cast<WeirTableEntry*>(entry.get());
}

// `name` is the statement's target.
template <typename Statement, typename Function>
bool PrepareTarget(duckdb::ClientContext& context, duckdb::Binder& binder, Statement& statement,
                   const std::string& catalog, const std::string& schema, duckdb::string& name,
                   Function prepare) {
  WriteTarget target = DecodeWriteTarget(name);
  if (!target.is_pending) return false;
  auto table = FindTable(context, catalog, schema, target.name);
  if (!table) {
    name = target.name;
    return true;
  }
  duckdb::Value setting;
  if (context.TryGetCurrentSetting(kSchemaAutoMerge, setting) && setting.GetValue<bool>()) {
    target.evolves = true;
  }
  prepare(context, binder, statement, *table, target);
  name = EncodeWriteTarget(target);
  return true;
}

}  // namespace

bool PrepareWrite(duckdb::ClientContext& context, duckdb::Binder& binder,
                  duckdb::SQLStatement& outer) {
  auto& statement = Innermost(outer);
  if (statement.type == duckdb::StatementType::INSERT_STATEMENT) {
    auto& insert = statement.Cast<duckdb::InsertStatement>();
    return PrepareTarget(context, binder, insert, insert.catalog, insert.schema, insert.table,
                         PrepareInsert);
  }
  if (statement.type != duckdb::StatementType::MERGE_INTO_STATEMENT) return false;
  auto& merge = statement.Cast<duckdb::MergeIntoStatement>();
  if (merge.target->type != duckdb::TableReferenceType::BASE_TABLE) return false;
  auto& ref = merge.target->Cast<duckdb::BaseTableRef>();
  return PrepareTarget(context, binder, merge, ref.catalog_name, ref.schema_name, ref.table_name,
                       PrepareMerge);
}

}  // namespace weir::engine
