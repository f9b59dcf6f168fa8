// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "storage/object_store.h"

namespace weir::delta {

/// False when the object does not begin as every Parquet file does. True also when it cannot be
/// read, which other rules tell of. Costs one small read.
inline bool MayBeParquet(storage::ObjectStore& store, const std::string& path) {
  return store.GetRange(path, 0, 4).value_or("PAR1") == "PAR1";
}

}  // namespace weir::delta
