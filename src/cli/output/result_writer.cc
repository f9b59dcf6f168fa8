// SPDX-License-Identifier: Apache-2.0
#include "cli/output/result_writer.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "cli/output/writers.h"

namespace weir::cli {
namespace {

struct Format {
  const char* name;
  OutputFormat format;
  std::unique_ptr<ResultWriter> (*make)(Output& out);
};

constexpr std::array kFormats{
    Format{"table", OutputFormat::kTable, MakeTableWriter},
    Format{"json", OutputFormat::kJson, MakeJsonWriter},
    Format{"jsonl", OutputFormat::kJsonl, MakeJsonlWriter},
    Format{"csv", OutputFormat::kCsv, MakeCsvWriter},
    Format{"markdown", OutputFormat::kMarkdown, MakeMarkdownWriter},
};

}  // namespace

std::optional<OutputFormat> ParseOutputFormat(std::string_view text) {
  for (const Format& format : kFormats) {
    if (text == format.name) return format.format;
  }
  return std::nullopt;
}

const std::vector<std::string>& OutputFormatNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Format& format : kFormats) all.emplace_back(format.name);
    return all;
  }();
  return names;
}

std::unique_ptr<ResultWriter> MakeResultWriter(OutputFormat format, Output& out) {
  const auto entry = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& known) { return known.format == format; });
  return entry->make(out);
}

Status WriteResult(engine::QueryResult& result, OutputFormat format, Output& out) {
  const std::unique_ptr<ResultWriter> writer = MakeResultWriter(format, out);
  writer->Begin(result.columns());
  Status status;
  while (!out.failed()) {
    const Result<bool> more = result.NextBatch();
    if (!more) status = Fail(more.error());
    if (!more || !*more) break;
    writer->Batch(result);
  }
  if (status) writer->End();
  out.Flush();
  return status;
}

std::vector<std::string> DistinctNames(const std::vector<engine::ColumnInfo>& columns) {
  std::set<std::string> taken;
  for (const auto& column : columns) taken.insert(column.name);
  std::set<std::string> used;
  std::vector<std::string> names;
  for (const auto& column : columns) {
    std::string name = column.name;
    for (int i = 1; used.count(name) > 0; ++i) {
      const std::string candidate = column.name + "_" + std::to_string(i);
      if (taken.insert(candidate).second) name = candidate;
    }
    used.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

bool IsNumericType(std::string_view type) {
  static constexpr std::array<std::string_view, 12> kNumeric{
      "TINYINT",   "SMALLINT", "INTEGER", "BIGINT",   "HUGEINT", "UTINYINT",
      "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT",   "DOUBLE"};
  const bool is_decimal = StartsWith(type, "DECIMAL(") && EndsWith(type, ")");
  return is_decimal || std::find(kNumeric.begin(), kNumeric.end(), type) != kNumeric.end();
}

}  // namespace weir::cli
