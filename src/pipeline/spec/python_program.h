// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace weir::pipeline {

/// The Python to start: WEIR_PYTHON, else python3. Puts the package `weir` that lies beside the
/// program, or above it, into PYTHONPATH of this process and so of its children. Call it from one
/// thread.
std::string FindPython();

}  // namespace weir::pipeline
