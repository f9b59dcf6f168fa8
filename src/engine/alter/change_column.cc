// SPDX-License-Identifier: Apache-2.0
//
// ALTER COLUMN.
#include <utility>

#include "duckdb/parser/parser.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression_binder/constant_binder.hpp"

#include "base/text.h"
#include "delta/features/features.h"
#include "delta/identity/identity_columns.h"
#include "delta/schema/text_lengths.h"
#include "delta/schema/type_widening.h"
#include "engine/alter/alteration.h"
#include "engine/alter/column_text.h"
#include "engine/alter/row_check.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/write/spark_functions.h"
#include "engine/write/spark_sql.h"
#include "engine/write/table_expression.h"

namespace weir::engine {
namespace {

using delta::ColumnPath;
using delta::StructField;
using delta::TypeKind;

constexpr const char* kComment = "comment";
constexpr const char* kDefault = "CURRENT_DEFAULT";

// Whether the path ends in an array's element or a map's key or value.
bool IsPart(const Alteration& change, const ColumnPath& path) {
  if (path.size() == 1) return false;
  const StructField parent =
      OrThrow(delta::FieldAt(*change.schema, ColumnPath(path.begin(), path.end() - 1)));
  return parent.type->kind() != TypeKind::kStruct;
}

std::string NameOf(const Alteration& change, const ColumnPath& path) {
  return "column " + delta::PathText(path) + " of table " + change.table.name;
}

void CheckType(const Alteration& change, const ColumnPath& path, const delta::DataType& from,
               const delta::DataType& to) {
  const std::string what =
      NameOf(change, path) + " cannot become " + to.ToSql() + ": it is " + from.ToSql();
  switch (from.kind()) {
    case TypeKind::kStruct:
      Throw(UnsupportedFeature("CANNOT_UPDATE_FIELD.STRUCT_TYPE",
                               what + "; change its fields one by one", "0A000"));
    case TypeKind::kArray:
      Throw(UnsupportedFeature("CANNOT_UPDATE_FIELD.ARRAY_TYPE",
                               what + "; change " + delta::PathText(path) + ".element", "0A000"));
    case TypeKind::kMap:
      Throw(UnsupportedFeature("CANNOT_UPDATE_FIELD.MAP_TYPE",
                               what + "; change " + delta::PathText(path) + ".key or .value",
                               "0A000"));
    default:
      break;
  }
  if (!delta::IsUpCast(from, to)) {
    Throw(UnsupportedFeature("NOT_SUPPORTED_CHANGE_COLUMN",
                             what + ", not all of whose values the new type has", "0A000"));
  }
  const TableState& state = *change.table.state();
  const bool is_enabled = delta::IsActive(delta::Feature::kTypeWidening, state.protocol(),
                                          change.metadata, *change.schema) ||
                          delta::IsActive(delta::Feature::kTypeWideningPreview, state.protocol(),
                                          change.metadata, *change.schema);
  if (from.kind() != TypeKind::kVoid && (!is_enabled || !delta::IsTypeChangeSupported(from, to))) {
    Throw(UnsupportedFeature(
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
        what + (is_enabled
                    ? ", which Delta cannot widen to it"
                    : "; widening a type needs the property delta.enableTypeWidening = true"),
        "0AKDC"));
  }
}

// As in Spark: a text may become longer, or one of any length; a CHAR does not stay one.
bool MayBecome(const delta::DataType& from, const delta::DataType& to) {
  const auto old_length = delta::LengthOf(from);
  const auto new_length = delta::LengthOf(to);
  if (!old_length || !new_length) return old_length.has_value();
  return !new_length->is_padded && new_length->characters >= old_length->characters;
}

void ChangeTextLength(Alteration& change, const ColumnPath& path, const delta::DataType& from,
                      const delta::TypePtr& type) {
  if (!MayBecome(from, *type)) {
    Throw(UnsupportedFeature("NOT_SUPPORTED_CHANGE_COLUMN",
                             NameOf(change, path) + " cannot become " + type->ToSql() + ": it is " +
                                 from.ToSql() + ", which can become a longer VARCHAR or a STRING",
                             "0A000"));
  }
  change.schema = OrThrow(delta::EditField(change.schema, path, [&](StructField& edited) -> Status {
    edited.type = type;
    edited = delta::WithStoredLengths(std::move(edited));
    return {};
  }));
}

void ChangeType(Alteration& change, const ColumnPath& path, const delta::DataType& from,
                const delta::TypePtr& type) {
  if (from.kind() == TypeKind::kString && type->kind() == TypeKind::kString)
    return ChangeTextLength(change, path, from, type);
  const StructField field = OrThrow(delta::FieldAt(*change.schema, path));
  CheckType(change, path, *field.type, *type);
  CheckNoDependents(change, path);
  const delta::TypePtr old = change.schema;
  change.schema = OrThrow(delta::EditField(old, path, [&](StructField& edited) -> Status {
    edited.type = type;
    return {};
  }));
  const TableState& state = *change.table.state();
  std::optional<int64_t> version;
  if (delta::IsSupported(state.protocol(), delta::Feature::kTypeWideningPreview))
    version = state.version() + 1;
  change.schema = delta::RecordTypeChanges(change.schema, *old, version);
}

[[noreturn]] void ThrowDefault(const Alteration& change, const ColumnPath& path, const char* name,
                               const std::string& reason) {
  Throw(InvalidArgument(name, "the DEFAULT of " + NameOf(change, path) + " " + reason, "42623"));
}

// As in Spark: a constant whose type can be stored in the column without reading text.
void CheckDefault(const Alteration& change, const ColumnPath& path, const StructField& field,
                  const std::string& text) {
  if (!delta::IsSupported(change.table.state()->protocol(), delta::Feature::kAllowColumnDefaults)) {
    Throw(UnsupportedFeature(
        "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
        NameOf(change, path) +
            " cannot have a DEFAULT: set delta.feature.allowColumnDefaults to 'supported' first",
        "0AKDE"));
  }
  duckdb::unique_ptr<duckdb::Expression> bound;
  try {
    auto parsed = duckdb::Parser::ParseExpressionList(text);
    if (parsed.size() == 1 && parsed[0]->HasSubquery())
      ThrowDefault(change, path, "INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", "holds a query");
    auto binder = duckdb::Binder::CreateBinder(change.context);
    duckdb::ConstantBinder constant(*binder, change.context, "DEFAULT");
    bound = constant.Bind(parsed.at(0));
  } catch (const duckdb::Exception& exception) {
    const duckdb::ErrorData error(exception);
    if (error.RawMessage().find("[INVALID_DEFAULT_VALUE") != std::string::npos) throw;
    ThrowDefault(change, path, "INVALID_DEFAULT_VALUE.NOT_CONSTANT",
                 "is no constant: " + error.RawMessage());
  }
  const auto wanted = OrThrow(ToDuckDB(*field.type));
  const bool is_text = bound->return_type.id() == duckdb::LogicalTypeId::VARCHAR;
  if ((is_text && wanted.id() != duckdb::LogicalTypeId::VARCHAR) ||
      duckdb::CastFunctionSet::ImplicitCastCost(change.context, bound->return_type, wanted) < 0) {
    const bool are_numbers = bound->return_type.IsNumeric() && wanted.IsNumeric();
    if (!are_numbers) {
      ThrowDefault(change, path, "INVALID_DEFAULT_VALUE.DATA_TYPE",
                   "must be " + wanted.ToString() + ", but " + text + " is " +
                       bound->return_type.ToString());
    }
  }
}

// Every row has a value; a struct that is NULL has none in its fields.
void CheckNotNull(Alteration& change, const ColumnPath& path) {
  std::string condition;
  for (const std::string& part : path)
    condition += (condition.empty() ? "" : ".") + QuoteIdentifier(part);
  condition += " IS NOT NULL";
  const int64_t failed =
      CountRowsFailing(change.context, change.table,
                       BindOverColumns(change.context, change.table, ParseDuckDB(condition),
                                       duckdb::LogicalType::BOOLEAN));
  change.reads_rows = true;
  if (failed == 0) return;
  Throw(ConstraintViolated("DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
                           std::to_string(failed) + " rows have NULL in " + NameOf(change, path) +
                               ", which therefore cannot be SET NOT NULL",
                           "23502"));
}

void ChangeNullable(Alteration& change, const ColumnPath& path, bool nullable) {
  for (size_t depth = 1; depth <= path.size(); ++depth) {
    const ColumnPath part(path.begin(), path.begin() + static_cast<long>(depth));
    if (nullable || !IsPart(change, part)) continue;
    Throw(UnsupportedFeature(
        "DELTA_NESTED_NOT_NULL_CONSTRAINT",
        NameOf(change, path) + " lies within an array or a map, where NOT NULL is not enforced",
        "0AKDC"));
  }
  if (!nullable && OrThrow(delta::FieldAt(*change.schema, path)).nullable)
    CheckNotNull(change, path);
}

}  // namespace

void ChangeColumn(Alteration& change, const ColumnPath& named, const ColumnChange& column) {
  const ColumnPath path = OrThrow(delta::ResolvePath(*change.schema, named));
  const StructField before = OrThrow(delta::FieldAt(*change.schema, path));
  // Lengths of texts within other types belong to the whole column.
  const delta::TypePtr declared = path.size() == 1 ? delta::DeclaredTypeOf(before) : before.type;
  const bool changes_type = column.type && !declared->Equals(*column.type);
  const bool changes_more =
      column.sets_comment || column.sets_default || column.nullable || column.place;
  change.is_changed = changes_type || changes_more;
  if (!change.is_changed) return;
  if (delta::IsIdentity(before) && (changes_type || column.nullable || column.sets_default)) {
    Throw(UnsupportedFeature("DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
                             NameOf(change, path) +
                                 " is an identity column: its type, its nullability and its "
                                 "values stay as they are",
                             "429BQ"));
  }
  if (column.sets_comment && IsPart(change, path)) {
    Throw(UnsupportedFeature(
        "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
        NameOf(change, path) + " is a part of an array or a map, which has no comment", "0AKDC"));
  }
  if (column.sets_default && column.default_value)
    CheckDefault(change, path, before, *column.default_value);
  if (column.nullable) ChangeNullable(change, path, *column.nullable);
  const auto edit = [&](StructField& field) -> Status {
    if (column.nullable) field.nullable = *column.nullable;
    if (column.sets_comment) {
      if (column.comment) field.metadata.Set(kComment, JsonValue::String(*column.comment));
      if (!column.comment) field.metadata.Remove(kComment);
    }
    if (column.sets_default) {
      if (column.default_value)
        field.metadata.Set(kDefault, JsonValue::String(InSparkSql(*column.default_value)));
      if (!column.default_value) field.metadata.Remove(kDefault);
    }
    return {};
  };
  change.schema = OrThrow(delta::EditField(change.schema, path, edit));
  StructField described = OrThrow(delta::FieldAt(*change.schema, path));
  if (column.type) described.type = column.type;
  if (changes_type) ChangeType(change, path, *declared, column.type);
  if (column.place) change.schema = OrThrow(delta::MoveField(change.schema, path, *column.place));
  change.operation = "CHANGE COLUMN";
  change.parameters.Set("column", JsonValue::String(DescribeField(described, path).ToString()));
  if (column.place) change.parameters.Set("position", JsonValue::String(column.place->ToString()));
}

}  // namespace weir::engine
