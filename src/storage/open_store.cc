// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "storage/local_store.h"
#include "storage/location.h"
#include "storage/memory_store.h"
#include "storage/object_store.h"

namespace weir::storage {
namespace {

using StoreFactory = Result<std::shared_ptr<ObjectStore>> (*)(std::string_view url);

Result<std::shared_ptr<ObjectStore>> OpenLocal(std::string_view) {
  static const std::shared_ptr<ObjectStore> kStore = std::make_shared<LocalStore>();
  return kStore;
}

Result<std::shared_ptr<ObjectStore>> OpenMemory(std::string_view) {
  static const std::shared_ptr<ObjectStore> kStore = std::make_shared<MemoryStore>();
  return kStore;
}

struct Scheme {
  std::string_view name;  ///< Empty: a plain path.
  StoreFactory open;
};

constexpr Scheme kSchemes[] = {
    {"", OpenLocal},
    {"file", OpenLocal},
    {"memory", OpenMemory},
};

}  // namespace

Result<std::shared_ptr<ObjectStore>> OpenStore(std::string_view url) {
  std::string_view wanted = SchemeOf(url);
  std::string known;
  for (const auto& scheme : kSchemes) {
    if (EqualsIgnoreCase(scheme.name, wanted)) return scheme.open(url);
    if (scheme.name.empty()) continue;
    if (!known.empty()) known += ", ";
    known += scheme.name;
  }
  return Fail(InvalidArgument("WEIR_UNSUPPORTED_SCHEME",
                              "no store for '" + std::string(wanted) + ":' in '" +
                                  std::string(url) + "'; known are plain paths and " + known));
}

}  // namespace weir::storage
