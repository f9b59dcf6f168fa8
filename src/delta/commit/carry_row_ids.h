// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "delta/actions/actions.h"
#include "delta/snapshot/file_list.h"

namespace weir::delta {

/// Row ids and commit versions stay with a file for its life (protocol section "Row Tracking",
/// writers): removes, and adds that commit a live path again (with another deletion vector, say),
/// get the values of the live entry where the caller has left them out.
void CarryRowIds(std::vector<Action>& actions, const FileList& live);

}  // namespace weir::delta
