// SPDX-License-Identifier: Apache-2.0
//
// Rules `record-count` and `statistics`: the log's numbers about a file hold for its rows. Bounds
// are judged by the very code that skips files by them: where it would skip a file that has such a
// value, the bound is wrong, and nothing that is merely cut or left out is.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/text.h"
#include "delta/statistics/file_pruner.h"
#include "delta/statistics/file_statistics.h"
#include "delta/statistics/statistics_columns.h"
#include "engine/check/data_rules.h"
#include "engine/values.h"

namespace weir::engine {
namespace {

constexpr size_t kColumnsPerQuery = 40;
constexpr const char* kRemedy =
    "queries skip rows by it: weir check --repair rewrites the file, with true statistics";

std::string ColumnSql(const delta::ColumnPath& path) {
  std::string sql = "t";
  for (const std::string& name : path) sql += "." + QuoteIdentifier(name);
  return sql;
}

std::string ColumnName(const delta::ColumnPath& path) {
  std::string name;
  for (const std::string& part : path) name += (name.empty() ? "" : ".") + part;
  return name;
}

// All columns, as any writer may have kept statistics for any.
Result<std::vector<delta::StatisticsColumn>> AllColumns(const delta::Snapshot& snapshot) {
  delta::Metadata metadata = snapshot.metadata();
  metadata.configuration.erase("delta.dataSkippingStatsColumns");
  metadata.configuration["delta.dataSkippingNumIndexedCols"] = "-1";
  return delta::StatisticsColumns(*snapshot.schema(), metadata);
}

// What one column holds in one file.
struct Found {
  duckdb::Value low;
  duckdb::Value high;
  int64_t rows = 0;
  int64_t values = 0;
};

class StatisticsCheck {
 public:
  explicit StatisticsCheck(const DataCheck& table) : table_(table) {}

  Status Run() {
    WEIR_RETURN_IF_ERROR(table_.snapshot().files().LoadStats());
    WEIR_RETURN_IF_ERROR(CheckCounts());
    WEIR_ASSIGN_OR_RETURN(const auto columns, AllColumns(table_.snapshot()));
    for (size_t first = 0; first < columns.size(); first += kColumnsPerQuery) {
      const size_t last = std::min(first + kColumnsPerQuery, columns.size());
      WEIR_RETURN_IF_ERROR(CheckColumns(
          {columns.begin() + static_cast<long>(first), columns.begin() + static_cast<long>(last)}));
    }
    return {};
  }

 private:
  Status CheckCounts() {
    WEIR_ASSIGN_OR_RETURN(const auto result,
                          table_.Query("SELECT file_index, count(*) FROM " + table_.ScanSql() +
                                       " AS t GROUP BY file_index"));
    std::map<size_t, int64_t> counts;
    for (duckdb::idx_t row = 0; row < result->RowCount(); ++row)
      counts[result->GetValue(0, row).GetValue<size_t>()] =
          result->GetValue(1, row).GetValue<int64_t>();
    const delta::FileList& files = table_.snapshot().files();
    for (size_t i = 0; i < files.size(); ++i) {
      const auto records = delta::ReadNumRecords(files.stats(i));
      if (!records) continue;
      const auto vector = files.deletion_vector(i);
      const int64_t found = counts[i] + (vector ? vector->cardinality : 0);
      if (found != *records)
        table_.Report(
            "record-count", std::string(files.path(i)),
            fmt::format("the log says numRecords {}, the file has {} rows", *records, found),
            kRemedy, delta::RepairKind::kStatistics);
    }
    return {};
  }

  Status CheckColumns(const std::vector<delta::StatisticsColumn>& columns) {
    std::string sql = "SELECT file_index, count(*)";
    for (const auto& column : columns) {
      const std::string name = ColumnSql(column.path);
      sql += ", count(" + name + ")";
      sql += column.has_bounds() ? ", min(" + name + "), max(" + name + ")" : ", NULL, NULL";
    }
    sql += " FROM " + table_.ScanSql() + " AS t GROUP BY file_index ORDER BY file_index";
    WEIR_ASSIGN_OR_RETURN(const auto result, table_.Query(sql));
    for (duckdb::idx_t row = 0; row < result->RowCount(); ++row) {
      const auto file = table_.snapshot().files().Get(result->GetValue(0, row).GetValue<size_t>());
      if (!file.stats) continue;
      const auto stats = JsonValue::Parse(*file.stats);
      if (!stats) {
        table_.Report("statistics", file.path, "its stats are no JSON", kRemedy,
                      delta::RepairKind::kStatistics);
        continue;
      }
      for (size_t i = 0; i < columns.size(); ++i) {
        const size_t at = 2 + 3 * i;
        const Found found{result->GetValue(at + 1, row), result->GetValue(at + 2, row),
                          result->GetValue(1, row).GetValue<int64_t>(),
                          result->GetValue(at, row).GetValue<int64_t>()};
        CheckColumn(file, *stats, columns[i], found);
      }
    }
    return {};
  }

  void CheckColumn(const delta::AddFile& file, const JsonValue& stats,
                   const delta::StatisticsColumn& column, const Found& found) {
    const auto report = [&](const std::string& problem) {
      table_.Report("statistics", file.path, "column " + ColumnName(column.path) + ": " + problem,
                    kRemedy, delta::RepairKind::kStatistics);
    };
    for (const auto& [value, bound] : {std::pair(&found.low, "least"), {&found.high, "greatest"}}) {
      if (value->IsNull()) continue;
      const auto constant = ToDelta(*value, *column.type);
      if (constant && Excludes(file, delta::Predicate::Compare(
                                         column.path, delta::CompareOp::kEqual, *constant)))
        return report(fmt::format("its {} value {} lies outside of minValues and maxValues", bound,
                                  value->ToString()));
    }
    if (const auto problem = LooseBound(file, stats, column, found)) return report(*problem);
    const int64_t nulls = found.rows - found.values;
    if (const auto noted = Number(stats, "nullCount", column.physical_path)) {
      // A vector takes rows away that still count.
      const bool exact = !file.deletion_vector;
      const bool all = delta::ReadNumRecords(*file.stats) == *noted;
      if (exact ? *noted != nulls : (*noted == 0 && nulls > 0) || (all && found.values > 0))
        report(fmt::format("the log says nullCount {}, the file has {}", *noted, nulls));
    }
  }

  bool Excludes(const delta::AddFile& file, const delta::PredicatePtr& predicate) const {
    delta::FilePruner pruner(*table_.snapshot().schema(), table_.snapshot().metadata(), predicate);
    return pruner.Evaluate(file) == delta::FileMatch::kNever;
  }

  static std::optional<int64_t> Number(const JsonValue& stats, const char* kind,
                                       const delta::ColumnPath& path) {
    const JsonValue* at = stats.Find(kind);
    for (const std::string& name : path) at = at ? at->Find(name) : nullptr;
    return at ? at->AsInt64() : std::nullopt;
  }

  // Bounds that call themselves tight are values of the file; told of integers, which are never
  // cut.
  static std::optional<std::string> LooseBound(const delta::AddFile& file, const JsonValue& stats,
                                               const delta::StatisticsColumn& column,
                                               const Found& found) {
    const JsonValue* tight = stats.Find("tightBounds");
    if (file.deletion_vector || tight == nullptr || !tight->is_bool() || !tight->bool_value() ||
        found.values == 0 || !found.low.type().IsIntegral())
      return std::nullopt;
    for (const auto& [kind, value] :
         {std::pair("minValues", &found.low), std::pair("maxValues", &found.high)}) {
      const auto noted = Number(stats, kind, column.physical_path);
      if (noted && *noted != value->GetValue<int64_t>())
        return fmt::format("its tight {} say {}, the rows {}", kind, *noted, value->ToString());
    }
    return std::nullopt;
  }

  const DataCheck& table_;
};

}  // namespace

Status CheckStatistics(const DataCheck& table) { return StatisticsCheck(table).Run(); }

}  // namespace weir::engine
