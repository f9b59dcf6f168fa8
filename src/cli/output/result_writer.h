// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/output/output.h"
#include "engine/session.h"

namespace weir::cli {

enum class OutputFormat { kTable, kJson, kJsonl, kCsv, kMarkdown };

/// The spelling of --format and .mode; nullopt for an unknown one.
std::optional<OutputFormat> ParseOutputFormat(std::string_view text);
/// All spellings, for a message or a help text.
const std::vector<std::string>& OutputFormatNames();

/// Writes one result in one format. Begin once, Batch for each batch, End once.
class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  virtual void Begin(const std::vector<engine::ColumnInfo>& columns) = 0;
  /// Writes the result's current batch.
  virtual void Batch(const engine::QueryResult& result) = 0;
  virtual void End() = 0;
};

/// `out` outlives the writer.
std::unique_ptr<ResultWriter> MakeResultWriter(OutputFormat format, Output& out);

/// Writes the whole result and flushes. Stops early when the output has failed. Errors: those of
/// the statement.
Status WriteResult(engine::QueryResult& result, OutputFormat format, Output& out);

/// The columns' names, the second of two equal ones with a number behind it: `a`, `a_1`.
std::vector<std::string> DistinctNames(const std::vector<engine::ColumnInfo>& columns);

/// Whether a column of this type is aligned to the right.
bool IsNumericType(std::string_view type);

}  // namespace weir::cli
