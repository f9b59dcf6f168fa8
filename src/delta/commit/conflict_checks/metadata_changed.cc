// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {
namespace {

constexpr std::string_view kIdentityMark = "delta.identity.highWaterMark";

void DropIdentityMarks(JsonValue& value) {
  value.Remove(kIdentityMark);
  for (auto& [name, member] : value.members()) DropIdentityMarks(member);
  for (auto& item : value.items()) DropIdentityMarks(item);
}

std::string SchemaWithoutIdentityMarks(const std::string& schema_string) {
  auto schema = JsonValue::Parse(schema_string);
  if (!schema) return schema_string;
  DropIdentityMarks(*schema);
  return schema->ToString();
}

// Another INSERT that drew identity values moves their marks in the schema, and nothing else.
bool DiffersInIdentityMarksOnly(const Metadata& a, const Metadata& b) {
  Metadata rest = a;
  rest.schema_string = b.schema_string;
  return rest == b &&
         SchemaWithoutIdentityMarks(a.schema_string) == SchemaWithoutIdentityMarks(b.schema_string);
}

}  // namespace

/// Our rows, names and properties were made for the metadata that was read.
Status CheckMetadataChanged(const ConflictCase& conflict) {
  for (const auto& action : conflict.winner.actions) {
    const auto* metadata = std::get_if<Metadata>(&action);
    if (!metadata) continue;
    if (conflict.pending.ChangesMetadata() ||
        !DiffersInIdentityMarksOnly(*metadata, conflict.tip.metadata)) {
      return Fail(Conflict("DELTA_METADATA_CHANGED", conflict.winner,
                           "changed the schema or the properties of the table"));
    }
  }
  return {};
}

}  // namespace weir::delta
