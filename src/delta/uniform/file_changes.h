// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// What a run of commits makes of the files of the table before them, by the files' places.
struct FileChanges {
  std::map<std::string, AddFile> added;
  /// Those that are gone, if they were there, or come back changed.
  std::set<std::string> removed;
  bool has_data_change = false;
};

/// The changes of commits `first` to `last`. Errors: as ReadCommit; kCorruptLog for a path that is
/// none.
Result<FileChanges> ReadFileChanges(const TableLog& log, int64_t first, int64_t last);

}  // namespace weir::delta
