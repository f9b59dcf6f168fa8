// SPDX-License-Identifier: Apache-2.0
#include "feed/views/read_objects.h"

#include <algorithm>

#include "feed/load/feed_files.h"
#include "feed/load/load_log.h"
#include "feed/views/dialect.h"

namespace weir::feed {
namespace {

constexpr const char* kAttached = "read_objects";

// What a feed row has behind the business columns.
constexpr std::string_view kFeedColumns[] = {"ETL_Date", "KeyHash", "RowHash", "YresAction",
                                             "YresDateStart"};

std::vector<Column> AllColumns(const std::vector<Generation>& generations) {
  std::vector<Column> columns;
  for (const Generation& generation : generations) {
    for (const Column& column : generation.columns) {
      if (FindColumn(columns, column.name) == nullptr) columns.push_back(column);
    }
  }
  for (Column& column : columns) {
    std::vector<std::string> types;
    for (const Generation& generation : generations) {
      const Column* own = FindColumn(generation.columns, column.name);
      if (own != nullptr) types.push_back(own->type);
    }
    column.type = WidestType(types);
  }
  return columns;
}

class Builder {
 public:
  Builder(const FeedProject& project, const UsedTable& table,
          const std::vector<Generation>& generations, Dialect dialect)
      : project_(project), table_(table), dialect_(dialect), columns_(AllColumns(generations)) {}

  ReadObject OfGeneration(const Generation& generation, bool has_files) const {
    const FilesRelation files = ReadFiles(project_, table_, generation, dialect_);
    std::string query = "SELECT ";
    for (const Column& column : generation.columns) {
      const std::string quoted = Quote(dialect_, column.name);
      query += (has_files ? quoted : TypedNull(dialect_, column.type) + " AS " + quoted) + ", ";
    }
    const std::string name = table_.table + "_Feed_g" + std::to_string(generation.number);
    if (!has_files) {
      return {name, query +
                        "CAST(NULL AS TIMESTAMP) AS \"ETL_Date\", CAST(NULL AS BLOB) AS "
                        "\"KeyHash\", CAST(NULL AS BLOB) AS \"RowHash\", CAST(NULL AS VARCHAR) "
                        "AS \"YresAction\", CAST(NULL AS TIMESTAMP) AS \"YresDateStart\", "
                        "CAST(NULL AS INTEGER) AS \"YresYear\", CAST(NULL AS INTEGER) AS "
                        "\"YresMonth\" WHERE false"};
    }
    for (std::string_view column : kFeedColumns)
      query += Quote(dialect_, std::string(column)) + ", ";
    return {name, query + files.year + " AS " + Quote(dialect_, "YresYear") + ", " + files.month +
                      " AS " + Quote(dialect_, "YresMonth") + " FROM " + files.from};
  }

  // Every generation with the columns of all.
  ReadObject Feed(const std::vector<Generation>& generations,
                  const std::vector<ReadObject>& objects) const {
    std::string query;
    for (size_t i = 0; i < generations.size(); ++i) {
      query += query.empty() ? "SELECT " : " UNION ALL SELECT ";
      for (const Column& column : columns_) {
        const Column* own = FindColumn(generations[i].columns, column.name);
        const std::string quoted = Quote(dialect_, column.name);
        std::string value = own == nullptr ? TypedNull(dialect_, column.type) : quoted;
        if (own != nullptr && own->type != column.type)
          value = "CAST(" + quoted + " AS " + TypeName(dialect_, column.type) + ")";
        query += (value == quoted ? quoted : value + " AS " + quoted) + ", ";
      }
      query += FeedNames() + " FROM " + Relation(objects[i], "g" + std::to_string(i + 1));
    }
    return {table_.table + "_Feed", query};
  }

  ReadObject History(const ReadObject& feed) const {
    const std::string start = Quote(dialect_, "YresDateStart");
    const std::string next = Quote(dialect_, "YresNext");
    std::string columns = "SELECT ";
    for (const Column& column : columns_) columns += Quote(dialect_, column.name) + ", ";
    columns += start + " AS " + Quote(dialect_, "ETL_Date") + ", ";
    const std::string rest = Quote(dialect_, "KeyHash") + ", " + Quote(dialect_, "RowHash") + ", " +
                             Quote(dialect_, "YresYear") + ", " + Quote(dialect_, "YresMonth");
    const std::string living = " WHERE " + Quote(dialect_, "YresAction") + " <> 'D'";
    const std::string end = " AS " + Quote(dialect_, "ETL_EndDate") + ", ";
    const std::string current = " AS " + Quote(dialect_, "IsCurrent") + ", ";
    if (table_.load_type == LoadType::kAdditional) {
      return {table_.table, columns + OpenEnd(dialect_) + end + "1" + current + rest + " FROM " +
                                Relation(feed, "f") + living};
    }
    return {table_.table, columns + "COALESCE(" + next + ", " + OpenEnd(dialect_) + ")" + end +
                              "CASE WHEN " + next + " IS NULL THEN 1 ELSE 0 END" + current + rest +
                              " FROM (SELECT f.*, LEAD(" + start + ") OVER (PARTITION BY " +
                              Quote(dialect_, "KeyHash") + " ORDER BY " + start + ") AS " + next +
                              " FROM " + Relation(feed, "f") + ") v" + living};
  }

 private:
  std::string FeedNames() const {
    std::string names;
    for (std::string_view column : kFeedColumns)
      names += Quote(dialect_, std::string(column)) + ", ";
    return names + Quote(dialect_, "YresYear") + ", " + Quote(dialect_, "YresMonth");
  }

  // In DuckDB each view stands for itself, so that it does not matter under which name a client
  // attaches the file.
  std::string Relation(const ReadObject& object, const std::string& alias) const {
    if (dialect_ == Dialect::kDuckDB) return "(" + object.query + ") " + alias;
    return Quote(dialect_, project_.schema_dl) + "." + Quote(dialect_, object.name) + " " + alias;
  }

  const FeedProject& project_;
  const UsedTable& table_;
  Dialect dialect_;
  std::vector<Column> columns_;
};

Result<std::vector<ReadObject>> Objects(engine::Session& session, const FeedProject& project,
                                        const UsedTable& table, Dialect dialect) {
  WEIR_ASSIGN_OR_RETURN(const bool has_log, HasLogTables(session));
  std::vector<Generation> generations;
  if (has_log) {
    WEIR_ASSIGN_OR_RETURN(generations, ReadGenerations(session, table));
  }
  std::vector<bool> has_files;
  for (const Generation& generation : generations) {
    WEIR_ASSIGN_OR_RETURN(const auto files, FeedFiles(session, project, table, generation.number));
    has_files.push_back(!files.empty());
  }
  if (std::ranges::find(has_files, true) == has_files.end() &&
      (dialect != Dialect::kDuckDB || generations.empty())) {
    return Fail(NotFound("WEIR_FEED_NOT_LOADED",
                         "table " + table.display() +
                             " has no feed files yet; run `weir feed load " + table.id() + "`"));
  }
  return ReadObjectsOf(project, table, generations, has_files, dialect);
}

Status MakeViews(engine::Session& session, const FeedProject& project, const UsedTable& table) {
  WEIR_ASSIGN_OR_RETURN(const auto objects, Objects(session, project, table, Dialect::kDuckDB));
  const std::string schema = std::string(kAttached) + "." + QuoteIdentifier(project.schema_dl);
  WEIR_RETURN_IF_ERROR(session.Execute("CREATE SCHEMA IF NOT EXISTS " + schema));
  for (const ReadObject& object : objects) {
    WEIR_RETURN_IF_ERROR(session.Execute("CREATE OR REPLACE VIEW " + schema + "." +
                                         QuoteIdentifier(object.name) + " AS " + object.query));
  }
  return {};
}

Status AttachReadDatabase(engine::Session& session, const FeedProject& project, bool read_only) {
  return session.Execute("ATTACH " + QuoteLiteral(project.read_database.string()) + " AS " +
                         kAttached + " (TYPE duckdb" + (read_only ? ", READ_ONLY" : "") + ")");
}

}  // namespace

std::vector<ReadObject> ReadObjectsOf(const FeedProject& project, const UsedTable& table,
                                      const std::vector<Generation>& generations,
                                      const std::vector<bool>& has_files, Dialect dialect) {
  std::vector<Generation> used;
  std::vector<bool> used_files;
  for (size_t i = 0; i < generations.size(); ++i) {
    if (!has_files[i] && dialect != Dialect::kDuckDB) continue;
    used.push_back(generations[i]);
    used_files.push_back(has_files[i]);
  }
  const Builder builder(project, table, used, dialect);
  std::vector<ReadObject> objects;
  for (size_t i = 0; i < used.size(); ++i)
    objects.push_back(builder.OfGeneration(used[i], used_files[i]));
  objects.push_back(builder.Feed(used, objects));
  objects.push_back(builder.History(objects.back()));
  return objects;
}

Result<std::string> ReadObjectScript(engine::Session& session, const FeedProject& project,
                                     const std::vector<const UsedTable*>& tables, Dialect dialect) {
  if (project.lake_location.empty()) {
    return Fail(InvalidArgument("WEIR_FEED_LAKE_LOCATION_UNSET",
                                project.file.string() + ": `settings` has no LakeLocation"));
  }
  const std::string schema = project.schema_dl.empty() ? "DL" : project.schema_dl;
  const std::string quoted = Quote(dialect, schema);
  const bool tsql = dialect == Dialect::kTSql || dialect == Dialect::kFabric;
  std::string script;
  if (dialect == Dialect::kTSql) {
    script +=
        "IF NOT EXISTS (SELECT 1 FROM sys.external_data_sources WHERE name = 'YresLake')\n"
        "  CREATE EXTERNAL DATA SOURCE YresLake WITH (LOCATION = " +
        QuoteLiteral(ExternalLocation(project)) + ");\nGO\n";
  }
  script += tsql ? "IF SCHEMA_ID(" + QuoteLiteral(schema) + ") IS NULL EXEC('CREATE SCHEMA " +
                       quoted + "');\nGO\n"
                 : "CREATE SCHEMA IF NOT EXISTS " + quoted + ";\n";
  FeedProject named = project;
  named.schema_dl = schema;
  for (const UsedTable* table : tables) {
    if (!table->on_lake) continue;
    WEIR_ASSIGN_OR_RETURN(const auto objects, Objects(session, named, *table, dialect));
    for (const ReadObject& object : objects) {
      script += (tsql ? "CREATE OR ALTER VIEW " : "CREATE OR REPLACE VIEW ") + quoted + "." +
                Quote(dialect, object.name) + " AS\n" + object.query + ";\n" + (tsql ? "GO\n" : "");
    }
  }
  return script;
}

Result<std::vector<std::string>> KeepReadObjects(engine::Session& session,
                                                 const FeedProject& project,
                                                 const std::vector<const UsedTable*>& tables,
                                                 const std::string& run_id) {
  std::vector<std::string> warnings;
  if (tables.empty()) return warnings;
  const bool skipped = project.schema_dl.empty();
  const Status attached = skipped ? Status() : AttachReadDatabase(session, project, false);
  for (const UsedTable* table : tables) {
    std::string message;
    if (skipped) {
      message = "SchemaDL is empty";
    } else if (!attached) {
      message = attached.error().message;
    } else if (const Status made = MakeViews(session, project, *table); !made) {
      message = made.error().message;
    }
    if (message.empty()) continue;
    WEIR_RETURN_IF_ERROR(
        LogReadObjects(session, run_id, *table, skipped ? "skipped" : "failed", message));
    warnings.push_back("the read objects of " + table->display() +
                       " were not brought up to date: " + message);
  }
  if (!skipped && attached)
    WEIR_RETURN_IF_ERROR(session.Execute(std::string("DETACH ") + kAttached));
  return warnings;
}

Result<std::vector<std::string>> PresentReadObjects(engine::Session& session,
                                                    const FeedProject& project) {
  std::vector<std::string> names;
  std::error_code failure;
  if (!std::filesystem::exists(project.read_database, failure)) return names;
  const Status attached = AttachReadDatabase(session, project, true);
  if (!attached) {
    return Fail(IoError("WEIR_FEED_READ_DATABASE", attached.error().message));
  }
  auto rows =
      Rows(session, std::string("SELECT view_name FROM duckdb_views() WHERE database_name "
                                "= '") +
                        kAttached + "' AND schema_name = " + QuoteLiteral(project.schema_dl) +
                        " AND NOT internal ORDER BY 1");
  WEIR_RETURN_IF_ERROR(session.Execute(std::string("DETACH ") + kAttached));
  if (!rows) return Fail(rows.error());
  for (const Row& row : *rows) names.push_back(row[0].value_or(""));
  return names;
}

bool IsReadObjectOf(const UsedTable& table, std::string_view name) {
  const std::string feed = table.table + "_Feed";
  if (EqualsIgnoreCase(name, table.table) || EqualsIgnoreCase(name, feed)) return true;
  const std::string generation = feed + "_g";
  return name.size() > generation.size() &&
         EqualsIgnoreCase(name.substr(0, generation.size()), generation) &&
         name.find_first_not_of("0123456789", generation.size()) == std::string_view::npos;
}

}  // namespace weir::feed
