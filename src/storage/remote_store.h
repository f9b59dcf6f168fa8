// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/object_store.h"

namespace weir::storage {

/// An object that is written piece by piece; nobody sees it before Finish. One that is destroyed
/// without Finish leaves nothing. For one thread.
class Upload {
 public:
  virtual ~Upload() = default;

  /// Holds back what does not fill a part of 16 MiB. Errors: as ObjectStore::Put.
  virtual Status Append(std::string_view data) = 0;
  /// Gives the object its name, replacing an old one. Errors: as ObjectStore::Put.
  virtual Status Finish() = 0;
};

/// What one request tells of an object: all that Head does, and how it begins.
struct ObjectStart {
  ObjectInfo info;
  std::string bytes;
};

/// A store across the network, where files too large for memory are uploaded in parts, and a
/// request costs as much as megabytes do.
class RemoteStore : public ObjectStore {
 public:
  static constexpr size_t kPartSize = size_t{16} << 20;

  /// The first `limit` bytes, or the whole of a smaller object. Errors: as Get.
  virtual Result<ObjectStart> GetStart(const std::string& path, int64_t limit) = 0;

  /// The first objects of List, by one request where the service can: some of them, and none only
  /// where List would give none. Errors: as List.
  virtual Result<std::vector<ObjectInfo>> ListSome(const std::string& directory,
                                                   std::string_view start_after) = 0;

  /// The store must outlive the upload.
  virtual std::unique_ptr<Upload> StartUpload(const std::string& path) = 0;
};

/// Whether a location with this scheme is on a RemoteStore: S3, GCS or Azure by any of their names,
/// or HTTP(S).
bool IsRemoteLocation(std::string_view url);

}  // namespace weir::storage
