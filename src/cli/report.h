// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "cli/output/output.h"

namespace weir::cli {

/// Writes `weir: [NAME] message` to stderr.
void ReportError(const Error& error);

/// Runs a command that writes to stdout, reports its error or that of the output, and returns the
/// exit status. A reader of stdout that has gone is no error.
int FinishCommand(const std::function<Status(Output& out)>& run);

}  // namespace weir::cli
