// SPDX-License-Identifier: Apache-2.0
#include "feed/load/stage.h"

#include <array>
#include <set>

#include "feed/load/portable_type.h"
#include "feed/load/source_database.h"

namespace weir::feed {
namespace {

constexpr std::array<std::string_view, 10> kReserved = {
    "ETL_Date",   "ETL_EndDate",   "IsCurrent", "KeyHash",   "RowHash",
    "YresAction", "YresDateStart", "YresYear",  "YresMonth", "YresDelta"};

std::string Reader(const TableSource& from, const SourceDatabase& database) {
  if (from.is_database()) return database.Relation();
  std::string arguments = QuoteLiteral(from.text);
  for (const auto& [name, value] : from.options) arguments += ", " + name + " = " + value;
  switch (from.kind) {
    case TableSource::Kind::kParquet:
      return "read_parquet(" + arguments + ")";
    case TableSource::Kind::kCsv:
      return "read_csv(" + arguments + ")";
    case TableSource::Kind::kJson:
      return "read_json(" + arguments + ")";
    case TableSource::Kind::kDelta:
      return "weir_scan(" + arguments + ")";
    default:
      break;
  }
  std::string query(Trim(from.text));
  while (EndsWith(query, ";")) query.pop_back();
  return "(" + query + "\n) q";
}

Error SourceError(const UsedTable& table, const Error& cause) {
  const bool missing = cause.message.find("No files found") != std::string::npos ||
                       cause.kind == ErrorKind::kNotFound;
  const std::string message = "table " + table.display() + ": its source (" +
                              SourceName(table.from) +
                              ") cannot be read: " + WithoutConnection(table.from, cause.message);
  return missing ? NotFound("WEIR_FEED_SOURCE_MISSING", message)
                 : Error{cause.kind, "WEIR_FEED_SOURCE_INVALID", message, cause.sqlstate};
}

Status CheckColumns(const UsedTable& table, const std::vector<Column>& columns) {
  std::set<std::string> seen;
  for (const Column& column : columns) {
    for (std::string_view reserved : kReserved) {
      if (!EqualsIgnoreCase(reserved, column.name)) continue;
      return Fail(InvalidArgument("WEIR_FEED_RESERVED_COLUMN",
                                  "table " + table.display() + ": its source has a column " +
                                      column.name +
                                      ", which the feed adds itself; rename it in a "
                                      "`query`"));
    }
    if (!seen.insert(ToLowerAscii(column.name)).second) {
      return Fail(InvalidArgument(
          "WEIR_FEED_DUPLICATE_COLUMN",
          "table " + table.display() + ": its source has two columns " + column.name));
    }
  }
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const std::string& key : table.keys) wanted.emplace_back("key", key);
  for (const std::string& name : table.tracked) wanted.emplace_back("tracked", name);
  if (!table.delta_column.empty()) wanted.emplace_back("delta", table.delta_column);
  for (const auto& [what, name] : wanted) {
    if (FindColumn(columns, name) != nullptr) continue;
    return Fail(InvalidArgument("WEIR_FEED_COLUMN_MISSING",
                                "table " + table.display() + ": its source has no " + what +
                                    " column " + name + "; it has " +
                                    Join(columns, ", ", [](const Column& c) { return c.name; })));
  }
  return {};
}

std::string KeyHash(const UsedTable& table, const std::vector<Column>& columns) {
  if (table.keys.empty()) {  // ADDITIONAL: the whole row is what it is known by
    return "weir_row_hash(" +
           Join(columns, ", ",
                [](const Column& column) {
                  return QuoteLiteral(column.name) + ", " + QuoteIdentifier(column.name);
                }) +
           ")";
  }
  return "weir_row_hash(" +
         Join(table.keys, ", ",
              [](const std::string& key) { return "'', " + QuoteIdentifier(key); }) +
         ")";
}

bool IsKey(const UsedTable& table, const std::string& name) {
  for (const std::string& key : table.keys) {
    if (EqualsIgnoreCase(key, name)) return true;
  }
  return false;
}

// In the order of names, so that the order of a file's columns does not matter.
std::string RowHash(const UsedTable& table, const std::vector<Column>& columns) {
  std::set<std::string> names;
  for (const std::string& name : table.tracked) names.insert(ToLowerAscii(name));
  if (table.tracked.empty()) {
    for (const Column& column : columns) {
      if (!IsKey(table, column.name)) names.insert(ToLowerAscii(column.name));
    }
  }
  if (names.empty()) return "weir_sha512('')";
  return "weir_row_hash(" +
         Join(names, ", ",
              [](const std::string& name) {
                return QuoteLiteral(name) + ", " + QuoteIdentifier(name);
              }) +
         ")";
}

std::string KeyNames(const UsedTable& table) {
  return Join(table.keys, ", ", [](const std::string& key) { return QuoteIdentifier(key); });
}

Status CheckNullKeys(engine::Session& session, const UsedTable& table, const Stage& stage) {
  for (const std::string& key : table.keys) {
    WEIR_ASSIGN_OR_RETURN(const auto nulls,
                          session.QueryInt64("SELECT count(*) FROM " + stage.table + " WHERE " +
                                             QuoteIdentifier(key) + " IS NULL"));
    if (nulls.value_or(0) == 0) continue;
    return Fail(ConstraintViolated(
        "WEIR_FEED_NULL_KEY", "table " + table.display() + ": key column " + key + " is NULL in " +
                                  std::to_string(*nulls) + " of " + std::to_string(stage.rows) +
                                  " rows; nothing was loaded"));
  }
  return {};
}

// Grouping by 64 bytes takes long: only rows that share 8 bytes of a hash of them can be equal.
Status CheckDuplicates(engine::Session& session, const UsedTable& table, const Stage& stage) {
  WEIR_ASSIGN_OR_RETURN(
      const auto rows,
      Rows(session, "SELECT CAST((" +
                        Join(table.keys, ", ",
                             [](const std::string& key) {
                               return "any_value(" + QuoteIdentifier(key) + ")";
                             }) +
                        ") AS VARCHAR), count(*), count(*) OVER () FROM " + stage.table +
                        " WHERE hash(\"KeyHash\") IN (SELECT hash(\"KeyHash\") FROM " +
                        stage.table + " GROUP BY 1 HAVING count(*) > 1)" +
                        " GROUP BY \"KeyHash\" HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 1"));
  if (rows.empty()) return {};
  return Fail(ConstraintViolated(
      "WEIR_FEED_DUPLICATE_KEY",
      "table " + table.display() + ": " + rows[0][2].value_or("") +
          " key(s) come more than once, " + "as (" + KeyNames(table) +
          ") = " + rows[0][0].value_or("") + " in " + rows[0][1].value_or("") +
          " rows; nothing was loaded. " +
          (table.keep_last_duplicate
               ? "Their last rows have the same value of " + table.delta_column
               : std::string("`duplicates: last` keeps the row with the highest delta column"))));
}

// The value of an expression as a literal of the delta column's type; empty for NULL.
Result<std::string> Boundary(engine::Session& session, const UsedTable& table, const Stage& stage,
                             const std::string& expression, const std::string& from) {
  const std::string type = FindColumn(stage.columns, table.delta_column)->type;
  const auto rows =
      Rows(session, "SELECT CAST(CAST((" + expression + ") AS " + type + ") AS VARCHAR)" + from);
  if (!rows) {
    return Fail(InvalidArgument("WEIR_FEED_CONFIG_BAD_VALUE",
                                "table " + table.display() + ": `delta_from` (" + expression +
                                    ") gives no " + type + ": " + rows.error().message));
  }
  const auto& value = (*rows)[0][0];
  return value ? "CAST(" + QuoteLiteral(*value) + " AS " + type + ")" : std::string();
}

// Of the rows of one key, those with the highest delta value; several equal rows are one.
Status KeepLast(engine::Session& session, const UsedTable& table, const Stage& stage) {
  const std::string delta = QuoteIdentifier(table.delta_column);
  return session.Execute("CREATE OR REPLACE TABLE " + stage.table + " AS SELECT * FROM " +
                         stage.table + " QUALIFY rank() OVER (PARTITION BY \"KeyHash\" ORDER BY " +
                         delta +
                         " DESC NULLS LAST) = 1 AND row_number() OVER (PARTITION BY \"KeyHash\", "
                         "\"RowHash\" ORDER BY " +
                         delta + " DESC NULLS LAST) = 1");
}

// The columns that the source gives, of portable types. Reads no rows beyond what the reader looks
// at for types.
Result<std::vector<Column>> SourceColumns(engine::Session& session, const UsedTable& table,
                                          const std::string& reader) {
  auto columns = Describe(session, "SELECT * FROM " + reader);
  if (!columns) return Fail(SourceError(table, columns.error()));
  WEIR_RETURN_IF_ERROR(CheckColumns(table, *columns));
  for (Column& column : *columns) column.type = PortableType(column.type);
  return columns;
}

}  // namespace

Result<Stage> StageRows(engine::Session& session, const UsedTable& table, LoadType load_type) {
  Stage stage;
  stage.table = "memory.main." + QuoteIdentifier("stage_" + table.id());
  SourceDatabase database(session, table);
  WEIR_RETURN_IF_ERROR(database.Attach());
  const std::string reader = Reader(table.from, database);
  WEIR_ASSIGN_OR_RETURN(stage.columns, SourceColumns(session, table, reader));
  std::string query = "SELECT " +
                      Join(stage.columns, ", ",
                           [](const Column& column) {
                             return "CAST(" + QuoteIdentifier(column.name) + " AS " + column.type +
                                    ") AS " + QuoteIdentifier(column.name);
                           }) +
                      " FROM " + reader;
  const std::string delta = QuoteIdentifier(table.delta_column);
  const bool windowed = load_type == LoadType::kDeltaImage;
  if ((windowed || load_type == LoadType::kDelta) && !table.delta_from.empty()) {
    WEIR_ASSIGN_OR_RETURN(stage.boundary, Boundary(session, table, stage, table.delta_from, ""));
    query = "SELECT * FROM (" + query + ") WHERE " + delta + " >= " + stage.boundary + " OR " +
            delta + " IS NULL";
  }
  const Status staged = session.Execute(
      "CREATE OR REPLACE TABLE " + stage.table + " AS SELECT *, " + KeyHash(table, stage.columns) +
      " AS \"KeyHash\", " + RowHash(table, stage.columns) + " AS \"RowHash\" FROM (" + query + ")");
  if (!staged) return Fail(SourceError(table, staged.error()));
  WEIR_RETURN_IF_ERROR(CheckNullKeys(session, table, stage));
  if (load_type != LoadType::kAdditional) {
    if (table.keep_last_duplicate) WEIR_RETURN_IF_ERROR(KeepLast(session, table, stage));
    WEIR_RETURN_IF_ERROR(CheckDuplicates(session, table, stage));
  }
  WEIR_ASSIGN_OR_RETURN(const auto rows, session.QueryInt64("SELECT count(*) FROM " + stage.table));
  stage.rows = rows.value_or(0);
  if (windowed && table.delta_from.empty()) {
    WEIR_ASSIGN_OR_RETURN(stage.boundary, Boundary(session, table, stage, "min(" + delta + ")",
                                                   " FROM " + stage.table));
  }
  return stage;
}

void DropStage(engine::Session& session, const Stage& stage) {
  if (!stage.table.empty()) (void)session.Execute("DROP TABLE IF EXISTS " + stage.table);
}

}  // namespace weir::feed
