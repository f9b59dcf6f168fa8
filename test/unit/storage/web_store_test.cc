// SPDX-License-Identifier: Apache-2.0
//
// What is read from a web server, and what is refused by name.
#include "storage/http/web_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/scripted_server.h"

namespace weir::storage {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WebStoreTest : public testing::Test {
 protected:
  std::shared_ptr<RemoteStore> Open() {
    return std::static_pointer_cast<RemoteStore>(*OpenWebStore(server_.url(), {}));
  }
  std::string Path(const std::string& name) { return server_.url() + "/" + name; }

  ScriptedServer server_;
};

TEST_F(WebStoreTest, ReadsWithoutSayingWhoAsks) {
  server_.Answer("200 OK", "body");
  EXPECT_EQ(*Open()->Get(Path("t/p=a%20b/x y.json")), "body");
  const std::string request = server_.requests()[0];
  EXPECT_THAT(request, StartsWith("GET /t/p%3Da%2520b/x%20y.json HTTP/1.1"));
  EXPECT_THAT(request, Not(HasSubstr("Authorization")));
}

TEST_F(WebStoreTest, AServerWithoutRangesServesTheWhole) {
  server_.Answer("200 OK", "0123456789");
  server_.Answer("200 OK", "0123456789");
  EXPECT_EQ(*Open()->GetRange(Path("x"), 3, 4), "3456");
  EXPECT_EQ(Open()->GetRange(Path("x"), 8, 4).error().kind, ErrorKind::kIo);
}

TEST_F(WebStoreTest, FollowsARedirect) {
  server_.Answer("302 Found", "", "Location: " + Path("there") + "\r\n");
  server_.Answer("200 OK", "body");
  EXPECT_EQ(*Open()->Get(Path("here")), "body");
  EXPECT_THAT(server_.requests()[1], StartsWith("GET /there "));
}

TEST_F(WebStoreTest, ErrorsSayWhatIsWrong) {
  server_.Answer("404 Not Found");
  server_.Answer("410 Gone");
  server_.Answer("403 Forbidden");
  EXPECT_EQ(Open()->Head(Path("x")).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Open()->Get(Path("x")).error().kind, ErrorKind::kNotFound);
  const Error denied = Open()->Get(Path("x")).error();
  EXPECT_EQ(denied.kind, ErrorKind::kIo);
  EXPECT_THAT(denied.message, HasSubstr("HTTP status 403: denied"));
}

TEST_F(WebStoreTest, NeitherListsNorWrites) {
  auto store = Open();
  EXPECT_EQ(store->List(Path("t")).error().name, "WEIR_LISTING_UNSUPPORTED");
  EXPECT_EQ(store->ListSome(Path("t"), "").error().name, "WEIR_LISTING_UNSUPPORTED");
  EXPECT_EQ(store->ListDirectory(Path("t")).error().name, "WEIR_LISTING_UNSUPPORTED");
  EXPECT_EQ(store->ListRecursive(Path("t")).error().name, "WEIR_LISTING_UNSUPPORTED");
  EXPECT_EQ(store->Put(Path("x"), "1").error().name, "WEIR_READ_ONLY_STORE");
  EXPECT_EQ(store->PutIfAbsent(Path("x"), "1").error().name, "WEIR_READ_ONLY_STORE");
  EXPECT_EQ(store->Delete(Path("x")).error().name, "WEIR_READ_ONLY_STORE");
  EXPECT_EQ(store->DeleteRecursive(Path("x")).error().name, "WEIR_READ_ONLY_STORE");
  EXPECT_EQ(store->StartUpload(Path("x"))->Finish().error().name, "WEIR_READ_ONLY_STORE");
  EXPECT_TRUE(server_.requests().empty());
  EXPECT_EQ(OpenWebStore("https:///t", {}).error().name, "WEIR_INVALID_LOCATION");
}

}  // namespace
}  // namespace weir::storage
