// SPDX-License-Identifier: Apache-2.0
#include "delta/features/properties.h"

#include <gtest/gtest.h>

#include "delta/features/property_values.h"

namespace weir::delta {
namespace {

using namespace std::chrono_literals;
using ColumnList = std::vector<std::vector<std::string>>;

TEST(PropertyValues, Intervals) {
  EXPECT_EQ(ParseIntervalProperty("interval 30 days"), 720h);
  EXPECT_EQ(ParseIntervalProperty("INTERVAL 1 Week"), 168h);
  EXPECT_EQ(ParseIntervalProperty("2 weeks"), 336h);
  EXPECT_EQ(ParseIntervalProperty(" 1 day  12 hours "), 36h);
  EXPECT_EQ(ParseIntervalProperty("interval 0 hours"), 0ms);
  EXPECT_EQ(ParseIntervalProperty("1.5 seconds"), 1500ms);
  EXPECT_EQ(ParseIntervalProperty("90 minutes -30 minutes"), 1h);
  EXPECT_EQ(ParseIntervalProperty("1500 microseconds"), 1ms);
  for (const char* text : {"", "interval", "interval ", "30", "days", "1 month", "1 year", "-1 day",
                           "1.5 days", "x days", "1 day 2", "1 fortnight", "1day",
                           "9223372036854775807 days", "interval30 days"}) {
    EXPECT_EQ(ParseIntervalProperty(text), std::nullopt) << text;
  }
}

TEST(PropertyValues, ByteSizes) {
  EXPECT_EQ(ParseByteSizeProperty("104857600"), 104857600);
  EXPECT_EQ(ParseByteSizeProperty("128mb"), 128 << 20);
  EXPECT_EQ(ParseByteSizeProperty("1G"), 1 << 30);
  EXPECT_EQ(ParseByteSizeProperty("10 KB"), 10240);
  EXPECT_EQ(ParseByteSizeProperty("7b"), 7);
  for (const char* text : {"", "mb", "-1mb", "1.5mb", "1xb", "1 kmb", "9223372036854775807k"}) {
    EXPECT_EQ(ParseByteSizeProperty(text), std::nullopt) << text;
  }
}

TEST(PropertyValues, ColumnListsSurviveQuoting) {
  EXPECT_EQ(ParseColumnListProperty("a, s.x ,`b.c`.`d``e`"),
            (ColumnList{{"a"}, {"s", "x"}, {"b.c", "d`e"}}));
  EXPECT_EQ(ParseColumnListProperty(""), ColumnList{});
  for (const char* text : {"a,", ",a", "a b", "a..b", "`a", "``", "a-b", "a.", "é"}) {
    EXPECT_EQ(ParseColumnListProperty(text), std::nullopt) << text;
  }
  ColumnList columns = {{"a"}, {"z.z"}, {"s", "x y", "q`"}};
  EXPECT_EQ(FormatColumnListProperty(columns), "a,`z.z`,s.`x y`.`q```");
  EXPECT_EQ(ParseColumnListProperty(FormatColumnListProperty(columns)), columns);
}

TEST(TableProperties, DefaultsAreSparks) {
  auto properties = ParseTableProperties({});
  ASSERT_TRUE(properties);
  EXPECT_FALSE(properties->append_only);
  EXPECT_EQ(properties->checkpoint_interval, 10);
  EXPECT_TRUE(properties->checkpoint_stats_as_json);
  EXPECT_TRUE(properties->checkpoint_stats_as_struct);
  EXPECT_EQ(properties->log_retention, 720h);
  EXPECT_EQ(properties->deleted_file_retention, 168h);
  EXPECT_EQ(properties->data_skipping_num_indexed_cols, 32);
  EXPECT_EQ(properties->column_mapping_mode, ColumnMappingMode::kNone);
  EXPECT_EQ(properties->set_transaction_retention, std::nullopt);
}

TEST(TableProperties, ValuesAreTyped) {
  auto properties = ParseTableProperties({{"delta.appendOnly", "TRUE"},
                                          {"delta.checkpointInterval", "3"},
                                          {"delta.logRetentionDuration", "interval 1 hour"},
                                          {"delta.columnMapping.mode", "Name"},
                                          {"delta.columnMapping.maxColumnId", "5000000000"},
                                          {"delta.checkpointPolicy", "v2"},
                                          {"delta.dataSkippingStatsColumns", "`z.z`"},
                                          {"delta.targetFileSize", "1mb"},
                                          {"delta.parquet.compression.codec", "ZSTD"},
                                          {"delta.parquet.format.version", "2.12.0"},
                                          {"delta.autoOptimize.autoCompact", "auto"},
                                          {"delta.future", "?"},
                                          {"mine", "?"}});
  ASSERT_TRUE(properties) << properties.error().message;
  EXPECT_TRUE(properties->append_only);
  EXPECT_EQ(properties->checkpoint_interval, 3);
  EXPECT_EQ(properties->log_retention, 1h);
  EXPECT_EQ(properties->column_mapping_mode, ColumnMappingMode::kName);
  EXPECT_EQ(properties->column_mapping_max_id, 5'000'000'000);
  EXPECT_EQ(properties->checkpoint_policy, CheckpointPolicy::kV2);
  EXPECT_EQ(properties->data_skipping_stats_columns, ColumnList{{"z.z"}});
  EXPECT_EQ(properties->target_file_size, 1 << 20);
  EXPECT_EQ(properties->parquet_compression_codec, "zstd");
  EXPECT_EQ(properties->auto_compact, AutoCompact::kAuto);
}

TEST(TableProperties, TheNewNameOfTheChangeFeedWins) {
  EXPECT_TRUE(
      ParseTableProperties({{"delta.enableChangeDataCapture", "true"}})->enable_change_data_feed);
  EXPECT_FALSE(ParseTableProperties({{"delta.enableChangeDataCapture", "true"},
                                     {"delta.enableChangeDataFeed", "false"}})
                   ->enable_change_data_feed);
}

TEST(TableProperties, ImpossibleValuesInALogAreCorruption) {
  auto properties = ParseTableProperties({{"delta.appendOnly", "yes"}});
  ASSERT_FALSE(properties);
  EXPECT_EQ(properties.error().kind, ErrorKind::kCorruptLog);
  EXPECT_NE(properties.error().message.find("delta.appendOnly"), std::string::npos);
  EXPECT_NE(properties.error().message.find("'yes'"), std::string::npos);
}

TEST(NormalizeProperty, KeysAreStoredInTheirOwnSpelling) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(*NormalizeProperty("DELTA.appendonly", "True"), (Pair{"delta.appendOnly", "True"}));
  EXPECT_EQ(*NormalizeProperty("delta.constraints.Positive", "a > 0"),
            (Pair{"delta.constraints.Positive", "a > 0"}));
  EXPECT_EQ(*NormalizeProperty("delta.feature.DeletionVectors", "supported"),
            (Pair{"delta.feature.deletionvectors", "supported"}));
  EXPECT_EQ(*NormalizeProperty("Owner", "me"), (Pair{"Owner", "me"}));
  EXPECT_EQ(NormalizePropertyKey("delta.CHECKPOINTinterval"), "delta.checkpointInterval");
  EXPECT_EQ(NormalizePropertyKey("delta.what"), "delta.what");
}

TEST(NormalizeProperty, UnknownForbiddenAndImpossibleOnesAreRefused) {
  const std::pair<StringMap::value_type, std::string> cases[] = {
      {{"delta.appendOnlyy", "true"}, "DELTA_UNKNOWN_CONFIGURATION"},
      {{"delta.columnMapping.maxColumnId", "1"}, "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"},
      {{"delta.appendOnly", "1"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.appendOnly", ""}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.checkpointInterval", "0"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.checkpointInterval", "3000000000"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.checkpointPolicy", "v3"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.columnMapping.mode", "position"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.dataSkippingNumIndexedCols", "-2"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.dataSkippingStatsColumns", "a b"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.logRetentionDuration", "1 month"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.isolationLevel", "Chaos"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.parquet.compression.codec", "rar"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.parquet.format.version", "2"}, "WEIR_INVALID_TABLE_PROPERTY"},
      {{"delta.targetFileSize", "0"}, "WEIR_INVALID_TABLE_PROPERTY"},
  };
  for (const auto& [property, name] : cases) {
    auto result = NormalizeProperty(property.first, property.second);
    ASSERT_FALSE(result) << property.first;
    EXPECT_EQ(result.error().name, name) << property.first;
    EXPECT_EQ(result.error().kind, ErrorKind::kInvalidArgument);
    EXPECT_NE(result.error().message.find(property.first), std::string::npos);
  }
}

TEST(NormalizeProperties, AreCheckedAgainstEachOtherAndTheTable) {
  EXPECT_EQ(NormalizeProperties({{"delta.enableRowTracking", "true"}},
                                {{"delta.rowTrackingSuspended", "true"}})
                .error()
                .name,
            "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION");
  EXPECT_FALSE(NormalizeProperties({{"delta.logRetentionDuration", "1 day"}}));
  EXPECT_TRUE(NormalizeProperties({{"delta.logRetentionDuration", "1 day"}},
                                  {{"delta.deletedFileRetentionDuration", "1 hour"}}));
  EXPECT_FALSE(NormalizeProperties({{"delta.deletedFileRetentionDuration", "31 days"}}));
  EXPECT_EQ(*NormalizeProperties({{"delta.APPENDONLY", "true"}, {"x", "y"}}),
            (StringMap{{"delta.appendOnly", "true"}, {"x", "y"}}));
}

}  // namespace
}  // namespace weir::delta
