// SPDX-License-Identifier: Apache-2.0
#include "changes/prometheus.h"

#include <string_view>
#include <vector>

#include "base/text.h"

namespace weir::changes {
namespace {

// One metric: its samples are the rows of a query, the value its last column, the others labels.
struct Metric {
  const char* name;
  const char* help;
  std::string sql;
};

void AppendLabel(std::string_view name, std::string_view value, std::string& text) {
  text.append(name).append("=\"");
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  text += '"';
}

Status AppendMetric(engine::Session& session, const FeedTable& table, const Metric& metric,
                    std::string& text) {
  WEIR_ASSIGN_OR_RETURN(const auto samples, session.Query(metric.sql));
  text += std::string("# HELP ") + metric.name + " " + metric.help + "\n# TYPE " + metric.name +
          " gauge\n";
  const auto& columns = samples->columns();
  const size_t value = columns.size() - 1;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, samples->NextBatch());
    if (!more) return {};
    for (size_t row = 0; row < samples->batch_size(); ++row) {
      text += std::string(metric.name) + "{";
      AppendLabel("table", table.text, text);
      for (size_t i = 0; i < value; ++i) {
        text += ",";
        AppendLabel(columns[i].name, samples->IsNull(i, row) ? "" : samples->Text(i, row), text);
      }
      text += "} " + (samples->IsNull(value, row) ? "0" : samples->Text(value, row)) + "\n";
    }
  }
}

}  // namespace

Result<std::string> PrometheusText(engine::Session& session, const FeedTable& table,
                                   const FeedRange& range, const std::string& options,
                                   const std::string& offsets) {
  const std::string metrics = "(FROM " + FeedCall("table_change_metrics", table, range, options) +
                              " WHERE _change_type IS NOT NULL)";
  const std::string commits = "(SELECT DISTINCT _commit_version, operation, skipped_files FROM " +
                              FeedCall("table_change_files", table, range, options) + ")";
  const std::string lag =
      "table_change_lag(" + TableArgument(table) + ", offsets => " + QuoteLiteral(offsets) + ")";
  auto by_type = [&](const char* column) {
    return std::string("SELECT operation, _change_type AS change_type, sum(") + column +
           ")::BIGINT FROM " + metrics + " GROUP BY ALL ORDER BY ALL";
  };
  const std::vector<Metric> wanted = {
      {"weir_changes_rows", "Changed rows in the range.", by_type("rows")},
      {"weir_changes_bytes", "Bytes of the files that hold the changed rows.", by_type("bytes")},
      {"weir_changes_files", "Files that hold the changed rows.", by_type("files")},
      {"weir_changes_commits", "Commits in the range.",
       "SELECT operation, count(*) FROM " + commits + " GROUP BY ALL ORDER BY ALL"},
      {"weir_changes_skipped_files", "Files of these commits that need not be read.",
       "SELECT operation, sum(skipped_files)::BIGINT FROM " + commits +
           " GROUP BY ALL ORDER BY ALL"},
      {"weir_changes_latest_version", "The newest version of the table.",
       "SELECT version FROM weir_history(" + TableArgument(table) + ", \"limit\" => 1)"},
      {"weir_changes_consumer_lag_versions", "Versions that the consumer has not had yet.",
       "SELECT consumer, lag_versions FROM " + lag + " ORDER BY ALL"},
      {"weir_changes_consumer_lag_seconds", "Age of the first commit that it has not had yet.",
       "SELECT consumer, lag_ms / 1000 FROM " + lag + " ORDER BY ALL"},
  };
  std::string text;
  for (const auto& metric : wanted)
    WEIR_RETURN_IF_ERROR(AppendMetric(session, table, metric, text));
  return text;
}

}  // namespace weir::changes
