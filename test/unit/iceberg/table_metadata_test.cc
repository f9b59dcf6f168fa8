// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_metadata.h"

#include <gtest/gtest.h>

namespace weir::iceberg {
namespace {

TableMetadata Example() {
  TableMetadata metadata;
  metadata.uuid = "f080d4db-456d-44ad-93ae-f2fa2f9a7b2b";
  metadata.location = "s3://b/t";
  metadata.last_sequence_number = 2;
  metadata.last_updated_ms = 1000;
  metadata.last_column_id = 3;
  metadata.schemas = {{0, *JsonValue::Parse(R"([{"id":1,"name":"a"}])")}};
  metadata.specs = {{0, {{1, 1000, "a", {}}}}};
  metadata.last_partition_id = 1000;
  metadata.properties = {{"delta-version", "4"}};
  metadata.snapshots = {
      {5, std::nullopt, 1, 900, "s3://b/t/metadata/l1", 0, {{"operation", "append"}}},
      {6, 5, 2, 1000, "s3://b/t/metadata/l2", 0, {{"operation", "delete"}}}};
  metadata.current_snapshot_id = 6;
  metadata.snapshot_log = {{900, 5}, {1000, 6}};
  metadata.metadata_log = {{900, "s3://b/t/metadata/v3.metadata.json"}};
  return metadata;
}

TEST(TableMetadata, ReadsBackWhatItWrites) {
  const std::string text = SerializeTableMetadata(Example());
  const auto read = ParseTableMetadata(text);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(SerializeTableMetadata(*read), text);
  EXPECT_EQ(read->current_snapshot()->parent_id, 5);
  EXPECT_EQ(read->current_snapshot()->summary.at("operation"), "delete");
  EXPECT_EQ(*read->FindProperty("delta-version"), "4");
  EXPECT_EQ(read->FindProperty("none"), nullptr);
}

TEST(TableMetadata, MayHaveNoSnapshot) {
  TableMetadata metadata = Example();
  metadata.snapshots.clear();
  metadata.current_snapshot_id.reset();
  const auto read = ParseTableMetadata(SerializeTableMetadata(metadata));
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(read->current_snapshot(), nullptr);
}

TEST(TableMetadata, NamesWhatIsWrong) {
  auto json = *JsonValue::Parse(SerializeTableMetadata(Example()));
  for (const char* key : {"format-version", "table-uuid", "location", "last-sequence-number",
                          "current-schema-id", "schemas", "default-spec-id", "snapshots"}) {
    JsonValue without = json;
    without.Remove(key);
    const auto read = ParseTableMetadata(without.ToString());
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().name, "WEIR_ICEBERG_METADATA_MALFORMED");
  }
  EXPECT_FALSE(ParseTableMetadata("[1"));
  EXPECT_FALSE(ParseTableMetadata("[]"));
  json.Set("format-version", JsonValue::Int(3));
  EXPECT_NE(ParseTableMetadata(json.ToString()).error().message.find("format-version"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::iceberg
