// SPDX-License-Identifier: Apache-2.0
#include "delta/deletion_vectors/deletion_vector.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "delta/actions/file_path.h"
#include "delta/deletion_vectors/roaring_reader.h"
#include "delta/deletion_vectors/vector_file.h"
#include "delta/deletion_vectors/z85.h"
#include "storage/memory_store.h"

namespace weir::delta {
namespace {

RowBitmap Rows(std::initializer_list<uint64_t> rows) {
  RowBitmap bitmap;
  for (uint64_t row : rows) bitmap.Add(row);
  return bitmap;
}

std::vector<uint64_t> Members(const RowBitmap& bitmap) {
  std::vector<uint64_t> rows;
  bitmap.ForEach(0, UINT64_MAX, [&](uint64_t row) { rows.push_back(row); });
  return rows;
}

TEST(Z85, EncodesTheVectorOfItsSpecification) {
  std::string bytes = "\x86\x4F\xD2\x6F\xB5\x59\xF7\x5B";
  EXPECT_EQ(EncodeZ85(bytes), "HelloWorld");
  EXPECT_EQ(DecodeZ85("HelloWorld"), bytes);
  EXPECT_EQ(DecodeZ85(EncodeZ85("abcde")), std::string("abcde\0\0\0", 8));
  EXPECT_EQ(DecodeZ85("Hell"), std::nullopt);
  EXPECT_EQ(DecodeZ85("Hel~o"), std::nullopt);
  EXPECT_EQ(DecodeZ85("#####"), std::nullopt) << "above 2^32-1";
}

TEST(RowBitmap, IsASet) {
  RowBitmap a = Rows({3, 4, 7, 5'000'000'000});
  EXPECT_TRUE(a.Contains(4));
  EXPECT_TRUE(a.Contains(5'000'000'000));
  EXPECT_FALSE(a.Contains(5'000'000'001));
  EXPECT_EQ(a.cardinality(), 4U);
  RowBitmap b = a;
  b.Subtract(Rows({4, 5'000'000'000, 9}));
  EXPECT_EQ(Members(b), (std::vector<uint64_t>{3, 7}));
  EXPECT_EQ(a.cardinality(), 4U) << "copies are apart";
  b.Union(a);
  EXPECT_EQ(b, a);
  b.Subtract(b);
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b, RowBitmap());
}

TEST(RowBitmap, RangesCrossBuckets) {
  RowBitmap rows;
  uint64_t edge = uint64_t{1} << 32;
  rows.AddRange(edge - 2, edge + 3);
  rows.AddRange(7, 7);
  rows.Add(0);
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  rows.ForEachRange([&](uint64_t begin, uint64_t end) { ranges.emplace_back(begin, end); });
  EXPECT_EQ(ranges, (std::vector<std::pair<uint64_t, uint64_t>>{{0, 1}, {edge - 2, edge + 3}}));
  EXPECT_EQ(rows.CountInRange(0, UINT64_MAX), 6U);
  EXPECT_EQ(rows.CountInRange(edge - 1, edge + 1), 2U);
  EXPECT_EQ(rows.CountInRange(1, edge - 2), 0U);
  std::vector<uint64_t> seen;
  rows.ForEach(edge - 1, edge + 2, [&](uint64_t row) { seen.push_back(row); });
  EXPECT_EQ(seen, (std::vector<uint64_t>{edge - 1, edge, edge + 1}));
}

// Every kind of container: arrays, bitsets, runs, and several buckets.
TEST(RowBitmap, SerializesAndReadsBack) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 20; ++round) {
    RowBitmap rows;
    for (int i = 0; i < 20'000; ++i) rows.Add(random() % (round % 2 ? 40'000 : 4'000'000'000));
    rows.AddRange(1'000'000, 1'000'000 + random() % 200'000);
    rows.Add((uint64_t{5} << 32) + random() % 1000);
    auto back = RowBitmap::Deserialize(rows.Serialize());
    ASSERT_TRUE(back) << back.error().ToString();
    EXPECT_EQ(*back, rows);
  }
  auto empty = RowBitmap::Deserialize(RowBitmap().Serialize());
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->empty());
}

TEST(RowBitmap, ReadsTheNativeForm) {
  // magic, one bitmap, its length; then a bitmap without runs, one container, values 3, 4, 7.
  std::string bitmap("\x3A\x30\0\0\x01\0\0\0\0\0\x02\0\x10\0\0\0\x03\0\x04\0\x07\0", 22);
  std::string data("\x90\xA0\x39\x64\x01\0\0\0\x16\0\0\0", 12);
  uint32_t magic = kNativeMagic;
  for (int i = 0; i < 4; ++i) data[i] = static_cast<char>(magic >> (8 * i));
  auto rows = RowBitmap::Deserialize(data + bitmap);
  ASSERT_TRUE(rows) << rows.error().ToString();
  EXPECT_EQ(Members(*rows), (std::vector<uint64_t>{3, 4, 7}));
}

TEST(RowBitmap, AnyDamageIsAnErrorOrAnotherSetButNeverACrash) {
  RowBitmap rows;
  rows.AddRange(10, 5000);
  for (uint64_t i = 0; i < 30'000; i += 3) rows.Add(70'000 + i);
  rows.Add(uint64_t{3} << 32);
  std::string good = rows.Serialize();
  for (size_t size = 0; size < good.size(); size += size < 200 ? 1 : 97) {
    EXPECT_FALSE(RowBitmap::Deserialize(good.substr(0, size))) << size;
  }
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k)
      bad[random() % (round % 2 ? 64 : bad.size())] = static_cast<char>(random());
    auto result = RowBitmap::Deserialize(bad);
    if (!result) continue;
    EXPECT_EQ(Members(*result).size(), result->cardinality());
  }
  std::string many = good;
  for (int i = 4; i < 12; ++i) many[i] = '\xFF';
  EXPECT_FALSE(RowBitmap::Deserialize(many)) << "no memory for what is only promised";
}

class DeletionVectors : public testing::Test {
 protected:
  storage::MemoryStore store_;
  std::string root_ = "/t";
};

TEST_F(DeletionVectors, ManyGoIntoOneFile) {
  DeletionVectorWriter writer(store_, root_);
  std::vector<RowBitmap> vectors = {Rows({1}), Rows({0, 2, uint64_t{9} << 32}), RowBitmap()};
  vectors[2].AddRange(0, 100'000);
  std::vector<DeletionVectorDescriptor> descriptors;
  for (const auto& rows : vectors) {
    auto descriptor = writer.Add(rows);
    ASSERT_TRUE(descriptor);
    descriptors.push_back(*descriptor);
  }
  EXPECT_EQ(descriptors[0].offset, 1);
  EXPECT_EQ(descriptors[0].path_or_inline_dv.size(), 20U);
  EXPECT_FALSE(ReadDeletionVector(store_, root_, descriptors[0])) << "not written yet";
  ASSERT_TRUE(writer.Finish());
  for (size_t i = 0; i < vectors.size(); ++i) {
    EXPECT_EQ(descriptors[i].cardinality, static_cast<int64_t>(vectors[i].cardinality()));
    auto rows = ReadDeletionVector(store_, root_, descriptors[i]);
    ASSERT_TRUE(rows) << rows.error().ToString();
    EXPECT_EQ(*rows, vectors[i]);
  }
  EXPECT_EQ(*DeletionVectorPath(root_, descriptors[1]), writer.path());
}

TEST_F(DeletionVectors, FilesAreReadWithoutTheirDescriptors) {
  DeletionVectorWriter writer(store_, root_);
  const auto first = *writer.Add(Rows({1, 7}));
  const auto second = *writer.Add(Rows({3}));
  ASSERT_TRUE(writer.Finish());
  std::string file = *store_.Get(writer.path());
  auto vectors = *ReadVectorFile(file);
  ASSERT_EQ(vectors.size(), 2U);
  EXPECT_EQ(vectors[0].offset, *first.offset);
  EXPECT_EQ(vectors[1].offset, *second.offset);
  EXPECT_EQ(vectors[1].size, second.size_in_bytes);
  EXPECT_TRUE(vectors[0].checksum_matches);
  EXPECT_EQ(Members(*vectors[0].rows), (std::vector<uint64_t>{1, 7}));
  file[file.size() - 1] ^= 1;
  EXPECT_FALSE(ReadVectorFile(file)->back().checksum_matches);
  for (size_t length = 2; length < file.size(); ++length) {
    const bool ends_behind_the_first = length == static_cast<size_t>(*second.offset);
    EXPECT_EQ(ReadVectorFile(file.substr(0, length)).has_value(), ends_behind_the_first) << length;
  }
  EXPECT_FALSE(ReadVectorFile(""));
  EXPECT_FALSE(ReadVectorFile("\x02"));
}

TEST_F(DeletionVectors, NothingToWriteWritesNothing) {
  DeletionVectorWriter writer(store_, root_);
  ASSERT_TRUE(writer.Finish());
  EXPECT_TRUE(store_.ListRecursive(root_)->empty());
}

TEST_F(DeletionVectors, LieInTheFolderOfTheirPrefix) {
  DeletionVectorWriter writer(store_, root_, "ab");
  auto descriptor = *writer.Add(Rows({5}));
  ASSERT_TRUE(writer.Finish());
  EXPECT_EQ(writer.path().substr(0, 6), "/t/ab/");
  EXPECT_TRUE(ReadDeletionVector(store_, root_, descriptor));
}

TEST(DeletionVectorPath, FollowsTheProtocolsExamples) {
  DeletionVectorDescriptor descriptor;
  descriptor.path_or_inline_dv = "ab^-aqEH.-t@S}K{vb[*k^";
  EXPECT_EQ(*DeletionVectorPath("s3://mytable", descriptor),
            "s3://mytable/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
  descriptor.storage_type = 'p';
  descriptor.path_or_inline_dv = "s3://other/a%20b/deletion_vector_x.bin";
  EXPECT_EQ(*DeletionVectorPath("s3://mytable", descriptor),
            "s3://other/a b/deletion_vector_x.bin");
}

TEST(DeletionVectorPath, RefusesWhatIsNoPath) {
  DeletionVectorDescriptor descriptor;
  for (const char* text :
       {"short", "../../^-aqEH.-t@S}K{vb[*k^", "..^-aqEH.-t@S}K{vb[*k^", "~~~~~~~~~~~~~~~~~~~~"}) {
    descriptor.path_or_inline_dv = text;
    auto path = DeletionVectorPath("/t", descriptor);
    ASSERT_FALSE(path) << *path;
    EXPECT_EQ(path.error().name, "DELTA_DELETION_VECTOR_MALFORMED");
  }
  descriptor.storage_type = 'x';
  EXPECT_FALSE(DeletionVectorPath("/t", descriptor));
}

TEST_F(DeletionVectors, InlineOnesAreCutAtTheirSize) {
  RowBitmap rows = Rows({3, 4, 7, 11, 18, 29});
  std::string data = rows.Serialize();
  DeletionVectorDescriptor descriptor;
  descriptor.storage_type = 'i';
  descriptor.path_or_inline_dv = EncodeZ85(data);
  descriptor.size_in_bytes = static_cast<int32_t>(data.size());
  descriptor.cardinality = 6;
  auto read = ReadDeletionVector(store_, root_, descriptor);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(*read, rows);
  descriptor.cardinality = 5;
  EXPECT_EQ(ReadDeletionVector(store_, root_, descriptor).error().name,
            "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH");
  descriptor.size_in_bytes = 4000;
  EXPECT_EQ(ReadDeletionVector(store_, root_, descriptor).error().name,
            "DELTA_DELETION_VECTOR_SIZE_MISMATCH");
}

TEST_F(DeletionVectors, DamageIsNoticed) {
  DeletionVectorWriter writer(store_, root_);
  auto first = *writer.Add(Rows({1, 2}));
  auto second = *writer.Add(Rows({3, 9}));
  ASSERT_TRUE(writer.Finish());
  std::string file = *store_.Get(writer.path());
  auto name_after = [&](size_t at, char value, const DeletionVectorDescriptor& descriptor) {
    std::string bad = file;
    bad[at] = value;
    EXPECT_TRUE(store_.Put(writer.path(), bad));
    auto rows = ReadDeletionVector(store_, root_, descriptor);
    return rows ? std::string("fine") : rows.error().name;
  };
  EXPECT_EQ(name_after(0, 2, first), "DELTA_DELETION_VECTOR_MALFORMED");
  EXPECT_EQ(name_after(4, 99, first), "DELTA_DELETION_VECTOR_SIZE_MISMATCH");
  EXPECT_EQ(name_after(20, 99, first), "DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH");
  EXPECT_EQ(name_after(file.size() - 1, 99, second), "DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH");
  EXPECT_EQ(name_after(20, 99, second), "fine");
  second.offset = 1'000'000;
  EXPECT_EQ(name_after(0, 1, second), "WEIR_IO_ERROR");
  second.size_in_bytes = -1;
  EXPECT_EQ(name_after(0, 1, second), "DELTA_DELETION_VECTOR_MALFORMED");
}

TEST(FilePath, IsDecodedOnceAndKeptBelowTheTable) {
  EXPECT_EQ(*ResolveFilePath("/t", "p=a%252Fb/x%20y.parquet"), "/t/p=a%2Fb/x y.parquet");
  EXPECT_EQ(*ResolveFilePath("/t", "/other/x.parquet"), "/other/x.parquet");
  EXPECT_EQ(*ResolveFilePath("/t", "file:///other/x"), "/other/x");
  EXPECT_EQ(*ResolveFilePath("/t", "s3://b/x"), "s3://b/x");
  EXPECT_EQ(*ResolveFilePath("/t", "p=12:30/x"), "/t/p=12:30/x");
  for (const char* bad : {"", "a%", "a%zz", "a%00b"})
    EXPECT_FALSE(ResolveFilePath("/t", bad)) << bad;
}

TEST(FilePath, KnowsWhetherItLeavesTheTable) {
  EXPECT_TRUE(IsWithinTable("/t", "/t/a/b"));
  EXPECT_TRUE(IsWithinTable("/t", "/t/a/../b"));
  EXPECT_FALSE(IsWithinTable("/t", "/t/../u/b"));
  EXPECT_FALSE(IsWithinTable("/t", "/t"));
  EXPECT_FALSE(IsWithinTable("/t", "/t/.."));
  EXPECT_FALSE(IsWithinTable("/t", "/tt/b"));
  EXPECT_FALSE(IsWithinTable("s3://b/t", "/b/t/x"));
  EXPECT_TRUE(IsWithinTable("s3://b/t", "s3://b/t/x"));
}

}  // namespace
}  // namespace weir::delta
