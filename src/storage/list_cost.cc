// SPDX-License-Identifier: Apache-2.0
#include "storage/list_cost.h"

#include "storage/azure/azure_store.h"
#include "storage/local_store.h"

namespace weir::storage {

bool ListsFromTheMiddle(const ObjectStore& store) {
  return dynamic_cast<const LocalStore*>(&store) == nullptr &&
         dynamic_cast<const AzureStore*>(&store) == nullptr;
}

}  // namespace weir::storage
