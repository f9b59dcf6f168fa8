// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"

namespace weir::cli {

/// Writes `weir: [NAME] message` to stderr.
void ReportError(const Error& error);

}  // namespace weir::cli
