// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "delta/actions/actions.h"

namespace weir::delta {

/// Takes the live file `add` away at `now_ms`, with all that the log knows of it but its statistics
/// (protocol section "Add File and Remove File"). It counts as a change of data: whoever only
/// rearranges rows says otherwise.
RemoveFile RemovalOf(const AddFile& add, int64_t now_ms);

}  // namespace weir::delta
