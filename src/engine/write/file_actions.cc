// SPDX-License-Identifier: Apache-2.0
#include "engine/write/file_actions.h"

#include <utility>

#include "delta/actions/removal.h"
#include "engine/scan/scan_files.h"

namespace weir::engine {

delta::AddFile MakeAdd(WrittenFile file, int64_t now) {
  delta::AddFile add;
  add.path = std::move(file.path);
  add.partition_values = std::move(file.partition_values);
  add.size = file.size;
  add.modification_time = now;
  add.stats = std::move(file.stats);
  return add;
}

delta::AddCdcFile MakeCdc(WrittenFile file) {
  delta::AddCdcFile cdc;
  cdc.path = std::move(file.path);
  cdc.partition_values = std::move(file.partition_values);
  cdc.size = file.size;
  return cdc;
}

size_t RemoveAllFiles(const TableStatePtr& state, delta::Transaction& writer, int64_t now_ms) {
  const ScanFiles files(state);
  for (size_t i = 0; i < files.size(); i++) writer.Add(delta::RemovalOf(files.Get(i), now_ms));
  return files.size();
}

}  // namespace weir::engine
