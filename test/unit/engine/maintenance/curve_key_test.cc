// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/curve_key.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <vector>

namespace weir::engine {
namespace {

using Point = std::vector<uint32_t>;

// All points of a cube with `bits` bits in each direction.
std::vector<Point> AllPoints(size_t dimensions, int bits) {
  std::vector<Point> points = {{}};
  for (size_t i = 0; i < dimensions; ++i) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (uint32_t c = 0; c < (1U << bits); ++c) {
        longer.push_back(point);
        longer.back().push_back(c);
      }
    }
    points = std::move(longer);
  }
  return points;
}

class HilbertKeyTest : public testing::TestWithParam<std::pair<size_t, int>> {};

// What a Hilbert curve is: it visits every point once, and each step is one step in one direction.
TEST_P(HilbertKeyTest, NeighboursOnTheCurveAreNeighboursInSpace) {
  const auto [dimensions, bits] = GetParam();
  std::map<uint64_t, Point> curve;
  for (const Point& point : AllPoints(dimensions, bits)) {
    Point scratch = point;
    EXPECT_TRUE(curve.emplace(HilbertKey(scratch, bits), point).second);
  }
  const Point* last = nullptr;
  uint64_t expected = 0;
  for (const auto& [key, point] : curve) {
    EXPECT_EQ(key, expected++);
    if (last != nullptr) {
      int64_t steps = 0;
      for (size_t i = 0; i < dimensions; ++i)
        steps += std::abs(int64_t{point[i]} - int64_t{(*last)[i]});
      EXPECT_EQ(steps, 1);
    }
    last = &point;
  }
}

INSTANTIATE_TEST_SUITE_P(Cubes, HilbertKeyTest,
                         testing::Values(std::pair(size_t{1}, 5), std::pair(size_t{2}, 4),
                                         std::pair(size_t{3}, 3), std::pair(size_t{4}, 2)));

TEST(ZOrderKeyTest, InterleavesBits) {
  EXPECT_EQ(ZOrderKey(std::vector<uint32_t>{0b11, 0b00}, 2), 0b1010U);
  EXPECT_EQ(ZOrderKey(std::vector<uint32_t>{0b01, 0b10}, 2), 0b0110U);
}

TEST(CurveBitsTest, AllColumnsFitIntoAKey) {
  for (size_t columns = 1; columns <= 64; ++columns) {
    EXPECT_GE(CurveBits(columns), 1);
    EXPECT_LE(static_cast<size_t>(CurveBits(columns)) * columns, 64U);
  }
}

}  // namespace
}  // namespace weir::engine
