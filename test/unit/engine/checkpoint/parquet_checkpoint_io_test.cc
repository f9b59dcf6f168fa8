// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/parquet_checkpoint_io.h"

#include <random>
#include <string>
#include <vector>

#include "duckdb.hpp"

#include "delta/checkpoint/write_checkpoint.h"
#include "delta/snapshot/log_fixture.h"
#include "storage/fault_store.h"
#include "storage/temporary_directory.h"

namespace weir::engine {
namespace {

using delta::AddFile;
using delta::AddView;
using delta::CheckpointColumns;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Copies what it gets.
class Collected final : public delta::CheckpointVisitor {
 public:
  Status OnAdd(const AddView& add) override {
    delta::FileSegmentBuilder builder;
    WEIR_RETURN_IF_ERROR(builder.Append(add));
    auto segment = builder.Finish();
    adds.push_back(segment->Get(0));
    if (!add.stats.empty()) adds.back().stats = std::string(add.stats);
    return {};
  }
  Status OnRemove(delta::RemoveFile remove) override {
    removes.push_back(std::move(remove));
    return {};
  }
  Status OnAction(delta::Action action) override {
    others.push_back(delta::SerializeAction(action));
    return {};
  }

  std::vector<AddFile> adds;
  std::vector<delta::RemoveFile> removes;
  std::vector<std::string> others;
};

constexpr CheckpointColumns kEverything{true, true, true, true};

class ParquetCheckpoint : public delta::LogTest {
 protected:
  ParquetCheckpoint() { log.checkpoint_io = ParquetCheckpointIo(); }

  // Puts the rows of a query as a Parquet file.
  void PutParquet(const std::string& name, const std::string& query) {
    storage::TemporaryDirectory directory;
    std::string file = directory.path() + "/file.parquet";
    duckdb::DuckDB database(nullptr);
    duckdb::Connection connection(database);
    auto result = connection.Query("COPY (" + query + ") TO '" + file + "' (FORMAT parquet)");
    ASSERT_FALSE(result->HasError()) << result->GetError();
    auto bytes = storage::OpenStore(file).value()->Get(file);
    ASSERT_TRUE(bytes);
    ASSERT_TRUE(store->Put(PathOf(name), *bytes));
  }

  Collected Read(const std::string& name, const CheckpointColumns& columns = kEverything) {
    Collected collected;
    auto read = log.checkpoint_io->Read(*store, {PathOf(name)}, columns, collected);
    EXPECT_TRUE(read) << (read ? "" : read.error().ToString());
    return collected;
  }

  std::vector<std::string> ReadStats(const std::string& name,
                                     const std::optional<std::vector<std::string>>& columns) {
    std::vector<std::string> texts;
    auto read = log.checkpoint_io->ReadStats(*store, {PathOf(name)}, columns,
                                             [&](size_t n, std::string_view json) -> Status {
                                               EXPECT_EQ(n, texts.size());
                                               texts.emplace_back(json);
                                               return {};
                                             });
    EXPECT_TRUE(read) << (read ? "" : read.error().ToString());
    return texts;
  }

  // Version 1 with every kind of action and member, as commits alone.
  void MakeTable(const std::string& configuration) {
    clock.Set(int64_t{100} * 86'400'000);
    Commit(
        0,
        {R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors","v2Checkpoint"],"writerFeatures":["deletionVectors","v2Checkpoint","rowTracking","domainMetadata"]}})",
         MetadataLine(configuration, "\"p\""),
         R"({"add":{"path":"p=x%20y/a","partitionValues":{"p":"x y"},"size":5,"modificationTime":7,"dataChange":true,"stats":"{\"numRecords\":3,\"minValues\":{\"id\":1},\"maxValues\":{\"id\":9},\"nullCount\":{\"id\":0}}","tags":{"k":"v","q":"\"é\""},"baseRowId":4,"defaultRowCommitVersion":1,"clusteringProvider":"liquid"}})",
         R"({"add":{"path":"b","partitionValues":{"p":null},"size":20,"modificationTime":8,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}}})",
         R"({"txn":{"appId":"x","version":3,"lastUpdated":5}})",
         R"({"domainMetadata":{"domain":"d","configuration":"{\"a\":1}","removed":false}})"});
    Commit(
        1,
        {R"({"remove":{"path":"gone","deletionTimestamp":8640000000,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":"z"},"size":77,"deletionVector":{"storageType":"i","pathOrInlineDv":"wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L","sizeInBytes":40,"cardinality":6},"baseRowId":9,"defaultRowCommitVersion":2}})"});
  }

  void ExpectSameState(const delta::Snapshot& a, const delta::Snapshot& b) {
    EXPECT_EQ(a.protocol(), b.protocol());
    EXPECT_EQ(a.metadata(), b.metadata());
    EXPECT_EQ(a.transactions(), b.transactions());
    EXPECT_EQ(a.domains(), b.domains());
    ASSERT_EQ(a.files().size(), b.files().size());
    for (size_t i = 0; i < a.files().size(); ++i) {
      AddFile first = a.files().Get(i);
      AddFile second = b.files().Get(i);
      first.data_change = second.data_change = false;
      EXPECT_EQ(first, second) << first.path;
    }
    auto tombstones_a = a.Tombstones();
    auto tombstones_b = b.Tombstones();
    ASSERT_TRUE(tombstones_a && tombstones_b);
    ASSERT_EQ((*tombstones_a)->size(), (*tombstones_b)->size());
    for (size_t i = 0; i < (*tombstones_a)->size(); ++i) {
      delta::RemoveFile first = (**tombstones_a)[i];
      delta::RemoveFile second = (**tombstones_b)[i];
      first.data_change = second.data_change = false;
      EXPECT_EQ(first, second);
    }
  }
};

TEST_F(ParquetCheckpoint, WhatIsWrittenIsReadBack) {
  for (const char* configuration :
       {"", R"("delta.checkpoint.writeStatsAsJson":"false")", R"("delta.checkpointPolicy":"v2")",
        R"("delta.checkpoint.writeStatsAsStruct":"false","delta.checkpointPolicy":"v2")"}) {
    ASSERT_TRUE(store->DeleteRecursive("/t"));
    MakeTable(configuration);
    auto before = Load();
    auto written = delta::WriteCheckpoint(*before);
    ASSERT_TRUE(written) << written.error().ToString();
    Delete(delta::CommitFileName(0));
    auto after = Load();
    ASSERT_TRUE(after);
    EXPECT_THAT(after->warnings(), IsEmpty());
    ExpectSameState(*before, *after);
  }
}

TEST_F(ParquetCheckpoint, StatisticsKeepTheirTypes) {
  auto field = [](const char* name, delta::TypePtr type) {
    delta::StructField field;
    field.name = name;
    field.type = std::move(type);
    return field;
  };
  using delta::DataType;
  using delta::TypeKind;
  auto nested = DataType::Struct({field("x y", DataType::Primitive(TypeKind::kLong))});
  auto values = DataType::Struct(
      {field("b", DataType::Primitive(TypeKind::kByte)), field("d38", DataType::Decimal(38, 18)),
       field("d9", DataType::Decimal(9, 2)), field("f", DataType::Primitive(TypeKind::kFloat)),
       field("nan", DataType::Primitive(TypeKind::kDouble)),
       field("day", DataType::Primitive(TypeKind::kDate)),
       field("ts", DataType::Primitive(TypeKind::kTimestamp)),
       field("ntz", DataType::Primitive(TypeKind::kTimestampNtz)),
       field("s", DataType::Primitive(TypeKind::kString)), field("n", nested)});
  auto schema = DataType::Struct(
      {field("numRecords", DataType::Primitive(TypeKind::kLong)), field("minValues", values)});
  std::string text =
      R"({"numRecords":3,"minValues":{"b":-128,"d38":12345678901234567890.123456789012345678,"d9":-0.05,"f":1.5,"nan":"NaN","day":"0001-01-01","ts":"2020-01-01T00:00:00.123Z","ntz":"1969-12-31T23:59:59.999","s":"\"é\n","n":{"x y":9223372036854775807}}})";
  Commit(0, {kProtocol, MetadataLine(), "", AddLine("a")});
  AddFile add;
  add.path = "a";
  add.stats = text;
  AddFile odd = add;
  odd.path = "odd";
  odd.stats =
      R"({"minValues":{"s":"only","b":1000,"day":"yesterday","unknown":[1]},"numRecords":"x"})";
  Commit(0, {kProtocol, MetadataLine(), delta::SerializeAction(add), delta::SerializeAction(odd)});
  auto snapshot = Load();
  delta::CheckpointContent content;
  content.files = &snapshot->files();
  content.last_file = 2;
  delta::CheckpointLayout layout;
  layout.stats_as_json = false;
  layout.stats_schema = schema;
  layout.other_actions = false;
  auto bytes = log.checkpoint_io->Write(content, layout);
  ASSERT_TRUE(bytes) << bytes.error().ToString();
  ASSERT_TRUE(store->Put(PathOf("x.parquet"), *bytes));
  auto adds = Read("x.parquet").adds;
  ASSERT_THAT(adds, SizeIs(2));
  EXPECT_EQ(adds[0].stats, text);
  EXPECT_EQ(adds[1].stats, R"({"minValues":{"s":"only"}})");
  EXPECT_THAT(
      ReadStats("x.parquet", std::vector<std::string>{"d9", "n", "absent"}),
      ElementsAre(R"({"numRecords":3,"minValues":{"d9":-0.05,"n":{"x y":9223372036854775807}}})",
                  ""));
}

TEST_F(ParquetCheckpoint, StatisticsInTextAloneAreCut) {
  PutParquet(
      "x.parquet",
      R"(SELECT {'path': 'a', 'size': 1, 'stats': '{"numRecords": 3,"minValues":{"x":1,"y":{"z":[1]}},"maxValues":{"y":2,"x":1e5},"nullCount":{"x":0}}'} AS add
    UNION ALL SELECT {'path': 'b', 'size': 1, 'stats': NULL} UNION ALL SELECT NULL
    UNION ALL SELECT {'path': 'c', 'size': 1, 'stats': 'no json'})");
  EXPECT_THAT(
      ReadStats("x.parquet", std::vector<std::string>{"x"}),
      ElementsAre(
          R"({"numRecords":3,"minValues":{"x":1},"maxValues":{"x":1e5},"nullCount":{"x":0}})", "",
          "no json"));
  EXPECT_THAT(ReadStats("x.parquet", std::nullopt)[2], "no json");
}

TEST_F(ParquetCheckpoint, ColumnsThatAreMissingReadAsNull) {
  PutParquet("x.parquet", "SELECT {'path': 'a', 'size': 1} AS add");
  auto collected = Read("x.parquet");
  ASSERT_THAT(collected.adds, SizeIs(1));
  EXPECT_EQ(collected.adds[0].path, "a");
  EXPECT_EQ(collected.adds[0].modification_time, 0);
  EXPECT_FALSE(collected.adds[0].stats);
  EXPECT_FALSE(collected.adds[0].deletion_vector);
  PutParquet("y.parquet", "SELECT 1 AS other");
  EXPECT_THAT(Read("y.parquet").adds, IsEmpty());
}

TEST_F(ParquetCheckpoint, PartitionValuesFromTheTypedColumn) {
  PutParquet("x.parquet", R"(SELECT {'path': 'a', 'size': 1, 'partitionValues_parsed':
      {'i': 5, 'd': DATE '2020-01-31', 's': 'x', 'n': NULL::INT, 'm': 1.10::DECIMAL(5,2)}} AS add)");
  auto values = Read("x.parquet").adds.at(0).partition_values;
  EXPECT_EQ(values.at("i"), "5");
  EXPECT_EQ(values.at("d"), "2020-01-31");
  EXPECT_EQ(values.at("s"), "x");
  EXPECT_EQ(values.at("m"), "1.10");
  EXPECT_EQ(values.at("n"), std::nullopt);
}

TEST_F(ParquetCheckpoint, AnEmptyVectorStructIsNoVector) {
  PutParquet("x.parquet", R"(SELECT {'path': 'a', 'size': 1, 'deletionVector':
      {'storageType': '', 'pathOrInlineDv': '', 'offset': NULL::INT, 'sizeInBytes': 0, 'cardinality': 0}} AS add)");
  EXPECT_FALSE(Read("x.parquet").adds.at(0).deletion_vector);
}

TEST_F(ParquetCheckpoint, OnlyWhatIsAskedForIsHandedOver) {
  MakeTable("");
  ASSERT_TRUE(delta::WriteCheckpoint(*Load()));
  std::string name = delta::ClassicCheckpointFileName(1);
  CheckpointColumns columns;
  columns.removes = true;
  auto removes = Read(name, columns);
  EXPECT_THAT(removes.adds, IsEmpty());
  EXPECT_THAT(removes.removes, SizeIs(1));
  EXPECT_THAT(removes.others, IsEmpty());
  columns = {};
  columns.adds = true;
  auto adds = Read(name, columns);
  EXPECT_THAT(adds.adds, SizeIs(2));
  EXPECT_FALSE(adds.adds[0].stats);
  columns = {};
  columns.other_actions = true;
  EXPECT_THAT(Read(name, columns).others, SizeIs(4));
}

TEST_F(ParquetCheckpoint, ManyFilesKeepTheirOrder) {
  std::vector<std::string> lines = {kProtocol, MetadataLine()};
  for (int i = 0; i < 10'000; ++i) {
    lines.push_back(
        AddLine(fmt::format("f{}", i), i, fmt::format(R"(,"stats":"{{\"numRecords\":{}}}")", i)));
  }
  Commit(0, lines);
  auto before = Load();
  ASSERT_TRUE(delta::WriteCheckpoint(*before));
  auto name = delta::ClassicCheckpointFileName(0);
  auto adds = Read(name).adds;
  ASSERT_EQ(adds.size(), 10'000U);
  auto stats = ReadStats(name, std::vector<std::string>{"id"});
  ASSERT_EQ(stats.size(), 10'000U);
  for (size_t i = 0; i < adds.size(); ++i) EXPECT_EQ(adds[i].stats, stats[i]);
}

// --- what goes wrong

TEST_F(ParquetCheckpoint, AMissingFileAndAFailingStoreKeepTheirKind) {
  Collected collected;
  auto missing = log.checkpoint_io->Read(*store, {PathOf("none.parquet")}, kEverything, collected);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);

  MakeTable("");
  ASSERT_TRUE(delta::WriteCheckpoint(*Load()));
  std::string path = PathOf(delta::ClassicCheckpointFileName(1));
  for (int64_t i = 0;; ++i) {
    storage::FaultStore faulty(store);
    faulty.Inject(i, storage::Fault::kError);
    auto read = log.checkpoint_io->Read(faulty, {path}, kEverything, collected);
    if (!faulty.was_hit()) break;
    ASSERT_FALSE(read) << i;
    EXPECT_EQ(read.error().kind, ErrorKind::kIo) << read.error().ToString();
  }
}

TEST_F(ParquetCheckpoint, AVisitorsRefusalComesBackUnchanged) {
  struct Refusing final : delta::CheckpointVisitor {
    Status OnAdd(const AddView&) override { return Fail(UnsupportedFeature("WEIR_TEST", "no")); }
    Status OnRemove(delta::RemoveFile) override { return {}; }
    Status OnAction(delta::Action) override { return {}; }
  } refusing;
  MakeTable("");
  ASSERT_TRUE(delta::WriteCheckpoint(*Load()));
  auto read = log.checkpoint_io->Read(*store, {PathOf(delta::ClassicCheckpointFileName(1))},
                                      kEverything, refusing);
  EXPECT_EQ(read.error().name, "WEIR_TEST");
  EXPECT_EQ(read.error().kind, ErrorKind::kUnsupportedFeature);
}

TEST_F(ParquetCheckpoint, BrokenRowsAreCorrupt) {
  for (const char* query :
       {"SELECT {'path': 'a', 'size': NULL::BIGINT} AS add",
        "SELECT {'path': 'a', 'size': 1, 'deletionVector': {'storageType': 'x', 'pathOrInlineDv': "
        "'y', "
        "'sizeInBytes': 1, 'cardinality': 1}} AS add",
        "SELECT {'path': 'a', 'size': 1, 'deletionVector': {'storageType': 'u'}} AS add",
        "SELECT {'path': 'a', 'size': 'many'} AS add", "SELECT {'id': 'm'} AS metaData"}) {
    PutParquet("x.parquet", query);
    Collected collected;
    auto read = log.checkpoint_io->Read(*store, {PathOf("x.parquet")}, kEverything, collected);
    ASSERT_FALSE(read) << query;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorruptLog) << read.error().ToString();
    EXPECT_THAT(read.error().message, HasSubstr("x.parquet"));
  }
}

// DuckDB's threads may be about to end when the reader gives up: often enough to meet them.
TEST_F(ParquetCheckpoint, WhoGivesUpLeavesNoThreadBehind) {
  PutParquet("x.parquet", "SELECT {'path': 'a', 'size': NULL::BIGINT} AS add FROM range(3000)");
  for (int round = 0; round < 300; ++round) {
    Collected collected;
    auto read = log.checkpoint_io->Read(*store, {PathOf("x.parquet")}, kEverything, collected);
    ASSERT_FALSE(read);
  }
}

TEST_F(ParquetCheckpoint, DamagedBytesNeverCrashAndLeaveTheReaderUsable) {
  MakeTable("");
  ASSERT_TRUE(delta::WriteCheckpoint(*Load()));
  std::string path = PathOf(delta::ClassicCheckpointFileName(1));
  std::string good = *store->Get(path);
  std::mt19937 random(7);
  for (int round = 0; round < 120; ++round) {
    std::string bad = good;
    if (round % 3 == 0) {
      bad.resize(random() % good.size());
    } else {
      for (int flips = 0; flips < 4; ++flips)
        bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    }
    ASSERT_TRUE(store->Put(PathOf("bad.parquet"), bad));
    Collected collected;
    auto read = log.checkpoint_io->Read(*store, {PathOf("bad.parquet")}, kEverything, collected);
    if (!read && round % 3 == 0) {
      EXPECT_EQ(read.error().kind, ErrorKind::kCorruptLog) << read.error().ToString();
    }
  }
  EXPECT_THAT(Read(delta::ClassicCheckpointFileName(1)).adds, SizeIs(2));
}

TEST_F(ParquetCheckpoint, ATruncatedCheckpointFallsBackToTheCommits) {
  MakeTable("");
  auto before = Load();
  ASSERT_TRUE(delta::WriteCheckpoint(*before));
  std::string path = PathOf(delta::ClassicCheckpointFileName(1));
  std::string bytes = *store->Get(path);
  ASSERT_TRUE(store->Put(path, bytes.substr(0, bytes.size() / 2)));
  auto after = Load();
  ASSERT_TRUE(after);
  EXPECT_THAT(after->warnings(), SizeIs(1));
  ExpectSameState(*before, *after);
}

}  // namespace
}  // namespace weir::engine
