// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/s3_answers.h"

#include <pugixml.hpp>

#include "base/text.h"
#include "storage/errors.h"
#include "storage/times.h"

namespace weir::storage {

Result<S3ListPage> ParseS3List(std::string_view body) {
  pugi::xml_document document;
  const bool is_xml = document.load_buffer(body.data(), body.size()).status == pugi::status_ok;
  const pugi::xml_node list = document.child("ListBucketResult");
  if (!is_xml || !list)
    return Fail(IoError("WEIR_IO_ERROR", "the store's answer is no list of objects"));
  S3ListPage page;
  for (const pugi::xml_node item : list.children("Contents")) {
    ObjectInfo& entry = page.entries.emplace_back();
    WEIR_ASSIGN_OR_RETURN(entry.path, PercentDecode(item.child_value("Key")));
    entry.size = item.child("Size").text().as_llong();
    entry.modified_ms = ParseIsoTime(item.child_value("LastModified"));
    if (EndsWith(entry.path, "/")) page.entries.pop_back();
  }
  for (const pugi::xml_node item : list.children("CommonPrefixes")) {
    ObjectInfo& entry = page.entries.emplace_back();
    WEIR_ASSIGN_OR_RETURN(entry.path, PercentDecode(item.child_value("Prefix")));
    if (EndsWith(entry.path, "/")) entry.path.pop_back();
    entry.is_directory = true;
  }
  if (list.child("IsTruncated").text().as_bool())
    page.next = list.child_value("NextContinuationToken");
  return page;
}

S3Failure ParseS3Failure(std::string_view body) {
  pugi::xml_document document;
  document.load_buffer(body.data(), body.size());
  const pugi::xml_node error = document.child("Error");
  return {error.child_value("Code"), error.child_value("Message"), error.child_value("Region")};
}

std::string ParseUploadId(std::string_view body) {
  pugi::xml_document document;
  document.load_buffer(body.data(), body.size());
  return document.child("InitiateMultipartUploadResult").child_value("UploadId");
}

AwsCredentials ParseAssumedRole(std::string_view body) {
  pugi::xml_document document;
  document.load_buffer(body.data(), body.size());
  const pugi::xml_node role = document.child("AssumeRoleWithWebIdentityResponse")
                                  .child("AssumeRoleWithWebIdentityResult")
                                  .child("Credentials");
  return {role.child_value("AccessKeyId"), role.child_value("SecretAccessKey"),
          role.child_value("SessionToken"), ParseIsoTime(role.child_value("Expiration"))};
}

}  // namespace weir::storage
