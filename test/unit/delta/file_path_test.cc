// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/file_path.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

TEST(IsAbsoluteInLog, GoesByTheDecodedPath) {
  for (const char* path : {"/a/b", "file:/a", "s3://bucket/a", "%2Fa/b", "s3%3A//bucket/a"})
    EXPECT_TRUE(IsAbsoluteInLog(path)) << path;
  for (const char* path : {"a/b", "p=a:b/c", "p=%253A/c", "%zz"})
    EXPECT_FALSE(IsAbsoluteInLog(path)) << path;
}

}  // namespace
}  // namespace weir::delta
