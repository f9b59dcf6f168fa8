// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/removal.h"

namespace weir::delta {

RemoveFile RemovalOf(const AddFile& add, int64_t now_ms) {
  RemoveFile remove;
  remove.path = add.path;
  remove.deletion_timestamp = now_ms;
  remove.extended_file_metadata = true;
  remove.partition_values = add.partition_values;
  remove.size = add.size;
  remove.tags = add.tags;
  remove.deletion_vector = add.deletion_vector;
  remove.base_row_id = add.base_row_id;
  remove.default_row_commit_version = add.default_row_commit_version;
  return remove;
}

}  // namespace weir::delta
