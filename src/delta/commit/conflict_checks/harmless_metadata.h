// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/actions/actions.h"

namespace weir::delta {

/// Whether a commit that was made for `before` is as right under `after`: they differ in marks of
/// identity columns alone, or in properties that switch on what files written without it may do
/// without: deletion vectors, V2 checkpoints, in-commit timestamps, and column mapping by the names
/// that the columns have already.
bool IsHarmlessChange(const Metadata& before, const Metadata& after);

}  // namespace weir::delta
