// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/object_store.h"

namespace weir::storage {

/// Whether List with `start_after` costs what is behind it only. False for stores that read the
/// whole folder for it: disks and Azure.
bool ListsFromTheMiddle(const ObjectStore& store);

}  // namespace weir::storage
