// SPDX-License-Identifier: Apache-2.0
#include "storage/azure/azure_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/azure/azure_answers.h"
#include "storage/azure/shared_key.h"
#include "storage/scripted_server.h"

namespace weir::storage {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string AzureError(const std::string& code) {
  return "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + code +
         "</Code><Message>why\nRequestId:1</Message></Error>";
}

class AzureStoreTest : public testing::Test {
 protected:
  std::shared_ptr<ObjectStore> Open(StoreSettings settings = {{"account_key", "a2V5"}}) {
    settings["endpoint"] = server_.url() + "/account";
    settings["account_name"] = "account";
    return *OpenAzureStore("az://lake", settings);
  }
  ScriptedServer server_;
};

TEST_F(AzureStoreTest, SignsWithTheAccountsKey) {
  server_.Answer("200 OK", "body");
  EXPECT_EQ(*Open()->Get("az://lake/t/a b"), "body");
  const std::string request = server_.requests()[0];
  EXPECT_THAT(request, StartsWith("GET /account/lake/t/a%20b HTTP/1.1"));
  EXPECT_THAT(request, HasSubstr("Authorization: SharedKey account:"));
  EXPECT_THAT(request, Not(HasSubstr("a2V5")));
}

TEST_F(AzureStoreTest, OtherWaysIn) {
  server_.Answer("200 OK");
  server_.Answer("200 OK");
  ASSERT_TRUE(Open({{"sas_token", "?sv=1&sig=x"}})->Get("az://lake/x"));
  ASSERT_TRUE(Open({{"access_token", "bearer"}})->Get("az://lake/x"));
  EXPECT_THAT(server_.requests()[0], StartsWith("GET /account/lake/x?sv=1&sig=x HTTP/1.1"));
  EXPECT_THAT(server_.requests()[1], HasSubstr("Authorization: Bearer bearer"));
}

TEST_F(AzureStoreTest, ConditionalPuts) {
  server_.Answer("201 Created");
  server_.Answer("409 Conflict", AzureError("BlobAlreadyExists"));
  server_.Answer("409 Conflict", AzureError("ContainerBeingDeleted"));
  server_.CloseWithoutAnswer();
  auto store = Open();
  EXPECT_TRUE(store->PutIfAbsent("az://lake/x", "1"));
  EXPECT_EQ(store->PutIfAbsent("az://lake/x", "1").error().kind, ErrorKind::kAlreadyExists);
  EXPECT_EQ(store->PutIfAbsent("az://lake/x", "1").error().kind, ErrorKind::kIo);
  EXPECT_EQ(store->PutIfAbsent("az://lake/x", "1").error().kind, ErrorKind::kStateUnknown);
  EXPECT_THAT(server_.requests()[0], HasSubstr("If-None-Match: *"));
  EXPECT_THAT(server_.requests()[0], HasSubstr("x-ms-blob-type: BlockBlob"));
}

TEST_F(AzureStoreTest, FoldersOfAHierarchicalAccountAreNoObjects) {
  server_.Answer("200 OK",
                 "\xEF\xBB\xBF<?xml version=\"1.0\"?><EnumerationResults><Blobs>"
                 "<Blob><Name>t/a</Name><Properties><Last-Modified>Sat, 31 Jan 2026 23:59:59 GMT"
                 "</Last-Modified><Content-Length>0</Content-Length></Properties>"
                 "<Metadata><hdi_isfolder>true</hdi_isfolder></Metadata></Blob>"
                 "<Blob><Name>t/a/x</Name><Properties><Last-Modified>Sat, 31 Jan 2026 23:59:59 GMT"
                 "</Last-Modified><Content-Length>5</Content-Length></Properties></Blob>"
                 "</Blobs><NextMarker/></EnumerationResults>");
  auto listed = Open()->ListRecursive("az://lake/t");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ((*listed)[0].path, "az://lake/t/a/x");
  EXPECT_EQ((*listed)[0].modified_ms, 1769903999000);
}

TEST_F(AzureStoreTest, ErrorsSayWhatTheServiceSaid) {
  server_.Answer("404 Not Found", AzureError("ContainerNotFound"));
  server_.Answer("403 Forbidden", AzureError("AuthenticationFailed"));
  auto store = Open();
  EXPECT_THAT(store->Get("az://lake/x").error().message,
              HasSubstr("ContainerNotFound (HTTP status 404): why"));
  EXPECT_THAT(store->Get("az://lake/x").error().message, HasSubstr("AuthenticationFailed"));
}

TEST(AzureEndpointTest, FormsOfAUrl) {
  auto endpoint = AzureEndpoint::Resolve("abfss://lake@acc.dfs.core.windows.net/t", {});
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->base_url, "https://acc.blob.core.windows.net/lake");
  EXPECT_EQ(endpoint->KeyOf("abfss://lake@acc.dfs.core.windows.net/t/x"), "t/x");
  EXPECT_EQ(endpoint->PathOf("t/x"), "abfss://lake@acc.dfs.core.windows.net/t/x");
  const StoreSettings text = {
      {"connection_string", "AccountName=acc;AccountKey=a2V5==;BlobEndpoint=http://h/acc/"}};
  endpoint = AzureEndpoint::Resolve("az://lake", text);
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->base_url, "http://h/acc/lake");
  EXPECT_EQ(endpoint->account_key, "a2V5==");
  EXPECT_EQ(AzureEndpoint::Resolve("az://lake", {}).error().name, "WEIR_INVALID_LOCATION");
}

TEST(Base64Test, BothWays) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd"})
    EXPECT_EQ(Base64Decode(Base64Encode(text)), text);
}

}  // namespace
}  // namespace weir::storage
