// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <unistd.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/output/text_width.h"

namespace weir::cli {

void ReportError(const Error& error) {
  std::fprintf(stderr, "weir: %s\n", VisibleText(error.ToString()).c_str());
}

int FinishCommand(const std::function<Status(Output& out)>& run) {
  Output out(STDOUT_FILENO);
  Status status = run(out);
  out.Flush();
  if (out.reader_gone()) return kDone;
  if (status) status = out.status();
  if (status) return kDone;
  ReportError(status.error());
  return kFailed;
}

}  // namespace weir::cli
