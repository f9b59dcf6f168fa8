// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/text.h"
#include "delta/constraints/check_constraints.h"
#include "engine/alter/alteration.h"
#include "engine/alter/row_check.h"
#include "engine/duckdb_errors.h"
#include "engine/write/spark_functions.h"
#include "engine/write/spark_sql.h"
#include "engine/write/table_expression.h"

namespace weir::engine {
namespace {

// Spark's names for what is wrong with a condition.
[[noreturn]] void ThrowUnbindable(const std::string& what, const duckdb::Exception& exception) {
  const duckdb::ErrorData error(exception);
  const std::string reason = what + ": " + error.RawMessage();
  if (error.Type() == duckdb::ExceptionType::PARSER)
    Throw(InvalidArgument("PARSE_SYNTAX_ERROR", reason, "42601"));
  if (error.RawMessage().find("not found") != std::string::npos ||
      error.RawMessage().find("does not contain column") != std::string::npos) {
    Throw(InvalidArgument("UNRESOLVED_COLUMN.WITH_SUGGESTION", reason, "42703"));
  }
  Throw(InvalidArgument("INVALID_WHERE_CONDITION", reason, "42903"));
}

duckdb::unique_ptr<duckdb::Expression> BindCondition(Alteration& change, const std::string& what,
                                                     const std::string& condition) {
  try {
    return BindOverColumns(change.context, change.table, ParseSpark(InSparkSql(condition)),
                           duckdb::LogicalTypeId::INVALID);
  } catch (const duckdb::Exception& exception) {
    ThrowUnbindable(what, exception);
  }
}

}  // namespace

void AddConstraint(Alteration& change, const std::string& name, const std::string& condition) {
  const std::string& table = change.table.name;
  if (delta::FindConstraint(change.metadata, name) != nullptr) {
    Throw(AlreadyExists("DELTA_CONSTRAINT_ALREADY_EXISTS",
                        "table " + table + " already has a constraint '" + name +
                            "'; drop it first, or choose another name",
                        "42710"));
  }
  const std::string what = "CHECK constraint '" + name + "' (" + condition + ") of table " + table;
  auto bound = BindCondition(change, what, condition);
  if (bound->return_type.id() != duckdb::LogicalTypeId::BOOLEAN) {
    Throw(InvalidArgument(
        "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
        what + " must be a condition, but it gives " + bound->return_type.ToString(), "42621"));
  }
  const int64_t failed = CountRowsFailing(change.context, change.table, std::move(bound));
  if (failed > 0) {
    Throw(ConstraintViolated("DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
                             std::to_string(failed) + " rows of table " + table +
                                 " violate the new CHECK constraint (" + condition +
                                 "); a row for which it is NULL violates it too",
                             "23512"));
  }
  const std::string text = InSparkSql(condition);
  change.metadata.configuration[delta::ConstraintKey(name)] = text;
  change.reads_rows = true;
  change.operation = "ADD CONSTRAINT";
  change.parameters.Set("name", JsonValue::String(name));
  change.parameters.Set("expr", JsonValue::String(text));
}

void DropConstraint(Alteration& change, const std::string& name, bool if_exists) {
  const std::string* condition = delta::FindConstraint(change.metadata, name);
  if (condition == nullptr && !if_exists) {
    Throw(NotFound("DELTA_CONSTRAINT_DOES_NOT_EXIST",
                   "table " + change.table.name + " has no constraint '" + name +
                       "' to drop; DROP CONSTRAINT IF EXISTS does not mind",
                   "42704"));
  }
  change.operation = "DROP CONSTRAINT";
  change.parameters.Set("name", JsonValue::String(name));
  if (condition != nullptr) change.parameters.Set("expr", JsonValue::String(*condition));
  change.parameters.Set("existed", JsonValue::String(condition != nullptr ? "true" : "false"));
  std::erase_if(change.metadata.configuration, [&](const auto& property) {
    return EqualsIgnoreCase(property.first, delta::ConstraintKey(name));
  });
}

}  // namespace weir::engine
