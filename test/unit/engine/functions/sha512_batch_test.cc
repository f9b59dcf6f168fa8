// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/sha512_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir::engine {
namespace {

std::vector<std::string> Digests(const std::vector<std::string>& messages, Sha512Way way) {
  std::vector<std::string> digests(messages.size(), std::string(kSha512Bytes, '\0'));
  std::vector<char*> places;
  for (auto& digest : digests) places.push_back(digest.data());
  const std::vector<std::string_view> views(messages.begin(), messages.end());
  EXPECT_TRUE(Sha512Batch(views, places, way));
  return digests;
}

std::vector<Sha512Way> OtherWays() {
  std::vector<Sha512Way> ways;
  if (FastestSha512() == Sha512Way::kAvx512) ways.push_back(Sha512Way::kAvx512);
  if (FastestSha512() != Sha512Way::kOpenSsl) ways.push_back(Sha512Way::kAvx2);
  return ways;
}

TEST(Sha512Batch, IsSha512OfEveryLength) {
  std::vector<std::string> messages;
  // Not in the order of their lengths, so that lanes end at different blocks.
  for (size_t i = 0; i <= 400; ++i) {
    std::string message(i * 167 % 401, '\0');
    for (size_t k = 0; k < message.size(); ++k) message[k] = static_cast<char>(i * 31 + k * 7);
    messages.push_back(std::move(message));
  }
  const auto expected = Digests(messages, Sha512Way::kOpenSsl);
  for (const Sha512Way way : OtherWays()) EXPECT_EQ(Digests(messages, way), expected);
}

TEST(Sha512Batch, TakesAnyNumberOfMessages) {
  for (size_t count = 0; count <= 20; ++count) {
    const std::vector<std::string> messages(count, std::string(count * 30, 'x'));
    const auto expected = Digests(messages, Sha512Way::kOpenSsl);
    for (const Sha512Way way : OtherWays()) EXPECT_EQ(Digests(messages, way), expected) << count;
  }
}

}  // namespace
}  // namespace weir::engine
