// SPDX-License-Identifier: Apache-2.0
#include "delta/features/properties.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "delta/constraints/check_constraints.h"
#include "delta/features/features.h"
#include "delta/maintenance/symlink_manifest.h"
#include "engine/alter/alteration.h"
#include "engine/catalog/create_table.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr const char* kComment = "comment";

// What Spark keeps outside of the properties.
void RefuseReserved(const std::string& key) {
  for (const char* reserved :
       {"location", "provider", "owner", "external", "is_managed_location"}) {
    if (key != reserved) continue;
    Throw(InvalidArgument("UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
                          "'" + key + "' is no property that a table can be given: it is reserved",
                          "0A000"));
  }
  if (delta::IsConstraintKey(key)) {
    Throw(UnsupportedFeature(
        "DELTA_ADD_CONSTRAINTS",
        "use ALTER TABLE ADD CONSTRAINT for CHECK constraints, which looks at the rows that are "
        "there; '" +
            key + "' cannot be set as a property",
        "0A000"));
  }
}

// Spark's names for a value that cannot be.
delta::StringMap Normalize(const delta::StringMap& wanted, const Alteration& change) {
  auto result = delta::NormalizeProperties(wanted, change.metadata.configuration);
  if (!result && result.error().name == "WEIR_INVALID_TABLE_PROPERTY") {
    Error error = result.error();
    error.name = "UNSUPPORTED_TABLE_CHANGE";
    error.sqlstate = "0A000";
    Throw(error);
  }
  return OrThrow(std::move(result));
}

// Manifests can be kept up only where they say all.
void CheckManifests(const Alteration& change, const delta::StringMap& properties) {
  if (!OrThrow(delta::ParseTableProperties(properties)).symlink_manifest) return;
  if (const auto& snapshot = change.table.state()->snapshot())
    OrThrow(delta::CheckListsSuffice(*snapshot));
}

// The catalog needs the times that stand in the commits.
void CheckManaged(const Alteration& change, const std::string& key) {
  if (!delta::IsSupported(change.table.state()->protocol(), delta::Feature::kCatalogManaged))
    return;
  for (const char* kept :
       {"delta.enableInCommitTimestamps", "delta.inCommitTimestampEnablementVersion",
        "delta.inCommitTimestampEnablementTimestamp"}) {
    if (key != kept) continue;
    Throw(InvalidArgument(
        "DELTA_CANNOT_MODIFY_CATALOG_MANAGED_DEPENDENCIES",
        "table " + change.table.name + " is catalog-managed and needs " + key + " as it is",
        "42616"));
  }
}

JsonValue Described(const delta::StringMap& properties) {
  JsonValue described = JsonValue::Object();
  for (const auto& [key, value] : properties) described.Set(key, JsonValue::String(value));
  return JsonValue::String(described.ToString());
}

}  // namespace

void SetProperties(Alteration& change, const delta::StringMap& properties) {
  delta::StringMap wanted = properties;
  delta::StringMap described;
  if (const auto comment = wanted.find(kComment); comment != wanted.end()) {
    change.metadata.description = comment->second;
    described.insert(*comment);
    wanted.erase(comment);
  }
  for (const auto& [key, value] : wanted) RefuseReserved(key);
  for (auto& [key, value] : Normalize(wanted, change)) {
    CheckManaged(change, key);
    described[key] = value;
    change.metadata.configuration[key] = value;
  }
  CheckStatisticsColumns(change.table.name, *change.schema, described);
  CheckManifests(change, described);
  change.operation = "SET TBLPROPERTIES";
  change.parameters.Set("properties", Described(described));
}

void UnsetProperties(Alteration& change, const std::vector<std::string>& keys) {
  std::vector<JsonValue> described;
  for (const std::string& name : keys) {
    const std::string key = delta::NormalizePropertyKey(name);
    CheckManaged(change, key);
    change.metadata.configuration.erase(key);
    if (key == kComment) change.metadata.description.reset();
    described.push_back(JsonValue::String(key));
  }
  change.operation = "UNSET TBLPROPERTIES";
  change.parameters.Set("properties",
                        JsonValue::String(JsonValue::Array(std::move(described)).ToString()));
  change.parameters.Set("ifExists", JsonValue::Bool(true));
}

// As Spark, which takes NULL for the empty text.
void SetTableComment(Alteration& change, const std::optional<std::string>& comment) {
  SetProperties(change, {{kComment, comment.value_or("")}});
}

}  // namespace weir::engine
