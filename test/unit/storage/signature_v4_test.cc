// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/signature_v4.h"

#include <gtest/gtest.h>

namespace weir::storage {
namespace {

constexpr int64_t kFriday = 1369353600000;  // 2013-05-24T00:00:00Z

// The identity, the requests and the signatures of AWS's documentation.
const AwsCredentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                              ""};

std::string SignatureOf(HttpRequest request) {
  SignV4(request, kExample, "us-east-1", kFriday);
  const std::string& proof = request.headers.back().second;
  return proof.substr(proof.find("Signature=") + 10);
}

TEST(SignatureV4, SignsHeadersThatAreThere) {
  HttpRequest request;
  request.url = "https://examplebucket.s3.amazonaws.com/test.txt";
  request.headers = {{"Range", "bytes=0-9"}};
  EXPECT_EQ(SignatureOf(request),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SignatureV4, SignsTheBody) {
  HttpRequest request;
  request.method = "PUT";
  request.url = "https://examplebucket.s3.amazonaws.com/test%24file.text";
  request.headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                     {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  request.body = "Welcome to Amazon S3.";
  EXPECT_EQ(SignatureOf(request),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(SignatureV4, SignsTheQuery) {
  HttpRequest request;
  request.url = "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J";
  EXPECT_EQ(SignatureOf(request),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SignatureV4, NobodySignsNothing) {
  HttpRequest request;
  request.url = "https://host/key";
  SignV4(request, {}, "us-east-1", kFriday);
  EXPECT_TRUE(request.headers.empty());
}

TEST(SignatureV4, GoogleHasItsOwnWords) {
  HttpRequest request;
  request.url = "https://storage.googleapis.com/bucket/key";
  SignV4(request, kExample, "auto", kFriday, kGoogleSignature);
  EXPECT_EQ(request.headers[0].first, "x-goog-date");
  EXPECT_EQ(request.headers[1].first, "x-goog-content-sha256");
  EXPECT_EQ(
      request.headers.back().second.substr(0, 85),
      "GOOG4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/auto/s3/goog4_request, Sig");
}

}  // namespace
}  // namespace weir::storage
