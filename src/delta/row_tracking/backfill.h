// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/file_list.h"

namespace weir::delta {

/// The live files that a commit which switches row tracking on must add again, so that they too get
/// row ids and commit versions: those that have none and that `pending` neither adds nor removes.
/// Without a change of data. Errors: as FileList::LoadStats.
Result<std::vector<Action>> FilesWithoutRowIds(const std::vector<Action>& pending,
                                               const FileList& live);

}  // namespace weir::delta
