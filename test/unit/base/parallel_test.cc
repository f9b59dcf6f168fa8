// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace weir {
namespace {

TEST(TryParallelFor, DoesAllWorkAndTellsTheFailureOfTheSmallest) {
  std::atomic<int> done{0};
  const Status status = TryParallelFor(100, 4, [&](size_t i) -> Status {
    ++done;
    if (i % 30 == 20) return Fail(IoError("WEIR_IO_ERROR", std::to_string(i)));
    return {};
  });
  EXPECT_EQ(done, 100);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "20");
  EXPECT_TRUE(TryParallelFor(0, 4, [](size_t) { return Status(); }));
}

}  // namespace
}  // namespace weir
