// SPDX-License-Identifier: Apache-2.0
#include "engine/write/row_constraints.h"

#include <algorithm>
#include <utility>

#include "duckdb/common/types/date.hpp"
#include "duckdb/common/types/timestamp.hpp"

#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

using delta::TypeKind;

// Whether values of the type, or of fields within it, can break a rule at all.
bool NeedsCheck(const delta::StructField& field) {
  if (!field.nullable) return true;
  switch (field.type->kind()) {
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return true;
    case TypeKind::kStruct:
      for (const auto& child : field.type->fields()) {
        if (NeedsCheck(child)) return true;
      }
      return false;
    default:
      return false;
  }
}

template <typename T, typename IsFinite>
bool AllFinite(duckdb::UnifiedVectorFormat& data, size_t count, IsFinite is_finite) {
  const auto* items = duckdb::UnifiedVectorFormat::GetData<T>(data);
  for (size_t row = 0; row < count; row++) {
    const auto index = data.sel->get_index(row);
    if (data.validity.RowIsValid(index) && !is_finite(items[index])) return false;
  }
  return true;
}

}  // namespace

RowConstraints::RowConstraints(duckdb::ClientContext& context,
                               std::shared_ptr<const TableLayout> layout,
                               const WeirTableEntry& table, const std::string& replace_condition)
    : context_(context),
      layout_(std::move(layout)),
      table_(table.name),
      text_lengths_(*layout_),
      rules_(BindRowRules(context, table)),
      generated_(BindGeneratedColumns(context, table)) {
  if (!replace_condition.empty()) {
    rules_.push_back(BindReplaceCondition(context, table, replace_condition));
  }
}

RowConstraints::Local RowConstraints::NewLocal() const {
  Local local;
  for (const auto& rule : rules_) {
    local.rules.push_back(std::make_unique<duckdb::ExpressionExecutor>(context_, *rule.condition));
  }
  for (const auto& column : generated_) {
    local.generated.push_back(
        std::make_unique<duckdb::ExpressionExecutor>(context_, *column.value));
  }
  return local;
}

void RowConstraints::Compute(Local& local, const std::vector<size_t>& columns,
                             duckdb::DataChunk& rows) const {
  for (size_t i = 0; i < generated_.size(); i++) {
    const size_t column = generated_[i].column;
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) continue;
    duckdb::Vector values(generated_[i].value->return_type);
    local.generated[i]->ExecuteExpression(rows, values);
    rows.data[column].Reference(values);
  }
}

void RowConstraints::Check(Local& local, duckdb::DataChunk& rows) const {
  const duckdb::ValidityMask all_valid;
  for (size_t i = 0; i < layout_->columns.size(); i++) {
    const auto& field = layout_->columns[i].field;
    if (NeedsCheck(field)) CheckField(rows.data[i], rows.size(), field, "", all_valid);
  }
  text_lengths_.Check(rows, table_);
  for (size_t i = 0; i < rules_.size(); i++) CheckRule(*local.rules[i], rules_[i], rows);
}

// As in Spark, NULL is no more a pass than FALSE.
void RowConstraints::CheckRule(duckdb::ExpressionExecutor& executor, const RowRule& rule,
                               duckdb::DataChunk& rows) const {
  duckdb::SelectionVector passed(rows.size());
  duckdb::SelectionVector failed(rows.size());
  const size_t count = executor.SelectExpression(rows, passed, failed, nullptr, rows.size());
  if (count == rows.size()) return;
  std::string values;
  for (size_t i = 0; i < layout_->columns.size(); i++) {
    values += "\n - " + layout_->columns[i].field.name + " : " +
              rows.GetValue(i, failed.get_index(0)).ToString();
  }
  Throw(ConstraintViolated(rule.error,
                           "table " + table_ + ", constraint " + rule.name + " (" + rule.text +
                               ") is violated by the row with values:" + values,
                           "23001"));
}

void RowConstraints::CheckField(duckdb::Vector& values, size_t count,
                                const delta::StructField& field, const std::string& parent,
                                const duckdb::ValidityMask& parent_valid) const {
  const std::string name = parent.empty() ? field.name : parent + "." + field.name;
  duckdb::UnifiedVectorFormat data;
  values.ToUnifiedFormat(count, data);
  if (!field.nullable && !(data.validity.AllValid() && parent_valid.AllValid())) {
    for (size_t row = 0; row < count; row++) {
      // As in Spark, a struct that is NULL has NULL in its fields too.
      if (parent_valid.RowIsValid(row) && data.validity.RowIsValid(data.sel->get_index(row)))
        continue;
      Throw(ConstraintViolated("DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
                               "a row has NULL in column \"" + name + "\" of table " + table_ +
                                   ", which is declared NOT NULL",
                               "23502"));
    }
  }
  bool representable = true;
  if (field.type->kind() == TypeKind::kDate) {
    representable = AllFinite<duckdb::date_t>(data, count, duckdb::Date::IsFinite);
  } else if (field.type->kind() == TypeKind::kTimestamp ||
             field.type->kind() == TypeKind::kTimestampNtz) {
    representable = AllFinite<duckdb::timestamp_t>(
        data, count, [](duckdb::timestamp_t value) { return duckdb::Timestamp::IsFinite(value); });
  } else if (field.type->kind() == TypeKind::kStruct) {
    duckdb::Vector flat(values.GetType());
    flat.Reference(values);
    flat.Flatten(count);
    duckdb::ValidityMask valid(count);
    for (size_t row = 0; row < count; row++) {
      if (!duckdb::FlatVector::Validity(flat).RowIsValid(row) || !parent_valid.RowIsValid(row)) {
        valid.SetInvalid(row);
      }
    }
    auto& entries = duckdb::StructVector::GetEntries(flat);
    for (size_t i = 0; i < entries.size(); i++) {
      const auto& child = field.type->fields()[i];
      if (NeedsCheck(child)) CheckField(*entries[i], count, child, name, valid);
    }
  }
  if (!representable) {
    Throw(InvalidArgument("DELTA_VALUE_NOT_REPRESENTABLE",
                          "a row has 'infinity' in column \"" + name + "\" of table " + table_ +
                              "; Delta's dates and timestamps are finite, use NULL or a far date",
                          "22008"));
  }
}

}  // namespace weir::engine
