// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/http/part_upload.h"

namespace weir::storage {

/// S3's multi-part upload; the destructor of an unfinished one tells the service to forget its
/// parts.
class S3Upload final : public PartUpload {
 public:
  using PartUpload::PartUpload;
  ~S3Upload() override;

 protected:
  Status SendPart(std::string_view part) override;
  Status Complete() override;

 private:
  Status Begin();

  std::string upload_id_;
  std::vector<std::string> etags_;  // of the parts, in their order
};

}  // namespace weir::storage
