// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/s3_upload.h"

#include "storage/s3/s3_answers.h"

namespace weir::storage {

S3Upload::~S3Upload() {
  if (!upload_id_.empty()) (void)Ask({.method = "DELETE", .query = {{"uploadId", upload_id_}}});
}

Status S3Upload::Begin() {
  WEIR_ASSIGN_OR_RETURN(const auto response, Ask({.method = "POST", .query = {{"uploads", ""}}}));
  upload_id_ = ParseUploadId(response.body);
  if (upload_id_.empty()) return Fail(store_.Explain("write", path_, response));
  return {};
}

Status S3Upload::SendPart(std::string_view part) {
  if (upload_id_.empty()) {
    WEIR_RETURN_IF_ERROR(Begin());
  }
  const std::string number = std::to_string(etags_.size() + 1);
  WEIR_ASSIGN_OR_RETURN(const auto response,
                        Ask({.method = "PUT",
                             .query = {{"partNumber", number}, {"uploadId", upload_id_}},
                             .body = part}));
  etags_.emplace_back(response.header("etag"));
  return {};
}

// The answer may be an error behind status 200, since the service begins it before it is done.
Status S3Upload::Complete() {
  std::string body = "<CompleteMultipartUpload>";
  for (size_t i = 0; i < etags_.size(); ++i)
    body += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + etags_[i] +
            "</ETag></Part>";
  body += "</CompleteMultipartUpload>";
  WEIR_ASSIGN_OR_RETURN(const auto response,
                        Ask({.method = "POST", .query = {{"uploadId", upload_id_}}, .body = body}));
  if (!ParseS3Failure(response.body).code.empty())
    return Fail(store_.Explain("write", path_, response));
  upload_id_.clear();
  return {};
}

}  // namespace weir::storage
