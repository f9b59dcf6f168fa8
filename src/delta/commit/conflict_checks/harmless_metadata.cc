// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/harmless_metadata.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/text.h"
#include "delta/commit/pending_commit.h"

namespace weir::delta {
namespace {

constexpr std::string_view kIdentityMark = "delta.identity.highWaterMark";
constexpr std::string_view kMappingMode = "delta.columnMapping.mode";
constexpr std::string_view kPhysicalName = "delta.columnMapping.physicalName";
constexpr std::array<std::string_view, 3> kMappingMembers = {
    kPhysicalName, "delta.columnMapping.id", "delta.columnMapping.nested.ids"};

// Takes members out of the metadata of every column, however deep.
template <size_t N>
void DropMembers(JsonValue& value, const std::array<std::string_view, N>& names) {
  for (std::string_view name : names) value.Remove(name);
  for (auto& [name, member] : value.members()) DropMembers(member, names);
  for (auto& item : value.items()) DropMembers(item, names);
}

// Whether every column that has a physical name has its own name as that.
bool KeepsNames(const JsonValue& value) {
  const JsonValue* name = value.Find("name");
  const JsonValue* metadata = value.Find("metadata");
  const JsonValue* physical = name && metadata ? metadata->Find(kPhysicalName) : nullptr;
  if (physical && !(*physical == *name)) return false;
  return std::all_of(value.members().begin(), value.members().end(),
                     [](const auto& member) { return KeepsNames(member.second); }) &&
         std::all_of(value.items().begin(), value.items().end(), KeepsNames);
}

template <size_t N>
bool SchemasDifferOnlyIn(const std::array<std::string_view, N>& names, const Metadata& before,
                         const Metadata& after) {
  auto old_schema = JsonValue::Parse(before.schema_string);
  auto new_schema = JsonValue::Parse(after.schema_string);
  if (!old_schema || !new_schema) return before.schema_string == after.schema_string;
  DropMembers(*old_schema, names);
  DropMembers(*new_schema, names);
  return *old_schema == *new_schema;
}

std::string MappingMode(const Metadata& metadata) {
  auto it = metadata.configuration.find(std::string(kMappingMode));
  return it == metadata.configuration.end() ? "none" : ToLowerAscii(it->second);
}

bool IsHarmlessProperty(const std::string& key, const std::string& value, const Metadata& after) {
  if (key == "delta.enableDeletionVectors" || key == "delta.enableInCommitTimestamps") {
    return IsPropertyTrue(after, key);
  }
  if (key == "delta.checkpointPolicy") return EqualsIgnoreCase(value, "v2");
  return key == kMappingMode || key == "delta.columnMapping.maxColumnId" ||
         key == "delta.inCommitTimestampEnablementVersion" ||
         key == "delta.inCommitTimestampEnablementTimestamp";
}

}  // namespace

bool IsHarmlessChange(const Metadata& before, const Metadata& after) {
  Metadata rest = before;
  rest.schema_string = after.schema_string;
  if (rest == after && SchemasDifferOnlyIn(std::array{kIdentityMark}, before, after)) return true;

  rest.configuration = after.configuration;
  if (!(rest == after)) return false;
  for (const auto& [key, value] : before.configuration) {
    if (!after.configuration.contains(key)) return false;
  }
  for (const auto& [key, value] : after.configuration) {
    auto it = before.configuration.find(key);
    const bool is_same = it != before.configuration.end() && it->second == value;
    if (!is_same && !IsHarmlessProperty(key, value, after)) return false;
  }
  if (MappingMode(before) == MappingMode(after)) return before.schema_string == after.schema_string;
  auto schema = JsonValue::Parse(after.schema_string);
  return MappingMode(before) == "none" && MappingMode(after) == "name" && schema &&
         KeepsNames(*schema) && SchemasDifferOnlyIn(kMappingMembers, before, after);
}

}  // namespace weir::delta
