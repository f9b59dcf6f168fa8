// SPDX-License-Identifier: Apache-2.0
#include "engine/write/file_actions.h"

#include <utility>

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

delta::RemoveFile MakeRemove(const delta::AddFile& file, int64_t now) {
  delta::RemoveFile remove;
  remove.path = file.path;
  remove.deletion_timestamp = now;
  remove.extended_file_metadata = true;
  remove.partition_values = file.partition_values;
  remove.size = file.size;
  remove.tags = file.tags;
  remove.deletion_vector = file.deletion_vector;
  remove.base_row_id = file.base_row_id;
  remove.default_row_commit_version = file.default_row_commit_version;
  return remove;
}

size_t RemoveAllFiles(const TableStatePtr& state, delta::Transaction& writer, int64_t now_ms) {
  const ScanFiles files(state);
  for (size_t i = 0; i < files.size(); i++) writer.Add(MakeRemove(files.Get(i), now_ms));
  return files.size();
}

}  // namespace weir::engine
