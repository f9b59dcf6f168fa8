// SPDX-License-Identifier: Apache-2.0
//
// Rules about the rows themselves: NOT NULL, CHECK constraints, invariants, generated columns; row
// ids; identity columns.
#include <fmt/format.h>

#include "base/text.h"
#include "delta/commit/pending_commit.h"
#include "delta/features/features.h"
#include "delta/row_tracking/row_tracking.h"
#include "engine/check/data_rules.h"
#include "engine/write/spark_functions.h"
#include "engine/write/table_expression.h"

namespace weir::engine {
namespace {

constexpr const char* kConstraintPrefix = "delta.constraints.";
constexpr const char* kBrokenRow =
    "a writer did not check it: find the rows with a query, and UPDATE or DELETE them";

// How many rows the condition holds for.
Result<int64_t> CountRows(const DataCheck& table, const std::string& condition) {
  WEIR_ASSIGN_OR_RETURN(const auto result, table.Query("SELECT count(*) FROM " + table.ScanSql() +
                                                       " AS t WHERE " + condition));
  return result->GetValue(0, 0).GetValue<int64_t>();
}

// An expression that DuckDB does not understand decides nothing.
void ReportRows(const DataCheck& table, const char* rule, const std::string& what,
                const std::string& condition) {
  const auto count = CountRows(table, condition);
  if (count && *count > 0)
    table.Report(rule, "", fmt::format("{} rows break {}", *count, what), kBrokenRow);
}

// Fields of structs count where the struct is there.
void CheckNotNull(const DataCheck& table, const delta::DataType& type, const std::string& parent,
                  const std::string& name) {
  for (const delta::StructField& field : type.fields()) {
    const std::string sql = parent + "." + QuoteIdentifier(field.name);
    const std::string full = name.empty() ? field.name : name + "." + field.name;
    const std::string parent_there = name.empty() ? "" : " AND " + parent + " IS NOT NULL";
    if (!field.nullable)
      ReportRows(table, "not-null", full + " NOT NULL", sql + " IS NULL" + parent_there);
    if (field.type->kind() == delta::TypeKind::kStruct) CheckNotNull(table, *field.type, sql, full);
  }
}

// Reports the rows for which the expression of the log, set between `before` and `behind`, holds.
void CheckExpression(const DataCheck& table, const std::string& what, const std::string& text,
                     const std::string& before, const std::string& behind) {
  try {
    ReportRows(table, "constraint", what + " (" + text + ")",
               before + "(" + ParseSpark(text)->ToString() + ")" + behind);
  } catch (const duckdb::Exception&) {
    // As one that DuckDB cannot bind.
  }
}

void CheckCondition(const DataCheck& table, const std::string& what, const std::string& text) {
  CheckExpression(table, what, text, "", " IS NOT TRUE");
}

// Whether an expression gives another value each time, so that old rows cannot be held to it.
bool IsVolatile(std::string_view text) {
  const std::string lower = ToLowerAscii(text);
  for (const char* word : {"now(", "current_", "rand(", "random(", "uuid(", "unix_timestamp()"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

std::optional<int64_t> Number(const delta::StructField& field, std::string_view key) {
  const JsonValue* value = field.metadata.Find(key);
  return value ? value->AsInt64() : std::nullopt;
}

}  // namespace

Status CheckRowRules(const DataCheck& table) {
  const delta::Snapshot& snapshot = table.snapshot();
  CheckNotNull(table, *snapshot.schema(), "t", "");
  for (const auto& [key, text] : snapshot.metadata().configuration) {
    if (StartsWith(key, kConstraintPrefix))
      CheckCondition(table,
                     "CHECK constraint " + key.substr(std::string_view(kConstraintPrefix).size()),
                     text);
  }
  for (const delta::StructField& field : snapshot.schema()->fields()) {
    if (const std::string* invariant = field.MetadataText("delta.invariants"))
      CheckCondition(table, "the invariant of " + field.name, InvariantText(*invariant));
    const std::string* text = field.MetadataText("delta.generationExpression");
    if (text != nullptr && !IsVolatile(*text))
      CheckExpression(table, "generated column " + field.name, *text,
                      "t." + QuoteIdentifier(field.name) + " IS DISTINCT FROM ", "");
  }
  return {};
}

Status CheckRowIds(const DataCheck& table) {
  const delta::Snapshot& snapshot = table.snapshot();
  if (!delta::IsSupported(snapshot.protocol(), delta::Feature::kRowTracking) ||
      !delta::IsPropertyTrue(snapshot.metadata(), "delta.enableRowTracking"))
    return {};
  WEIR_ASSIGN_OR_RETURN(
      const auto result,
      table.Query("SELECT count(*), count(id), count(DISTINCT id), coalesce(max(id), -1) "
                  "FROM (SELECT _metadata.row_id AS id FROM " +
                  table.ScanSql() + ")"));
  const auto number = [&](duckdb::idx_t column) {
    return result->GetValue(column, 0).GetValue<int64_t>();
  };
  constexpr const char* kRemedy =
      "ALTER TABLE ... DROP FEATURE rowTracking and enable it again, which numbers all rows anew";
  const auto domain = snapshot.domains().find("delta.rowTracking");
  const auto mark = domain == snapshot.domains().end()
                        ? Result<int64_t>(-1)
                        : delta::ReadHighWaterMark(domain->second.configuration);
  if (number(1) < number(0))
    table.Report("row-id-unique", "", fmt::format("{} rows have no row id", number(0) - number(1)),
                 kRemedy);
  if (number(2) < number(1))
    table.Report("row-id-unique", "", fmt::format("{} rows share {} row ids", number(1), number(2)),
                 kRemedy);
  if (mark && number(3) > *mark)
    table.Report(
        "row-id-unique", "",
        fmt::format("there is a row id {}, but the high-water mark is {}", number(3), *mark),
        kRemedy);
  return {};
}

Status CheckIdentity(const DataCheck& table) {
  for (const delta::StructField& field : table.snapshot().schema()->fields()) {
    const auto step = Number(field, "delta.identity.step");
    const auto mark = Number(field, "delta.identity.highWaterMark");
    const JsonValue* explicit_values = field.metadata.Find("delta.identity.allowExplicitInsert");
    if (!step || !mark || (explicit_values != nullptr && explicit_values->bool_value())) continue;
    const std::string beyond =
        fmt::format("t.{} {} {}", QuoteIdentifier(field.name), *step > 0 ? ">" : "<", *mark);
    WEIR_ASSIGN_OR_RETURN(const int64_t count, CountRows(table, beyond));
    if (count > 0)
      table.Report(
          "identity", "",
          fmt::format("{} rows of identity column {} lie beyond its mark {}", count, field.name,
                      *mark),
          "the same values will be given again: ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY");
  }
  return {};
}

}  // namespace weir::engine
