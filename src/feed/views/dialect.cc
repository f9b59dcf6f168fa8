// SPDX-License-Identifier: Apache-2.0
#include "feed/views/dialect.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "feed/load/feed_files.h"

namespace weir::feed {
namespace {

constexpr std::array<std::string_view, 4> kIntegers = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"};

bool IsNumber(const std::string& type) {
  return type == "FLOAT" || type == "DOUBLE" || StartsWith(type, "DECIMAL") ||
         std::ranges::find(kIntegers, type) != kIntegers.end();
}

/// Digits before and behind the point.
struct Decimal {
  int whole = 0;
  int scale = 0;
};

/// Of an integer or DECIMAL(p,s); nothing for what is not exact.
std::optional<Decimal> ExactNumber(const std::string& type) {
  constexpr std::array<int, 4> kDigits = {3, 5, 10, 19};
  const auto* integer = std::ranges::find(kIntegers, type);
  if (integer != kIntegers.end()) return Decimal{kDigits[integer - kIntegers.begin()], 0};
  int precision = 0;
  int scale = 0;
  if (std::sscanf(type.c_str(), "DECIMAL(%d,%d)", &precision, &scale) != 2) return std::nullopt;
  return Decimal{precision - scale, scale};
}

std::string TSqlType(const std::string& type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTypes = {{
      {"TINYINT", "SMALLINT"},
      {"SMALLINT", "SMALLINT"},
      {"INTEGER", "INT"},
      {"BIGINT", "BIGINT"},
      {"FLOAT", "REAL"},
      {"DOUBLE", "FLOAT"},
      {"BOOLEAN", "BIT"},
      {"DATE", "DATE"},
      {"TIMESTAMP", "DATETIME2(6)"},
      {"TIMESTAMP WITH TIME ZONE", "DATETIME2(6)"},
      {"BLOB", "VARBINARY(8000)"},
      {"VARCHAR", "VARCHAR(8000)"},
  }};
  for (const auto& [duckdb, tsql] : kTypes) {
    if (type == duckdb) return std::string(tsql);
  }
  return StartsWith(type, "DECIMAL") ? type : "VARCHAR(8000)";
}

std::string SparkType(const std::string& type) {
  if (type == "INTEGER") return "INT";
  if (type == "VARCHAR") return "STRING";
  if (type == "BLOB") return "BINARY";
  if (type == "TIMESTAMP") return "TIMESTAMP_NTZ";
  if (type == "TIMESTAMP WITH TIME ZONE") return "TIMESTAMP";
  return type;
}

bool IsNested(const std::string& type) {
  return EndsWith(type, "]") || StartsWith(type, "STRUCT(") || StartsWith(type, "MAP(");
}

// Without it text that is not ASCII is read by the database's code page.
constexpr const char* kUtf8 = " COLLATE Latin1_General_100_BIN2_UTF8";

// WITH (...): serverless SQL reads by declared types.
std::string DeclaredColumns(const Generation& generation) {
  std::vector<Column> columns = generation.columns;
  columns.push_back({"ETL_Date", "TIMESTAMP"});
  std::string text = Join(columns, ", ", [](const Column& column) {
    const std::string type = TSqlType(column.type);
    return Quote(Dialect::kTSql, column.name) + " " + type +
           (StartsWith(type, "VARCHAR") ? kUtf8 : "");
  });
  return " WITH (" + text +
         ", [KeyHash] VARBINARY(64), [RowHash] VARBINARY(64), [YresAction] CHAR(1), "
         "[YresDateStart] DATETIME2(6)) AS r";
}

// A storage account's container as each engine spells it: Weir and Spark as abfss://, Azure SQL as
// adls://, Fabric as https://. Spark has S3 as s3a://.
std::string InDialect(const std::string& place, Dialect dialect) {
  constexpr std::string_view kAzure = "abfss://";
  if (dialect == Dialect::kSpark && StartsWith(place, "s3://")) return "s3a" + place.substr(2);
  const size_t at = place.find('@');
  if (!StartsWith(place, kAzure) || at == std::string::npos) return place;
  if (dialect == Dialect::kTSql) return "adls" + place.substr(5);
  if (dialect != Dialect::kFabric) return place;
  const size_t slash = std::min(place.find('/', at), place.size());
  return "https://" + place.substr(at + 1, slash - at - 1) + "/" +
         place.substr(kAzure.size(), at - kAzure.size()) + place.substr(slash);
}

FilesRelation OpenRowset(const FeedProject& project, const UsedTable& table,
                         const Generation& generation, Dialect dialect) {
  std::string path = InDialect(FeedGlob(project, table, generation.number), dialect);
  std::string source;
  if (dialect == Dialect::kTSql) {
    path = path.substr(ExternalLocation(project).size());
    path.erase(0, path.find_first_not_of('/'));
    source = ", DATA_SOURCE = 'YresLake'";
  }
  return {"OPENROWSET(BULK " + QuoteLiteral(path) + source + ", FORMAT = 'PARQUET')" +
              DeclaredColumns(generation),
          "CAST(r.filepath(1) AS INT)", "CAST(r.filepath(2) AS INT)"};
}

}  // namespace

std::string Quote(Dialect dialect, const std::string& name) {
  switch (dialect) {
    case Dialect::kDuckDB:
      return QuoteIdentifier(name);
    case Dialect::kSpark: {
      std::string quoted = "`";
      for (const char c : name) quoted += c == '`' ? std::string("``") : std::string(1, c);
      return quoted + "`";
    }
    case Dialect::kTSql:
    case Dialect::kFabric:
      break;
  }
  std::string quoted = "[";
  for (const char c : name) quoted += c == ']' ? std::string("]]") : std::string(1, c);
  return quoted + "]";
}

std::string ExternalLocation(const FeedProject& project) {
  return InDialect(project.lake_location, Dialect::kTSql);
}

std::string TypeName(Dialect dialect, const std::string& type) {
  if (dialect == Dialect::kDuckDB) return type;
  return dialect == Dialect::kSpark ? SparkType(type) : TSqlType(type);
}

std::string TypedNull(Dialect dialect, const std::string& type) {
  if (dialect == Dialect::kSpark && IsNested(type)) return "NULL";
  return "CAST(NULL AS " + TypeName(dialect, type) + ")";
}

std::string OpenEnd(Dialect dialect) {
  return "CAST('2999-01-01 00:00:00' AS " + TypeName(dialect, "TIMESTAMP") + ")";
}

FilesRelation ReadFiles(const FeedProject& project, const UsedTable& table,
                        const Generation& generation, Dialect dialect) {
  const std::string glob = FeedGlob(project, table, generation.number);
  switch (dialect) {
    case Dialect::kDuckDB:
      if (FindColumn(generation.columns, "Year") == nullptr &&
          FindColumn(generation.columns, "Month") == nullptr) {
        return {"read_parquet(" + QuoteLiteral(glob) +
                    ", hive_partitioning = true, hive_types = {'Year': INTEGER, 'Month': INTEGER})",
                "\"Year\"", "\"Month\""};
      }
      // The source has columns of these names: by the file's name, without skipping files.
      return {"read_parquet(" + QuoteLiteral(glob) +
                  ", hive_partitioning = false, filename = 'YresFile')",
              "CAST(regexp_extract(\"YresFile\", '/Year=([0-9]+)/', 1) AS INTEGER)",
              "CAST(regexp_extract(\"YresFile\", '/Month=([0-9]+)/', 1) AS INTEGER)"};
    case Dialect::kSpark:
      return {"parquet." + Quote(dialect, InDialect(glob, dialect)),
              "CAST(regexp_extract(_metadata.file_path, '/Year=([0-9]+)/', 1) AS INT)",
              "CAST(regexp_extract(_metadata.file_path, '/Month=([0-9]+)/', 1) AS INT)"};
    case Dialect::kTSql:
    case Dialect::kFabric:
      break;
  }
  return OpenRowset(project, table, generation, dialect);
}

std::string WidestType(const std::vector<std::string>& types) {
  if (std::ranges::all_of(types, [&](const auto& type) { return type == types[0]; }))
    return types[0];
  if (std::ranges::all_of(types, [](const auto& t) { return t == "DATE" || t == "TIMESTAMP"; }))
    return "TIMESTAMP";
  if (!std::ranges::all_of(types, IsNumber)) return "VARCHAR";
  bool integers = true;
  Decimal widest;
  for (const std::string& type : types) {
    const auto number = ExactNumber(type);
    if (!number) return "DOUBLE";
    integers &= number->scale == 0 && !StartsWith(type, "DECIMAL");
    widest.whole = std::max(widest.whole, number->whole);
    widest.scale = std::max(widest.scale, number->scale);
  }
  if (integers) {
    return std::string(*std::ranges::find(kIntegers, widest.whole, [](std::string_view type) {
      return ExactNumber(std::string(type))->whole;
    }));
  }
  if (widest.whole + widest.scale > 38) return "DOUBLE";
  return "DECIMAL(" + std::to_string(widest.whole + widest.scale) + "," +
         std::to_string(widest.scale) + ")";
}

}  // namespace weir::feed
