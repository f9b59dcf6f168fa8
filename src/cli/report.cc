// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <cstdio>

namespace weir::cli {

void ReportError(const Error& error) {
  std::fprintf(stderr, "weir: %s\n", error.ToString().c_str());
}

}  // namespace weir::cli
