// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

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

/// A store across the network, where files too large for memory are uploaded in parts.
class RemoteStore : public ObjectStore {
 public:
  static constexpr size_t kPartSize = size_t{16} << 20;

  /// The store must outlive the upload.
  virtual std::unique_ptr<Upload> StartUpload(const std::string& path) = 0;
};

/// Whether a location with this scheme is on a RemoteStore: S3, GCS or Azure by any of their names.
bool IsRemoteLocation(std::string_view url);

}  // namespace weir::storage
