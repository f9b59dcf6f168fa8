// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/statement_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/progress.h"

namespace weir::cli {

Status StatementRunner::Run(std::string_view sql) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> statements, session_.SplitStatements(sql));
  for (const std::string& statement : statements) {
    WEIR_RETURN_IF_ERROR(RunOne(statement));
    WEIR_RETURN_IF_ERROR(out_.status());
  }
  return {};
}

Status StatementRunner::RunOne(const std::string& statement) {
  const auto start = std::chrono::steady_clock::now();
  {
    const InterruptScope interrupt([this] { session_.Interrupt(); });
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::QueryResult> result,
                          QueryWithProgress(statement));
    if (result->kind() == engine::ResultKind::kRows) {
      WEIR_RETURN_IF_ERROR(WriteResult(*result, format_, out_));
    } else if (feedback_) {
      WEIR_RETURN_IF_ERROR(WriteFeedback(*result));
    }
  }
  if (timer_) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    out_.Write(fmt::format("{:.3f} s\n", elapsed.count()));
  }
  out_.Flush();
  return {};
}

// Until the first rows are there; then the terminal is the result's.
Result<std::unique_ptr<engine::QueryResult>> StatementRunner::QueryWithProgress(
    const std::string& statement) {
  const ProgressDisplay progress([this] { return session_.ProgressPercent(); });
  return session_.Query(statement);
}

Status StatementRunner::WriteFeedback(engine::QueryResult& result) {
  if (result.kind() == engine::ResultKind::kNothing) {
    out_.Write("done\n");
    return {};
  }
  WEIR_ASSIGN_OR_RETURN(const bool any, result.NextBatch());
  const int64_t changed = any ? result.Int64(0, 0) : 0;
  out_.Write(fmt::format("{} row{} changed\n", changed, changed == 1 ? "" : "s"));
  return {};
}

}  // namespace weir::cli
