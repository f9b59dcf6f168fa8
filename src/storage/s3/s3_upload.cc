// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/s3_upload.h"

#include "storage/s3/s3_answers.h"

namespace weir::storage {

S3Upload::~S3Upload() {
  if (upload_id_.empty()) return;
  (void)store_.Ask({.method = "DELETE", .path = path_, .query = {{"uploadId", upload_id_}}});
}

Status S3Upload::Append(std::string_view data) {
  while (!data.empty()) {
    const size_t room = RemoteStore::kPartSize - buffer_.size();
    buffer_.append(data.substr(0, room));
    data.remove_prefix(std::min(room, data.size()));
    // The last part is kept for Finish, which may need no multi-part upload at all.
    if (buffer_.size() == RemoteStore::kPartSize && !data.empty()) {
      WEIR_RETURN_IF_ERROR(SendPart());
    }
  }
  return {};
}

Status S3Upload::Finish() {
  if (upload_id_.empty()) return store_.Put(path_, buffer_);
  WEIR_RETURN_IF_ERROR(SendPart());
  return Complete();
}

Status S3Upload::Begin() {
  WEIR_ASSIGN_OR_RETURN(const auto response,
                        store_.Ask({.method = "POST", .path = path_, .query = {{"uploads", ""}}}));
  upload_id_ = ParseUploadId(response.body);
  if (!response.is_success() || upload_id_.empty())
    return Fail(store_.Explain("write", path_, response));
  return {};
}

Status S3Upload::SendPart() {
  if (upload_id_.empty()) {
    WEIR_RETURN_IF_ERROR(Begin());
  }
  const std::string number = std::to_string(etags_.size() + 1);
  WEIR_ASSIGN_OR_RETURN(const auto response,
                        store_.Ask({.method = "PUT",
                                    .path = path_,
                                    .query = {{"partNumber", number}, {"uploadId", upload_id_}},
                                    .body = buffer_}));
  if (!response.is_success()) return Fail(store_.Explain("write", path_, response));
  etags_.emplace_back(response.header("etag"));
  buffer_.clear();
  return {};
}

// The answer may be an error behind status 200, since the service begins it before it is done.
Status S3Upload::Complete() {
  std::string body = "<CompleteMultipartUpload>";
  for (size_t i = 0; i < etags_.size(); ++i)
    body += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + etags_[i] +
            "</ETag></Part>";
  body += "</CompleteMultipartUpload>";
  WEIR_ASSIGN_OR_RETURN(
      const auto response,
      store_.Ask(
          {.method = "POST", .path = path_, .query = {{"uploadId", upload_id_}}, .body = body}));
  if (!response.is_success() || !ParseS3Failure(response.body).code.empty())
    return Fail(store_.Explain("write", path_, response));
  upload_id_.clear();
  return {};
}

}  // namespace weir::storage
