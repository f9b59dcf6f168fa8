// SPDX-License-Identifier: Apache-2.0
#include "delta/features/protocol_for.h"

#include <gtest/gtest.h>

#include "delta/features/test_table.h"

namespace weir::delta {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kNtzField =
    R"({"name":"t","type":"timestamp_ntz","nullable":true,"metadata":{}})";

Protocol ForNew(StringMap configuration, std::string_view field = {}) {
  TestTable table(std::move(configuration), std::string(field));
  auto protocol = ProtocolFor(table.metadata, *table.schema, nullptr);
  if (protocol) return *protocol;
  ADD_FAILURE() << protocol.error().message;
  return {};
}

Protocol ForExisting(const Protocol& current, StringMap configuration,
                     std::string_view field = {}) {
  TestTable table(std::move(configuration), std::string(field));
  auto protocol = ProtocolFor(table.metadata, *table.schema, &current);
  if (protocol) return *protocol;
  ADD_FAILURE() << protocol.error().message;
  return {};
}

std::string FailureName(StringMap configuration, const Protocol* current = nullptr,
                        std::string_view field = {}) {
  TestTable table(std::move(configuration), std::string(field));
  auto protocol = ProtocolFor(table.metadata, *table.schema, current);
  return protocol ? "" : protocol.error().name;
}

TEST(ProtocolForNewTable, StartsFromVersionsOneAndTwo) {
  EXPECT_EQ(ForNew({}), (Protocol{1, 2, {}, {}}));
  EXPECT_EQ(ForNew({{"delta.ignoreProtocolDefaults", "true"}}), (Protocol{1, 1, {}, {}}));
}

TEST(ProtocolForNewTable, ListsFeaturesOnlyWhereVersionsCannotSayIt) {
  EXPECT_EQ(ForNew({{"delta.enableChangeDataFeed", "true"}}),
            (Protocol{1, 7, {}, Names{"appendOnly", "invariants", "changeDataFeed"}}));
  EXPECT_EQ(ForNew({{"delta.constraints.c", "id > 0"}}), (Protocol{1, 3, {}, {}}));
  EXPECT_EQ(ForNew({{"delta.columnMapping.mode", "name"}}),
            (Protocol{2, 7, {}, Names{"appendOnly", "invariants", "columnMapping"}}));
}

TEST(ProtocolForNewTable, ReaderFeaturesAreInBothLists) {
  EXPECT_EQ(ForNew({{"delta.enableDeletionVectors", "true"}}),
            (Protocol{3, 7, Names{"deletionVectors"},
                      Names{"appendOnly", "invariants", "deletionVectors"}}));
  EXPECT_EQ(ForNew({{"delta.columnMapping.mode", "id"}, {"delta.checkpointPolicy", "v2"}}),
            (Protocol{3, 7, Names{"columnMapping", "v2Checkpoint"},
                      Names{"appendOnly", "invariants", "columnMapping", "v2Checkpoint"}}));
}

TEST(ProtocolForNewTable, RequiredFeaturesComeAlong) {
  EXPECT_EQ(
      ForNew({{"delta.enableRowTracking", "true"}}),
      (Protocol{1, 7, {}, Names{"appendOnly", "invariants", "domainMetadata", "rowTracking"}}));
  EXPECT_EQ(
      ForNew({{"delta.feature.clustering", "supported"}}),
      (Protocol{1, 7, {}, Names{"appendOnly", "invariants", "domainMetadata", "clustering"}}));
  EXPECT_EQ(ForNew({{"delta.enableIcebergCompatV2", "true"}}).min_reader_version, 2);
}

TEST(ProtocolForNewTable, SchemasBringTheirFeatures) {
  EXPECT_EQ(ForNew({}, kNtzField), (Protocol{3, 7, Names{"timestampNtz"},
                                             Names{"appendOnly", "invariants", "timestampNtz"}}));
}

TEST(ProtocolForNewTable, AskedForVersionsStandForTheirFeatures) {
  EXPECT_EQ(ForNew({{"delta.minReaderVersion", "1"}, {"delta.minWriterVersion", "4"}}),
            (Protocol{1, 4, {}, {}}));
  EXPECT_EQ(ForNew({{"delta.minReaderVersion", "2"}, {"delta.minWriterVersion", "5"}}),
            (Protocol{2, 5, {}, {}}));
  // Reader 2 without writer 5 has no feature of its own.
  EXPECT_EQ(ForNew({{"delta.minReaderVersion", "2"}, {"delta.minWriterVersion", "3"}}),
            (Protocol{1, 3, {}, {}}));
  // Versions 3 and 7 imply nothing.
  EXPECT_EQ(ForNew({{"delta.minReaderVersion", "3"}, {"delta.minWriterVersion", "7"}}),
            (Protocol{1, 1, {}, {}}));
  EXPECT_EQ(ForNew({{"delta.minReaderVersion", "3"},
                    {"delta.minWriterVersion", "7"},
                    {"delta.enableDeletionVectors", "true"}}),
            (Protocol{3, 7, Names{"deletionVectors"}, Names{"deletionVectors"}}));
  EXPECT_EQ(ForNew({{"delta.minReaderVersion", "3"}, {"delta.minWriterVersion", "4"}}),
            (Protocol{1, 4, {}, {}}));
}

TEST(ProtocolForNewTable, FeaturesAreNamedInAnyCase) {
  EXPECT_EQ(ForNew({{"delta.feature.deletionvectors", "Supported"}}).reader_features,
            (Names{"deletionVectors"}));
  EXPECT_EQ(ForNew({{"delta.feature.allowColumnDefaults", "enabled"}}).writer_features,
            (Names{"appendOnly", "invariants", "allowColumnDefaults"}));
}

TEST(ProtocolForNewTable, BadRequestsAreRefused) {
  EXPECT_EQ(FailureName({{"delta.feature.warpDrive", "supported"}}),
            "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG");
  EXPECT_EQ(FailureName({{"delta.feature.deletionVectors", "off"}}),
            "DELTA_UNSUPPORTED_FEATURE_STATUS");
  EXPECT_EQ(FailureName({{"delta.minReaderVersion", "two"}}), "DELTA_PROTOCOL_PROPERTY_NOT_INT");
  EXPECT_EQ(FailureName({{"delta.minReaderVersion", "4"}}), "DELTA_INVALID_PROTOCOL_VERSION");
  EXPECT_EQ(FailureName({{"delta.minWriterVersion", "0"}}), "DELTA_INVALID_PROTOCOL_VERSION");
}

TEST(ProtocolForExistingTable, WithoutNewNeedsItStaysAsItIs) {
  for (const Protocol& current :
       {Protocol{1, 2, {}, {}}, Protocol{2, 3, {}, {}}, Protocol{1, 1, {}, {}},
        Protocol{3, 7, Names{}, Names{"appendOnly", "unknown"}}}) {
    EXPECT_EQ(ForExisting(current, {}), current);
  }
}

TEST(ProtocolForExistingTable, ALegacyVersionKeepsAllItImplied) {
  // Once the change feed was on, then off; nobody may forget it when vectors come.
  EXPECT_EQ(ForExisting({1, 4, {}, {}}, {{"delta.enableDeletionVectors", "true"}}),
            (Protocol{3, 7, Names{"deletionVectors"},
                      Names{"appendOnly", "invariants", "checkConstraints", "changeDataFeed",
                            "generatedColumns", "deletionVectors"}}));
  EXPECT_EQ(
      ForExisting({2, 5, {}, {}}, {{"delta.enableRowTracking", "true"}}),
      (Protocol{2,
                7,
                {},
                Names{"appendOnly", "invariants", "checkConstraints", "changeDataFeed",
                      "generatedColumns", "columnMapping", "domainMetadata", "rowTracking"}}));
}

TEST(ProtocolForExistingTable, NothingIsEverDropped) {
  Protocol current{3, 7, Names{"deletionVectors", "v2Checkpoint"},
                   Names{"deletionVectors", "v2Checkpoint", "appendOnly"}};
  EXPECT_EQ(ForExisting(current, {}), current);
  EXPECT_EQ(ForExisting(current, {{"delta.enableDeletionVectors", "false"},
                                  {"delta.minReaderVersion", "1"},
                                  {"delta.minWriterVersion", "2"}}),
            (Protocol{3, 7, Names{"deletionVectors", "v2Checkpoint"},
                      Names{"appendOnly", "invariants", "deletionVectors", "v2Checkpoint"}}));
}

TEST(ProtocolForExistingTable, VersionsMayFillTheGapsDownToALegacyProtocol) {
  Protocol current{1, 7, {}, Names{"checkConstraints"}};
  EXPECT_EQ(ForExisting(current, {{"delta.minWriterVersion", "3"}}), (Protocol{1, 3, {}, {}}));
}

TEST(ProtocolForExistingTable, VersionsAndFeaturesMeetInTheWeakestForm) {
  StringMap two_five = {{"delta.minReaderVersion", "2"}, {"delta.minWriterVersion", "5"}};
  EXPECT_EQ(ForExisting({1, 6, {}, {}}, two_five), (Protocol{2, 6, {}, {}}));
  StringMap one_six = {{"delta.minReaderVersion", "1"}, {"delta.minWriterVersion", "6"}};
  EXPECT_EQ(ForExisting({2, 5, {}, {}}, one_six), (Protocol{2, 6, {}, {}}));
  StringMap one_two = {{"delta.minReaderVersion", "1"}, {"delta.minWriterVersion", "2"}};
  EXPECT_EQ(ForExisting({1, 4, {}, {}}, one_two), (Protocol{1, 4, {}, {}}));
  EXPECT_EQ(ForExisting({1, 4, {}, {}}, {{"delta.feature.columnMapping", "supported"}}),
            (Protocol{2, 5, {}, {}}));
  EXPECT_EQ(ForExisting({1, 4, {}, {}},
                        {{"delta.minWriterVersion", "7"}, {"delta.columnMapping.mode", "name"}}),
            (Protocol{2, 5, {}, {}}));
  EXPECT_EQ(
      ForExisting({1, 3, {}, {}},
                  {{"delta.minWriterVersion", "7"}, {"delta.enableChangeDataFeed", "true"}}),
      (Protocol{
          1, 7, {}, Names{"appendOnly", "invariants", "checkConstraints", "changeDataFeed"}}));
  EXPECT_EQ(ForExisting({1, 2, {}, {}}, {{"delta.minWriterVersion", "3"},
                                         {"delta.feature.deletionVectors", "supported"}}),
            (Protocol{3, 7, Names{"deletionVectors"},
                      Names{"appendOnly", "invariants", "checkConstraints", "deletionVectors"}}));
}

TEST(ProtocolForExistingTable, APreviewIsNotDoubled) {
  Protocol current{3, 7, Names{"typeWidening-preview"}, Names{"typeWidening-preview"}};
  EXPECT_EQ(ForExisting(current, {{"delta.enableTypeWidening", "true"}}), current);
}

TEST(ProtocolForExistingTable, TimestampNtzMustBeAddedByHand) {
  Protocol current{1, 2, {}, {}};
  EXPECT_EQ(FailureName({}, &current, kNtzField), "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT");
  Protocol with = ForExisting(current, {{"delta.feature.timestampNtz", "supported"}}, kNtzField);
  EXPECT_EQ(with.reader_features, (Names{"timestampNtz"}));
}

TEST(ProtocolForExistingTable, ReaderFeaturesNeedWriterFeatures) {
  Protocol current{1, 2, {}, {}};
  EXPECT_EQ(FailureName({{"delta.minReaderVersion", "3"}}, &current),
            "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE");
}

TEST(ProtocolProperties, AreTakenOutOfTheConfiguration) {
  StringMap configuration = {
      {"delta.feature.x", "supported"}, {"delta.minReaderVersion", "1"},
      {"delta.minWriterVersion", "2"},  {"delta.ignoreProtocolDefaults", "true"},
      {"delta.appendOnly", "true"},     {"mine", "1"}};
  RemoveProtocolProperties(configuration);
  EXPECT_EQ(configuration, (StringMap{{"delta.appendOnly", "true"}, {"mine", "1"}}));
}

TEST(WeakestProtocol, ItsResultSupportsExactlyWhatWasAsked) {
  for (const auto& one : AllFeatures()) {
    for (const auto& two : AllFeatures()) {
      FeatureSet features = WithRequired({one.feature, two.feature});
      Protocol protocol = WeakestProtocol(features);
      EXPECT_EQ(SupportedFeatures(protocol), features) << one.name << ", " << two.name;
      auto readable = CheckReadable(protocol);
      bool is_sound = readable || readable.error().kind == ErrorKind::kUnsupportedFeature;
      EXPECT_TRUE(is_sound) << one.name << ", " << two.name;
    }
  }
}

TEST(ProtocolWithout, DropsToTheWeakestForm) {
  Protocol current{3, 7, Names{"deletionVectors"},
                   Names{"appendOnly", "invariants", "deletionVectors"}};
  EXPECT_EQ(*ProtocolWithout(current, Feature::kDeletionVectors), (Protocol{1, 2, {}, {}}));
  EXPECT_EQ(*ProtocolWithout({1, 3, {}, {}}, Feature::kCheckConstraints), (Protocol{1, 2, {}, {}}));
  EXPECT_EQ(*ProtocolWithout({2, 5, {}, {}}, Feature::kColumnMapping), (Protocol{1, 4, {}, {}}));
  EXPECT_EQ(
      *ProtocolWithout({1, 4, {}, {}}, Feature::kCheckConstraints),
      (Protocol{
          1, 7, {}, Names{"appendOnly", "invariants", "changeDataFeed", "generatedColumns"}}));
}

TEST(ProtocolWithout, RefusesWhatCannotBeDropped) {
  Protocol current{1, 7, {}, Names{"domainMetadata", "rowTracking", "changeDataFeed"}};
  EXPECT_EQ(ProtocolWithout(current, Feature::kDomainMetadata).error().name,
            "DELTA_FEATURE_DROP_DEPENDENT_FEATURE");
  EXPECT_EQ(ProtocolWithout(current, Feature::kDeletionVectors).error().name,
            "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT");
  EXPECT_EQ(ProtocolWithout(current, Feature::kChangeDataFeed).error().name,
            "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE");
}

}  // namespace
}  // namespace weir::delta
