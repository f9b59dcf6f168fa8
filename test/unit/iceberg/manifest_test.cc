// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest.h"

#include <gtest/gtest.h>

#include "iceberg/avro.h"
#include "iceberg/manifest_list.h"

namespace weir::iceberg {
namespace {

using Kind = PrimitiveKind;

PartitionSpec SpecOfAllTypes() {
  PartitionSpec spec;
  spec.id = 1;
  const std::vector<PrimitiveType> types = {
      {Kind::kBoolean},     {Kind::kInt},           {Kind::kLong},  {Kind::kFloat},
      {Kind::kDouble},      {Kind::kDecimal, 9, 2}, {Kind::kDate},  {Kind::kTimestamp},
      {Kind::kTimestampTz}, {Kind::kString},        {Kind::kBinary}};
  for (size_t i = 0; i < types.size(); ++i) {
    const int id = static_cast<int>(i);
    spec.fields.push_back({id + 1, 1000 + id, "p " + std::to_string(id), types[i]});
  }
  return spec;
}

ManifestEntry Entry(EntryStatus status, std::string path,
                    std::vector<std::optional<std::string>> partition) {
  ManifestEntry entry{status, 77, 3, 3, {}};
  entry.file.path = std::move(path);
  entry.file.partition = std::move(partition);
  entry.file.record_count = 10;
  entry.file.size = 1000;
  return entry;
}

std::vector<ManifestEntry> EntriesOfAllTypes() {
  auto full = Entry(EntryStatus::kAdded, "/t/a.parquet",
                    {BooleanBytes(true), IntBytes(-5), LongBytes(int64_t{1} << 40),
                     FloatBytes(1.5F), DoubleBytes(-2.5), DecimalBytes(-12345), IntBytes(19000),
                     LongBytes(-1), LongBytes(1), "é", std::string("\0\xff", 2)});
  full.file.value_counts = {{1, 10}, {2, 10}};
  full.file.null_value_counts = {{1, 0}, {2, 7}};
  full.file.lower_bounds = {{1, IntBytes(1)}};
  full.file.upper_bounds = {{1, IntBytes(9)}};
  return {full, Entry(EntryStatus::kDeleted, "/t/b.parquet",
                      std::vector<std::optional<std::string>>(11, std::nullopt))};
}

TEST(Manifest, ReadsBackEveryType) {
  const PartitionSpec spec = SpecOfAllTypes();
  const auto entries = EntriesOfAllTypes();
  const auto read = ReadManifest(WriteManifest(spec, 0, "{}", entries), spec);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(*read, entries);
}

TEST(Manifest, RefusesAnotherSpecAndGarbledBytes) {
  const PartitionSpec spec = SpecOfAllTypes();
  const std::string bytes = WriteManifest(spec, 0, "{}", EntriesOfAllTypes());
  EXPECT_FALSE(ReadManifest(bytes, PartitionSpec{}));
  EXPECT_FALSE(ReadManifestList(bytes));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x41);
    (void)ReadManifest(changed, spec);
  }
}

TEST(ManifestList, SummarisesAndReadsBack) {
  PartitionSpec spec;
  spec.fields = {{1, 1000, "d", {Kind::kDouble}}, {2, 1001, "s", {Kind::kString}}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ManifestFile manifest =
      Summarize(spec, {Entry(EntryStatus::kAdded, "a", {DoubleBytes(3), "x"}),
                       Entry(EntryStatus::kExisting, "b", {DoubleBytes(-3), std::nullopt}),
                       Entry(EntryStatus::kDeleted, "c", {DoubleBytes(nan), "b"})});
  EXPECT_EQ(manifest.added_files, 1);
  EXPECT_EQ(manifest.existing_rows, 10);
  EXPECT_EQ(manifest.deleted_files, 1);
  EXPECT_EQ(manifest.live_files(), 2);
  EXPECT_EQ(manifest.min_sequence_number, 3);
  ASSERT_EQ(manifest.partitions.size(), 2U);
  EXPECT_EQ(manifest.partitions[0], (FieldSummary{false, true, DoubleBytes(-3), DoubleBytes(3)}));
  EXPECT_EQ(manifest.partitions[1], (FieldSummary{true, false, "b", "x"}));
  manifest.path = "/t/m.avro";
  manifest.length = 5;
  const std::string bytes = WriteManifestList({9, std::nullopt, 4}, {manifest, ManifestFile{}});
  const auto read = ReadManifestList(bytes);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(*read, (std::vector<ManifestFile>{manifest, ManifestFile{}}));
  const auto file = ReadAvroFile(bytes);
  EXPECT_EQ(file->metadata.at("parent-snapshot-id"), "null");
  EXPECT_EQ(file->metadata.at("sequence-number"), "4");
}

TEST(SingleValue, DecimalsTakeAsFewBytesAsHoldThem) {
  EXPECT_EQ(DecimalBytes(0), std::string(1, '\0'));
  EXPECT_EQ(DecimalBytes(127), "\x7f");
  EXPECT_EQ(DecimalBytes(128), std::string("\0\x80", 2));
  EXPECT_EQ(DecimalBytes(-128), "\x80");
  EXPECT_EQ(DecimalBytes(-129), "\xff\x7f");
  EXPECT_EQ(DecimalWidth(1), 1);
  EXPECT_EQ(DecimalWidth(9), 4);
  EXPECT_EQ(DecimalWidth(18), 8);
  EXPECT_EQ(DecimalWidth(38), 16);
}

TEST(SingleValue, ComparesByType) {
  EXPECT_LT(CompareValues({Kind::kInt}, IntBytes(-1), IntBytes(1)), 0);
  EXPECT_GT(CompareValues({Kind::kLong}, LongBytes(256), LongBytes(255)), 0);
  EXPECT_LT(CompareValues({Kind::kDecimal, 9, 2}, DecimalBytes(-1000), DecimalBytes(5)), 0);
  EXPECT_EQ(CompareValues({Kind::kString}, "a", "a"), 0);
  const std::string nan = DoubleBytes(std::numeric_limits<double>::quiet_NaN());
  EXPECT_GT(CompareValues({Kind::kDouble}, nan, DoubleBytes(1e300)), 0);
  EXPECT_TRUE(IsNan({Kind::kDouble}, nan));
  EXPECT_FALSE(IsNan({Kind::kLong}, nan));
}

}  // namespace
}  // namespace weir::iceberg
