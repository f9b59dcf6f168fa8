// SPDX-License-Identifier: Apache-2.0
//
// What S3Store sends, and what it makes of answers, lost ones above all.
#include "storage/s3/s3_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/s3/s3_answers.h"
#include "storage/scripted_server.h"

namespace weir::storage {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kListOf = "<ListBucketResult><IsTruncated>false</IsTruncated>";

std::string S3Error(const std::string& code) {
  return "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>why</Message></Error>";
}

class S3StoreTest : public testing::Test {
 protected:
  std::shared_ptr<ObjectStore> Open(const std::string& url) {
    return *OpenS3Store(url, {{"endpoint", server_.url()},
                              {"key_id", "somebody"},
                              {"secret", "hush"},
                              {"region", "eu-west-1"}});
  }
  // The three requests by which a custom endpoint shows that it honours conditions.
  void AnswerTheCheck() {
    server_.Answer("200 OK");
    server_.Answer("412 Precondition Failed", S3Error("PreconditionFailed"));
    server_.Answer("204 No Content");
  }

  ScriptedServer server_;
};

TEST_F(S3StoreTest, AddressesByPathAndSigns) {
  server_.Answer("200 OK", "body");
  EXPECT_EQ(*Open("s3://lake")->Get("s3://lake/t/p=a b/ü+.json"), "body");
  const std::string request = server_.requests()[0];
  EXPECT_THAT(request, StartsWith("GET /lake/t/p%3Da%20b/%C3%BC%2B.json HTTP/1.1"));
  EXPECT_THAT(request, HasSubstr("Credential=somebody/"));
  EXPECT_THAT(request, HasSubstr("/eu-west-1/s3/aws4_request"));
  EXPECT_THAT(request, Not(HasSubstr("hush")));
}

TEST_F(S3StoreTest, AnInterruptedReadIsRepeated) {
  server_.CloseWithoutAnswer();
  server_.Answer("503 Slow Down", S3Error("SlowDown"));
  server_.Answer("500 Internal Server Error", S3Error("InternalError"));
  server_.Answer("200 OK", "body");
  EXPECT_EQ(*Open("s3://lake")->Get("s3://lake/x"), "body");
  EXPECT_EQ(server_.requests().size(), 4u);
}

TEST_F(S3StoreTest, TheLostAnswerOfAConditionalPutIsUnknown) {
  AnswerTheCheck();
  server_.CloseWithoutAnswer();
  auto put = Open("s3://lake")->PutIfAbsent("s3://lake/t/_delta_log/0.json", "{}");
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kStateUnknown);
  EXPECT_EQ(put.error().name, "WEIR_WRITE_STATE_UNKNOWN");
  EXPECT_EQ(server_.requests().size(), 4u) << "it must not be sent again";
}

TEST_F(S3StoreTest, AServerErrorOnAConditionalPutIsUnknownAndARefusalIsNot) {
  AnswerTheCheck();
  server_.Answer("500 Internal Server Error", S3Error("InternalError"));
  server_.Answer("403 Forbidden", S3Error("AccessDenied"));
  server_.Answer("503 Slow Down", S3Error("SlowDown"));
  server_.Answer("409 Conflict", S3Error("ConditionalRequestConflict"));
  server_.Answer("412 Precondition Failed", S3Error("PreconditionFailed"));
  auto store = Open("s3://lake");
  EXPECT_EQ(store->PutIfAbsent("s3://lake/x", "1").error().kind, ErrorKind::kStateUnknown);
  EXPECT_EQ(store->PutIfAbsent("s3://lake/x", "1").error().kind, ErrorKind::kIo);
  EXPECT_EQ(store->PutIfAbsent("s3://lake/x", "1").error().kind, ErrorKind::kAlreadyExists);
  EXPECT_THAT(server_.requests()[3], HasSubstr("If-None-Match: *"));
}

TEST_F(S3StoreTest, AServerThatIgnoresConditionsIsNotWrittenTo) {
  server_.Answer("200 OK");
  server_.Answer("200 OK");
  server_.Answer("204 No Content");
  auto put = Open("s3://lake")->PutIfAbsent("s3://lake/t/_delta_log/0.json", "{}");
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().name, "WEIR_CONDITIONAL_PUT_UNSUPPORTED");
  for (const auto& request : server_.requests()) EXPECT_THAT(request, Not(HasSubstr("0.json")));
}

TEST_F(S3StoreTest, ErrorsSayWhatTheServiceSaid) {
  server_.Answer("403 Forbidden", S3Error("AccessDenied"));
  server_.Answer("404 Not Found", S3Error("NoSuchBucket"));
  server_.Answer("404 Not Found", S3Error("NoSuchKey"));
  server_.Answer("403 Forbidden", S3Error("RequestTimeTooSkewed"));
  server_.Answer("301 Moved Permanently", "", "x-amz-bucket-region: us-west-2\r\n");
  auto store = Open("s3://lake");
  EXPECT_THAT(store->Get("s3://lake/x").error().message,
              HasSubstr("cannot read 's3://lake/x': AccessDenied (HTTP status 403): why"));
  auto no_bucket = store->Get("s3://lake/x").error();
  EXPECT_EQ(no_bucket.kind, ErrorKind::kIo);
  EXPECT_THAT(no_bucket.message, HasSubstr("NoSuchBucket"));
  EXPECT_EQ(store->Get("s3://lake/x").error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(store->Get("s3://lake/x").error().message, HasSubstr("set this machine's clock"));
  EXPECT_THAT(store->Get("s3://lake/x").error().message,
              HasSubstr("in region 'us-west-2', asked for in 'eu-west-1'"));
}

TEST_F(S3StoreTest, AShortRangeIsNoAnswer) {
  server_.Answer("206 Partial Content", "abc");
  EXPECT_EQ(Open("s3://lake")->GetRange("s3://lake/x", 2, 5).error().kind, ErrorKind::kIo);
  EXPECT_THAT(server_.requests()[0], HasSubstr("Range: bytes=2-6"));
}

TEST_F(S3StoreTest, OneRequestTellsHowAnObjectBeginsAndHowLargeItIs) {
  server_.Answer(
      "206 Partial Content", "abc",
      "Content-Range: bytes 0-2/3000\r\nLast-Modified: Sat, 31 Jan 2026 23:59:59 GMT\r\n");
  server_.Answer("206 Partial Content", "ab", "Content-Range: bytes 0-1/2\r\n");
  server_.Answer("200 OK", "abcdef");  // a server without ranges
  auto store = std::static_pointer_cast<RemoteStore>(Open("s3://lake"));
  auto large = store->GetStart("s3://lake/x", 3);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->bytes, "abc");
  EXPECT_EQ(large->info.size, 3000);
  EXPECT_EQ(large->info.modified_ms, 1769903999000);
  EXPECT_EQ(store->GetStart("s3://lake/x", 3)->info.size, 2);
  EXPECT_EQ(store->GetStart("s3://lake/x", 3)->info.size, 6);
  EXPECT_THAT(server_.requests()[0], HasSubstr("Range: bytes=0-2"));
}

TEST_F(S3StoreTest, AStartThatIsNotWhatItSaysIsNoAnswer) {
  server_.Answer("206 Partial Content", "ab", "Content-Range: bytes 0-2/3000\r\n");
  server_.Answer("206 Partial Content", "abc", "Content-Range: bytes 0-2/*\r\n");
  server_.Answer("206 Partial Content", "abc");
  server_.Answer("404 Not Found", S3Error("NoSuchKey"));
  auto store = std::static_pointer_cast<RemoteStore>(Open("s3://lake"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(store->GetStart("s3://lake/x", 3).error().kind, ErrorKind::kIo) << i;
  EXPECT_EQ(store->GetStart("s3://lake/x", 3).error().kind, ErrorKind::kNotFound);
}

TEST_F(S3StoreTest, SomeOfAListingIsOnePage) {
  server_.Answer("200 OK",
                 "<ListBucketResult><IsTruncated>true</IsTruncated>"
                 "<NextContinuationToken>n</NextContinuationToken>"
                 "<Contents><Key>t/1.json</Key><Size>7</Size></Contents></ListBucketResult>");
  server_.Answer("200 OK", kListOf + "</ListBucketResult>");
  auto store = std::static_pointer_cast<RemoteStore>(Open("s3://lake"));
  EXPECT_EQ(store->ListSome("s3://lake/t", "/")->size(), 1u);
  EXPECT_TRUE(store->ListSome("s3://lake/t", "/")->empty());
  EXPECT_EQ(server_.requests().size(), 2u);
  EXPECT_THAT(server_.requests()[0], HasSubstr("max-keys=10"));
}

TEST_F(S3StoreTest, ListsPageByPageFromWhereItIsTold) {
  server_.Answer("200 OK",
                 "<ListBucketResult><IsTruncated>true</IsTruncated>"
                 "<NextContinuationToken>a+/=</NextContinuationToken>"
                 "<Contents><Key>t/_delta_log/</Key><Size>0</Size></Contents>"
                 "<Contents><Key>t/_delta_log/1%2B.json</Key><Size>7</Size>"
                 "<LastModified>2026-01-31T23:59:59.250Z</LastModified></Contents>"
                 "</ListBucketResult>");
  server_.Answer("200 OK", kListOf +
                               "<Contents><Key>t/_delta_log/2.json</Key><Size>8</Size></Contents>"
                               "<CommonPrefixes><Prefix>t/_delta_log/_sidecars/</Prefix>"
                               "</CommonPrefixes></ListBucketResult>");
  auto listed = Open("s3://lake")->List("s3://lake/t/_delta_log", "0.json");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ((*listed)[0].path, "s3://lake/t/_delta_log/1+.json");
  EXPECT_EQ((*listed)[0].size, 7);
  EXPECT_EQ((*listed)[0].modified_ms, 1769903999250);
  EXPECT_EQ((*listed)[1].path, "s3://lake/t/_delta_log/2.json");
  EXPECT_THAT(server_.requests()[0],
              HasSubstr("?delimiter=%2F&encoding-type=url&list-type=2&prefix=t%2F_delta_log%2F&"
                        "start-after=t%2F_delta_log%2F0.json"));
  EXPECT_THAT(server_.requests()[1], HasSubstr("continuation-token=a%2B%2F%3D"));
}

TEST_F(S3StoreTest, LargeObjectsGoInParts) {
  server_.Answer("200 OK",
                 "<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
                 "</InitiateMultipartUploadResult>");
  server_.Answer("200 OK", "", "ETag: \"one\"\r\n");
  server_.Answer("200 OK", "", "ETag: \"two\"\r\n");
  server_.Answer("200 OK", "<CompleteMultipartUploadResult/>");
  auto store = Open("s3://lake");
  auto upload = static_cast<RemoteStore&>(*store).StartUpload("s3://lake/big");
  ASSERT_TRUE(upload->Append(std::string(RemoteStore::kPartSize, 'a')));
  ASSERT_TRUE(upload->Append("rest"));
  ASSERT_TRUE(upload->Finish());
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_THAT(requests[0], StartsWith("POST /lake/big?uploads="));
  EXPECT_THAT(requests[1], StartsWith("PUT /lake/big?partNumber=1&uploadId=u1"));
  EXPECT_THAT(requests[2], StartsWith("PUT /lake/big?partNumber=2&uploadId=u1"));
  EXPECT_THAT(requests[3], HasSubstr("<PartNumber>2</PartNumber><ETag>\"two\"</ETag>"));
}

TEST_F(S3StoreTest, AnUploadThatIsGivenUpLeavesNothing) {
  server_.Answer("200 OK",
                 "<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
                 "</InitiateMultipartUploadResult>");
  server_.Answer("200 OK");
  server_.Answer("204 No Content");
  auto store = Open("s3://lake");
  auto upload = static_cast<RemoteStore&>(*store).StartUpload("s3://lake/big");
  ASSERT_TRUE(upload->Append(std::string(RemoteStore::kPartSize + 1, 'a')));
  upload.reset();
  EXPECT_THAT(server_.requests().back(), StartsWith("DELETE /lake/big?uploadId=u1"));
}

TEST_F(S3StoreTest, OtherBucketsAreOtherStores) {
  auto store = Open("s3://lake");
  EXPECT_EQ(store->Get("s3://lake2/x").error().name, "WEIR_INVALID_LOCATION");
  EXPECT_EQ(store->Get("/x").error().name, "WEIR_INVALID_LOCATION");
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(S3StoreTest, GoogleHasItsOwnCondition) {
  AnswerTheCheck();
  server_.Answer("200 OK");
  ASSERT_TRUE(Open("gs://lake")->PutIfAbsent("gs://lake/x", "1"));
  EXPECT_THAT(server_.requests()[3], HasSubstr("x-goog-if-generation-match: 0"));
  EXPECT_THAT(server_.requests()[3], HasSubstr("GOOG4-HMAC-SHA256"));
}

TEST(S3EndpointTest, HostsAndStyles) {
  auto base = [](const std::string& url, const StoreSettings& settings) {
    return S3Endpoint::Resolve(url, settings)->base_url;
  };
  EXPECT_EQ(base("s3://lake", {{"region", "eu-west-1"}}),
            "https://lake.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(base("s3://my.lake", {{"region", "eu-west-1"}}),
            "https://s3.eu-west-1.amazonaws.com/my.lake");
  EXPECT_EQ(base("s3://lake", {{"endpoint", "host:9000"}, {"use_ssl", "false"}}),
            "http://host:9000/lake");
  EXPECT_EQ(base("s3://lake", {{"endpoint", "https://host/"}, {"url_style", "vhost"}}),
            "https://lake.host");
  EXPECT_EQ(base("gs://lake", {}), "https://storage.googleapis.com/lake");
  EXPECT_EQ(S3Endpoint::Resolve("s3:///x", {}).error().name, "WEIR_INVALID_LOCATION");
  EXPECT_EQ(S3Endpoint::Resolve("s3://b", {{"url_style", "odd"}}).error().name,
            "WEIR_INVALID_STORE_SETTING");
}

TEST(S3EndpointTest, AKeyInAnAddressIsNotShown) {
  auto shown = [](const std::string& endpoint) {
    return S3Endpoint::Resolve("s3://lake", {{"endpoint", endpoint}})->shown_url();
  };
  EXPECT_EQ(shown("https://me:hush@host:9000"), "https://host:9000/lake");
  EXPECT_EQ(shown("https://host:9000"), "https://host:9000/lake");
  for (const std::string url :
       {"s3://me:hush@lake/t", "az://lake/t?sv=1&sig=hush", "https://host/t?X-Amz-Signature=hush",
        "https://me:hush@host/t", "https://host/t?token=hush"}) {
    const auto refused = OpenStore(url);
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().name, "WEIR_INVALID_LOCATION");
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hush")));
  }
}

TEST(S3AnswersTest, OtherAnswersAreNoLists) {
  EXPECT_FALSE(ParseS3List("<html>login</html>"));
  EXPECT_FALSE(ParseS3List("not xml"));
  EXPECT_FALSE(ParseS3List(""));
  EXPECT_EQ(ParseS3Failure("not xml").code, "");
}

}  // namespace
}  // namespace weir::storage
