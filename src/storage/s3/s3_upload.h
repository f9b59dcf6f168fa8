// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "storage/remote_store.h"
#include "storage/s3/s3_store.h"

namespace weir::storage {

/// One PUT for an object of a single part, else S3's multi-part upload; the destructor of an
/// unfinished one tells the service to forget its parts.
class S3Upload final : public Upload {
 public:
  S3Upload(S3Store& store, std::string path) : store_(store), path_(std::move(path)) {}
  ~S3Upload() override;

  Status Append(std::string_view data) override;
  Status Finish() override;

 private:
  Status Begin();
  Status SendPart();
  Status Complete();

  S3Store& store_;
  const std::string path_;
  std::string buffer_;
  std::string upload_id_;
  std::vector<std::string> etags_;  // of the parts, in their order
};

}  // namespace weir::storage
