// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "storage/http/http_store.h"
#include "storage/remote_store.h"

namespace weir::storage {

/// What the uploads of the services have in common: pieces are gathered to parts of
/// RemoteStore::kPartSize, and an object of a single part is one PUT. `store` must outlive it.
class PartUpload : public Upload {
 public:
  PartUpload(HttpStore& store, std::string path) : store_(store), path_(std::move(path)) {}

  Status Append(std::string_view data) override;
  Status Finish() override;

 protected:
  /// Sends the next part. Errors: as ObjectStore::Put.
  virtual Status SendPart(std::string_view part) = 0;
  /// Makes the object of the parts that were sent, of which there is one at least.
  virtual Status Complete() = 0;

  /// A request for the object; a failed answer is an error. Errors: as ObjectStore::Put.
  Result<HttpResponse> Ask(HttpStore::Call call);

  HttpStore& store_;
  const std::string path_;

 private:
  std::string buffer_;
  bool has_parts_ = false;
};

}  // namespace weir::storage
