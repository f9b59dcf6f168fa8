// SPDX-License-Identifier: Apache-2.0
//
// The XML that S3 answers with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/object_store.h"
#include "storage/s3/signature_v4.h"

namespace weir::storage {

/// One page of ListObjectsV2. `path` of the entries is the decoded key; folders are common prefixes
/// without their slash.
struct S3ListPage {
  std::vector<ObjectInfo> entries;
  std::string next;  ///< Continuation token; empty on the last page.
};

/// `body` of a ListObjectsV2 with encoding-type=url. Placeholders of folders (keys that end with a
/// slash) are left out. Errors: kIo WEIR_IO_ERROR for anything else.
Result<S3ListPage> ParseS3List(std::string_view body);

/// <Code> and <Message> of an error, empty where there is none.
struct S3Failure {
  std::string code;
  std::string message;
  std::string region;  ///< Where the bucket is, when it is asked for in a wrong one.
};
S3Failure ParseS3Failure(std::string_view body);

/// The <UploadId> of a CreateMultipartUpload; empty for anything else.
std::string ParseUploadId(std::string_view body);

/// The answer of AssumeRoleWithWebIdentity; without a key_id for anything else.
AwsCredentials ParseAssumedRole(std::string_view body);

}  // namespace weir::storage
