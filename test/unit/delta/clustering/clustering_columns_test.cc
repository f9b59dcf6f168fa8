// SPDX-License-Identifier: Apache-2.0
#include "delta/clustering/clustering_columns.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

using Columns = std::vector<ClusteringColumn>;

StructField Mapped(std::string name, std::string physical, TypePtr type) {
  StructField field;
  field.name = std::move(name);
  field.type = std::move(type);
  field.metadata.Set("delta.columnMapping.physicalName", JsonValue::String(std::move(physical)));
  return field;
}

TypePtr MappedSchema() {
  const auto integer = DataType::Primitive(TypeKind::kInteger);
  return DataType::Struct(
      {Mapped("id", "col-1", integer),
       Mapped("s", "col-2", DataType::Struct({Mapped("a", "col-3", integer)}))});
}

std::map<std::string, DomainMetadata> DomainOf(std::string configuration) {
  return {{kClusteringDomain, {kClusteringDomain, std::move(configuration), false}}};
}

TEST(ClusteringColumnsTest, RoundTrip) {
  const Columns columns = {{"id"}, {"s", "a"}};
  const DomainMetadata domain = MakeClusteringDomain(columns);
  EXPECT_EQ(domain.configuration,
            R"({"clusteringColumns":[["id"],["s","a"]],"domainName":"delta.clustering"})");
  EXPECT_EQ(ClusteringColumnsOf({{domain.domain, domain}}), columns);
}

TEST(ClusteringColumnsTest, ReadsBareNames) {
  EXPECT_EQ(ClusteringColumnsOf(DomainOf(R"({"clusteringColumns":["a.b","c"]})")),
            (Columns{{"a.b"}, {"c"}}));
  EXPECT_EQ(ClusteringColumnsOf({}), Columns{});
}

TEST(ClusteringColumnsTest, RefusesWhatIsNoList) {
  for (const char* configuration :
       {"", "{}", "[]", R"({"clusteringColumns":"a"})", R"({"clusteringColumns":[1]})",
        R"({"clusteringColumns":[[]]})", R"({"clusteringColumns":[["a",null]]})"}) {
    const auto columns = ClusteringColumnsOf(DomainOf(configuration));
    ASSERT_FALSE(columns) << configuration;
    EXPECT_EQ(columns.error().name, "DELTA_CLUSTERING_DOMAIN_MALFORMED");
  }
}

TEST(ClusteringColumnsTest, NamesBecomePhysicalAndBack) {
  const TypePtr schema = MappedSchema();
  const auto physical = ResolveClusteringColumns(*schema, Metadata(), {{"ID"}, {"s", "A"}});
  ASSERT_TRUE(physical) << physical.error().ToString();
  EXPECT_EQ(*physical, (Columns{{"col-1"}, {"col-2", "col-3"}}));
  EXPECT_EQ(LogicalClusteringColumns(*schema, *physical), (Columns{{"id"}, {"s", "a"}}));
  EXPECT_EQ(LogicalClusteringColumns(*schema, {{"gone"}, {"col-1", "x"}}),
            (Columns{{"gone"}, {"col-1", "x"}}));
}

TEST(ClusteringColumnsTest, RefusesByName) {
  const TypePtr schema = MappedSchema();
  const auto refused = [&](const Columns& named, const Metadata& metadata = {}) {
    const auto columns = ResolveClusteringColumns(*schema, metadata, named);
    return columns ? std::string() : columns.error().name;
  };
  EXPECT_EQ(refused({{"x"}}), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA");
  EXPECT_EQ(refused({{"id", "x"}}), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA");
  EXPECT_EQ(refused({{"id"}, {"Id"}}), "DELTA_DUPLICATE_COLUMNS_FOUND");
  EXPECT_EQ(refused({{"s"}}), "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED");
  EXPECT_EQ(refused({{"id"}, {"id"}, {"id"}, {"id"}, {"id"}}),
            "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS");
  Metadata metadata;
  metadata.configuration["delta.dataSkippingNumIndexedCols"] = "1";
  EXPECT_EQ(refused({{"s", "a"}}, metadata), "DELTA_CLUSTERING_COLUMN_MISSING_STATS");
  metadata.partition_columns = {"id"};
  EXPECT_EQ(refused({{"id"}}, metadata), "DELTA_CLUSTER_BY_WITH_PARTITIONED_BY");
  EXPECT_EQ(refused({}, metadata), "");
}

}  // namespace
}  // namespace weir::delta
