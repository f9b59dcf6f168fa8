// SPDX-License-Identifier: Apache-2.0
#include "iceberg/avro.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace weir::iceberg {
namespace {

std::string File(int records) {
  AvroFileWriter writer(R"("long")", {{"key", "value"}});
  for (int i = 0; i < records; ++i) writer.Add([&](AvroEncoder& out) { out.Long(i); });
  return writer.Finish();
}

TEST(Avro, EncodesAsTheSpecificationSays) {
  const std::vector<std::pair<int64_t, std::string>> expected = {
      {0, std::string(1, '\0')}, {-1, "\x01"}, {1, "\x02"}, {-64, "\x7f"}, {64, "\x80\x01"}};
  for (const auto& [value, bytes] : expected) {
    std::string out;
    AvroEncoder(out).Long(value);
    EXPECT_EQ(out, bytes) << value;
  }
  std::string text;
  AvroEncoder(text).Bytes("foo");
  EXPECT_EQ(text,
            "\x06"
            "foo");
}

TEST(Avro, ReadsBackWhatItWrites) {
  std::string out;
  AvroEncoder encoder(out);
  const std::vector<int64_t> numbers = {0, -1, 300, std::numeric_limits<int64_t>::max(),
                                        std::numeric_limits<int64_t>::min()};
  for (const int64_t number : numbers) encoder.Long(number);
  encoder.Boolean(true);
  encoder.Bytes("text");
  AvroDecoder decoder(out);
  for (const int64_t number : numbers) EXPECT_EQ(decoder.Long(), number);
  EXPECT_TRUE(decoder.Boolean());
  EXPECT_EQ(decoder.Bytes(), "text");
  EXPECT_TRUE(decoder.ok() && decoder.at_end());
  EXPECT_EQ(decoder.Long(), 0);
  EXPECT_FALSE(decoder.ok());
}

TEST(Avro, FilesHaveHeadAndBlocks) {
  // More than one block.
  const int count = 200'000;
  const auto file = ReadAvroFile(File(count));
  ASSERT_TRUE(file) << file.error().ToString();
  EXPECT_EQ(file->count, count);
  EXPECT_EQ(file->schema(), R"("long")");
  EXPECT_EQ(file->metadata.at("key"), "value");
  AvroDecoder decoder(file->records);
  for (int i = 0; i < count; ++i) ASSERT_EQ(decoder.Long(), i);
  EXPECT_TRUE(decoder.at_end());
  EXPECT_EQ(ReadAvroFile(File(0))->count, 0);
}

TEST(Avro, RefusesEveryBeginningAndSurvivesEveryChange) {
  const std::string whole = File(3);
  const auto head_size = File(0).size();
  for (size_t size = 0; size < whole.size(); ++size) {
    if (size == head_size) continue;
    EXPECT_FALSE(ReadAvroFile(whole.substr(0, size))) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int bit : {0, 6, 7}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      (void)ReadAvroFile(changed);
    }
  }
}

// A negative count has its size behind it; the least of all has no positive counterpart.
TEST(Avro, RefusesTheLeastCount) {
  std::string file("Obj\1", 4);
  AvroEncoder encoder(file);
  encoder.Long(std::numeric_limits<int64_t>::min());
  encoder.Long(1);
  file += std::string(100, '\0');
  EXPECT_FALSE(ReadAvroFile(file));
}

}  // namespace
}  // namespace weir::iceberg
