// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "delta/features/features.h"
#include "delta/features/test_table.h"

namespace weir::delta {
namespace {

using Names = std::vector<std::string>;

Protocol Listed(int reader, Names reader_features, Names writer_features) {
  Protocol protocol{reader, 7, std::nullopt, std::move(writer_features)};
  if (reader >= 3) protocol.reader_features = std::move(reader_features);
  return protocol;
}

TEST(FeatureTable, NamesAreFoundInAnyCaseAndAreUnique) {
  for (const auto& info : AllFeatures()) {
    EXPECT_EQ(FindFeature(info.name), &info) << info.name;
    EXPECT_EQ(&InfoOf(info.feature), &info);
    EXPECT_LE(info.min_reader, info.is_reader_writer() ? 3 : 1) << info.name;
  }
  EXPECT_EQ(FindFeature("DELETIONVECTORS")->feature, Feature::kDeletionVectors);
  EXPECT_EQ(FindFeature("timestampWithoutTimezone")->feature, Feature::kTimestampNtz);
  EXPECT_EQ(FindFeature("warpDrive"), nullptr);
}

TEST(FeatureTable, RequirementsAreFollowedToTheEnd) {
  FeatureSet closed = WithRequired({Feature::kIcebergWriterCompatV1});
  EXPECT_EQ(closed, (FeatureSet{Feature::kIcebergWriterCompatV1, Feature::kIcebergCompatV2,
                                Feature::kColumnMapping}));
  EXPECT_TRUE(WithRequired({Feature::kRowTracking}).Contains(Feature::kDomainMetadata));
}

TEST(SupportedFeatures, LegacyVersionsImplyTheirFeatures) {
  EXPECT_EQ(SupportedFeatures({1, 1, {}, {}}), FeatureSet());
  EXPECT_EQ(SupportedFeatures({1, 2, {}, {}}),
            (FeatureSet{Feature::kAppendOnly, Feature::kInvariants}));
  EXPECT_TRUE(IsSupported({1, 3, {}, {}}, Feature::kCheckConstraints));
  EXPECT_TRUE(IsSupported({1, 4, {}, {}}, Feature::kChangeDataFeed));
  EXPECT_TRUE(IsSupported({1, 4, {}, {}}, Feature::kGeneratedColumns));
  EXPECT_FALSE(IsSupported({1, 5, {}, {}}, Feature::kColumnMapping));
  EXPECT_TRUE(IsSupported({2, 5, {}, {}}, Feature::kColumnMapping));
  EXPECT_TRUE(IsSupported({2, 6, {}, {}}, Feature::kIdentityColumns));
  EXPECT_FALSE(IsSupported({2, 6, {}, {}}, Feature::kDeletionVectors));
}

TEST(SupportedFeatures, AtWriterSevenOnlyTheListsCount) {
  Protocol protocol = Listed(1, {}, {"rowTracking", "domainMetadata", "future"});
  EXPECT_EQ(SupportedFeatures(protocol),
            (FeatureSet{Feature::kRowTracking, Feature::kDomainMetadata}));
  EXPECT_FALSE(IsSupported(protocol, Feature::kAppendOnly));
}

TEST(IsActive, NeedsBothTheProtocolAndTheProperty) {
  TestTable on(StringMap{{"delta.enableChangeDataFeed", "true"}});
  TestTable off(StringMap{});
  Protocol listed = Listed(1, {}, {"changeDataFeed"});
  Protocol not_listed = Listed(1, {}, {"appendOnly"});
  EXPECT_TRUE(IsActive(Feature::kChangeDataFeed, listed, on.metadata, *on.schema));
  EXPECT_TRUE(IsActive(Feature::kChangeDataFeed, {1, 4, {}, {}}, on.metadata, *on.schema));
  EXPECT_FALSE(IsActive(Feature::kChangeDataFeed, not_listed, on.metadata, *on.schema));
  EXPECT_FALSE(IsActive(Feature::kChangeDataFeed, {1, 2, {}, {}}, on.metadata, *on.schema));
  EXPECT_FALSE(IsActive(Feature::kChangeDataFeed, listed, off.metadata, *off.schema));
}

TEST(IsEnabled, ThePropertiesThatMakeFeaturesActive) {
  const std::pair<Feature, std::pair<std::string, std::string>> cases[] = {
      {Feature::kAppendOnly, {"delta.appendOnly", "TRUE"}},
      {Feature::kCheckConstraints, {"delta.constraints.positive", "a > 0"}},
      {Feature::kChangeDataFeed, {"delta.enableChangeDataCapture", "true"}},
      {Feature::kColumnMapping, {"delta.columnMapping.mode", "name"}},
      {Feature::kRowTracking, {"delta.enableRowTracking", "true"}},
      {Feature::kInCommitTimestamp, {"delta.enableInCommitTimestamps", "true"}},
      {Feature::kIcebergCompatV1, {"delta.enableIcebergCompatV1", "true"}},
      {Feature::kIcebergCompatV2, {"delta.enableIcebergCompatV2", "true"}},
      {Feature::kIcebergCompatV3, {"delta.enableIcebergCompatV3", "true"}},
      {Feature::kIcebergWriterCompatV1, {"delta.enableIcebergWriterCompatV1", "true"}},
      {Feature::kDeletionVectors, {"delta.enableDeletionVectors", "true"}},
      {Feature::kV2Checkpoint, {"delta.checkpointPolicy", "v2"}},
      {Feature::kTypeWidening, {"delta.enableTypeWidening", "true"}},
      {Feature::kTypeWideningPreview, {"delta.enableTypeWidening", "true"}},
      {Feature::kVariantShredding, {"delta.enableVariantShredding", "true"}},
  };
  for (const auto& [feature, property] : cases) {
    TestTable with(StringMap{property});
    TestTable without(StringMap{});
    EXPECT_TRUE(IsEnabled(feature, with.metadata, *with.schema)) << property.first;
    EXPECT_FALSE(IsEnabled(feature, without.metadata, *without.schema)) << property.first;
  }
  TestTable mode_none(StringMap{{"delta.columnMapping.mode", "none"}});
  EXPECT_FALSE(IsEnabled(Feature::kColumnMapping, mode_none.metadata, *mode_none.schema));
}

TEST(IsEnabled, TheSchemasThatMakeFeaturesActive) {
  const std::pair<Feature, std::string> cases[] = {
      {Feature::kInvariants, R"({"name":"c","type":"long","nullable":false,"metadata":{}})"},
      {Feature::kInvariants,
       R"({"name":"c","type":{"type":"struct","fields":[{"name":"d","type":"long","nullable":false,"metadata":{}}]},"nullable":true,"metadata":{}})"},
      {Feature::kInvariants,
       R"({"name":"c","type":"long","nullable":true,"metadata":{"delta.invariants":"{}"}})"},
      {Feature::kGeneratedColumns,
       R"({"name":"c","type":"long","nullable":true,"metadata":{"delta.generationExpression":"1"}})"},
      {Feature::kIdentityColumns,
       R"({"name":"c","type":"long","nullable":true,"metadata":{"delta.identity.start":1}})"},
      {Feature::kAllowColumnDefaults,
       R"({"name":"c","type":"long","nullable":true,"metadata":{"CURRENT_DEFAULT":"1"}})"},
      {Feature::kTimestampNtz,
       R"({"name":"c","type":{"type":"array","elementType":{"type":"map","keyType":"string","valueType":"timestamp_ntz","valueContainsNull":true},"containsNull":true},"nullable":true,"metadata":{}})"},
      {Feature::kVariantType, R"({"name":"c","type":"variant","nullable":true,"metadata":{}})"},
  };
  for (const auto& [feature, field] : cases) {
    TestTable with({}, field);
    TestTable without(StringMap{});
    EXPECT_TRUE(IsEnabled(feature, with.metadata, *with.schema)) << field;
    EXPECT_FALSE(IsEnabled(feature, without.metadata, *without.schema)) << field;
  }
  // NOT NULL inside an array is not enforced.
  TestTable inside_array(
      {},
      R"({"name":"c","type":{"type":"array","elementType":{"type":"struct","fields":[{"name":"d","type":"long","nullable":false,"metadata":{}}]},"containsNull":true},"nullable":true,"metadata":{}})");
  EXPECT_FALSE(IsEnabled(Feature::kInvariants, inside_array.metadata, *inside_array.schema));
}

TEST(CheckReadable, EverythingOfTheKernelIsRead) {
  Names features = {"deletionVectors",    "columnMapping",
                    "timestampNtz",       "v2Checkpoint",
                    "typeWidening",       "typeWidening-preview",
                    "variantType",        "variantType-preview",
                    "variantShredding",   "variantShredding-preview",
                    "vacuumProtocolCheck"};
  EXPECT_TRUE(CheckReadable(Listed(3, features, features)));
  EXPECT_TRUE(CheckReadable(Listed(3, {"timestampWithoutTimezone"}, {"timestampWithoutTimezone"})));
  for (int writer = 1; writer <= 6; ++writer) {
    EXPECT_TRUE(CheckReadable({1, writer, {}, {}}));
    EXPECT_TRUE(CheckReadable({2, writer, {}, {}}));
  }
}

TEST(CheckReadable, WriterFeaturesNeverHinderReading) {
  EXPECT_TRUE(CheckReadable(Listed(1, {}, {"collations", "icebergCompatV2", "warpDrive"})));
  EXPECT_TRUE(CheckReadable({1, 8, {}, Names{"warpDrive"}}));
}

TEST(CheckReadable, EachUnsupportedFeatureIsNamed) {
  Names features = {"deletionVectors", "timestampNanos", "warpDrive"};
  auto status = CheckReadable(Listed(3, features, features));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kUnsupportedFeature);
  EXPECT_EQ(status.error().name, "DELTA_UNSUPPORTED_FEATURES_FOR_READ");
  EXPECT_NE(status.error().message.find("timestampNanos, warpDrive"), std::string::npos);
  EXPECT_EQ(status.error().message.find("deletionVectors"), std::string::npos);
}

TEST(CheckReadable, ContradictionsAreRefused) {
  const std::pair<Protocol, std::string> cases[] = {
      {{3, 6, Names{}, {}}, "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"},
      {{3, 7, {}, Names{}}, "DELTA_INVALID_PROTOCOL"},
      {{1, 7, {}, {}}, "DELTA_INVALID_PROTOCOL"},
      {{1, 7, Names{"deletionVectors"}, Names{"deletionVectors"}}, "DELTA_INVALID_PROTOCOL"},
      {{1, 2, {}, Names{"appendOnly"}}, "DELTA_INVALID_PROTOCOL"},
      {Listed(3, {"deletionVectors"}, {}), "DELTA_INVALID_PROTOCOL"},
      {Listed(3, {}, {"deletionVectors"}), "DELTA_INVALID_PROTOCOL"},
      {Listed(2, {}, {"deletionVectors"}), "DELTA_INVALID_PROTOCOL"},
      {Listed(1, {}, {"columnMapping"}), "DELTA_INVALID_PROTOCOL"},
      {Listed(3, {"appendOnly"}, {"appendOnly"}), "DELTA_INVALID_PROTOCOL"},
      {Listed(3, {"warpDrive"}, {}), "DELTA_INVALID_PROTOCOL"},
      {{0, 2, {}, {}}, "DELTA_INVALID_PROTOCOL_VERSION"},
      {{4, 7, Names{}, Names{}}, "DELTA_INVALID_PROTOCOL_VERSION"},
      {{-1, 2, {}, {}}, "DELTA_INVALID_PROTOCOL_VERSION"},
  };
  for (const auto& [protocol, name] : cases) {
    auto status = CheckReadable(protocol);
    ASSERT_FALSE(status) << protocol.min_reader_version << ", " << protocol.min_writer_version;
    EXPECT_EQ(status.error().name, name) << status.error().message;
  }
}

TEST(CheckReadable, ColumnMappingIsImpliedByReaderVersionTwo) {
  EXPECT_TRUE(CheckReadable(Listed(2, {}, {"columnMapping"})));
  EXPECT_TRUE(CheckReadable(Listed(3, {"timestampNtz"}, {"columnMapping", "timestampNtz"})));
}

TEST(CheckWritable, UnknownAndUnwritableFeaturesAreNamed) {
  TestTable table(StringMap{});
  auto status = CheckWritable(Listed(1, {}, {"appendOnly", "warpDrive", "collations"}),
                              table.metadata, *table.schema);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().name, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE");
  EXPECT_NE(status.error().message.find("warpDrive, collations"), std::string::npos);
  EXPECT_EQ(status.error().message.find("appendOnly"), std::string::npos);
}

TEST(CheckWritable, AFeatureThatIsNotUsedIsNotInTheWay) {
  Protocol protocol = Listed(1, {}, {"icebergWriterCompatV1"});
  TestTable idle(StringMap{});
  TestTable used(StringMap{{"delta.enableIcebergWriterCompatV1", "true"}});
  EXPECT_TRUE(CheckWritable(protocol, idle.metadata, *idle.schema));
  EXPECT_FALSE(CheckWritable(protocol, used.metadata, *used.schema));
  EXPECT_TRUE(CheckWritable({2, 6, {}, {}}, idle.metadata, *idle.schema));
}

TEST(CheckWritable, VersionsOfTheFutureAreRefused) {
  TestTable table(StringMap{});
  for (int version : {0, 8}) {
    Protocol protocol{1, version, {}, {}};
    if (version == 8) protocol.writer_features.emplace();
    auto status = CheckWritable(protocol, table.metadata, *table.schema);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().name, "DELTA_INVALID_PROTOCOL_VERSION");
  }
}

}  // namespace
}  // namespace weir::delta
