// SPDX-License-Identifier: Apache-2.0
#include "storage/location.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "storage/object_store.h"

namespace weir::storage {
namespace {

TEST(Location, FileUrlsAndPathsMeetInOneForm) {
  for (const char* url : {"/a/b", "/a/b/", "/a//b", "/a/./b", "file:/a/b", "file:///a/b/",
                          "file://localhost/a/b", "FILE:///a/b"}) {
    EXPECT_EQ(NormalizeLocation(url), "/a/b") << url;
  }
  EXPECT_EQ(NormalizeLocation("/"), "/");
  EXPECT_EQ(NormalizeLocation("file:///"), "/");
}

TEST(Location, RelativePathsStartAtTheWorkingDirectory) {
  auto here = std::filesystem::current_path();
  EXPECT_EQ(NormalizeLocation("t"), (here / "t").string());
  EXPECT_EQ(NormalizeLocation("./t/"), (here / "t").string());
  EXPECT_EQ(NormalizeLocation("../t"), (here.parent_path() / "t").string());
  EXPECT_EQ(NormalizeLocation("."), here.string());
  EXPECT_EQ(NormalizeLocation("file:t"), (here / "t").string());
}

TEST(Location, PathsAreTakenAsTheyAre) {
  EXPECT_EQ(NormalizeLocation("/a b/c%20d/e:f"), "/a b/c%20d/e:f");
  EXPECT_EQ(NormalizeLocation("file:///c%20d"), "/c%20d");
  EXPECT_EQ(NormalizeLocation("/link/../t"), "/link/../t");
}

TEST(Location, OtherSchemesKeepTheirForm) {
  EXPECT_EQ(NormalizeLocation("S3://Bucket/a/"), "s3://Bucket/a");
  EXPECT_EQ(NormalizeLocation("memory://"), "memory://");
  EXPECT_EQ(NormalizeLocation("memory://t//"), "memory://t");
}

TEST(Location, SchemesAreToldFromNamesWithColons) {
  EXPECT_EQ(SchemeOf("s3a://b/t"), "s3a");
  EXPECT_EQ(SchemeOf("file:/t"), "file");
  EXPECT_EQ(SchemeOf("/a/b:c"), "");
  EXPECT_EQ(SchemeOf("ts=12:30"), "");
  EXPECT_EQ(SchemeOf("a:b"), "");
  EXPECT_EQ(SchemeOf("abc:def"), "");
  EXPECT_EQ(SchemeOf(""), "");
}

TEST(Location, JoinAndBaseName) {
  EXPECT_EQ(JoinPath("/a", "b"), "/a/b");
  EXPECT_EQ(JoinPath("/a/", "/b/c"), "/a/b/c");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(JoinPath("s3://b", "x"), "s3://b/x");
  EXPECT_EQ(BaseName("/a/b.json"), "b.json");
  EXPECT_EQ(BaseName("b"), "b");
}

TEST(OpenStore, KnownSchemes) {
  EXPECT_TRUE(OpenStore("/a"));
  EXPECT_TRUE(OpenStore("relative/path"));
  EXPECT_TRUE(OpenStore("file:///a"));
  auto one = OpenStore("memory://a");
  auto two = OpenStore("memory://b");
  EXPECT_EQ(*one, *two);
}

TEST(OpenStore, AnUnknownSchemeIsNamed) {
  auto store = OpenStore("gopher://host/t");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.error().name, "WEIR_UNSUPPORTED_SCHEME");
  EXPECT_NE(store.error().message.find("gopher"), std::string::npos);
}

}  // namespace
}  // namespace weir::storage
