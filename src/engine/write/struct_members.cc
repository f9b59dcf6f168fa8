// SPDX-License-Identifier: Apache-2.0
#include "engine/write/struct_members.h"

#include "base/text.h"

namespace weir::engine {
namespace {

using duckdb::ListType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::MapType;
using duckdb::StructType;

std::optional<MemberDifference> FindInStruct(const LogicalType& source, const LogicalType& target,
                                             const std::string& path, bool extra) {
  const auto& members = StructType::GetChildTypes(extra ? source : target);
  const bool is_unnamed = StructType::IsUnnamed(source);
  for (size_t i = 0; i < members.size(); i++) {
    const auto& name = members[i].first;
    const bool is_known = extra        ? CounterpartOf(source, i, target) != nullptr
                          : is_unnamed ? i < StructType::GetChildCount(source)
                                       : FindMember(source, name) != nullptr;
    if (is_known) continue;
    const std::string shown = name.empty() ? "member " + std::to_string(i + 1) : name;
    return MemberDifference{path + "." + shown, extra};
  }
  return std::nullopt;
}

std::optional<MemberDifference> Find(const LogicalType& source, const LogicalType& target,
                                     const std::string& path, bool extra) {
  if (source.id() != target.id()) return std::nullopt;
  switch (source.id()) {
    case LogicalTypeId::LIST:
      return Find(ListType::GetChildType(source), ListType::GetChildType(target), path + ".element",
                  extra);
    case LogicalTypeId::MAP: {
      auto in_key = Find(MapType::KeyType(source), MapType::KeyType(target), path + ".key", extra);
      if (in_key) return in_key;
      return Find(MapType::ValueType(source), MapType::ValueType(target), path + ".value", extra);
    }
    case LogicalTypeId::STRUCT:
      break;
    default:
      return std::nullopt;
  }
  if (auto here = FindInStruct(source, target, path, extra)) return here;
  const auto& members = StructType::GetChildTypes(source);
  for (size_t i = 0; i < members.size(); i++) {
    const auto* other = CounterpartOf(source, i, target);
    if (!other) continue;
    if (auto below = Find(members[i].second, *other, path + "." + members[i].first, extra)) {
      return below;
    }
  }
  return std::nullopt;
}

}  // namespace

const LogicalType* FindMember(const LogicalType& type, const std::string& name) {
  for (const auto& [member, member_type] : StructType::GetChildTypes(type)) {
    if (EqualsIgnoreCase(member, name)) return &member_type;
  }
  return nullptr;
}

const LogicalType* CounterpartOf(const LogicalType& source, size_t place,
                                 const LogicalType& target) {
  if (!StructType::IsUnnamed(source)) {
    return FindMember(target, StructType::GetChildName(source, place));
  }
  return place < StructType::GetChildCount(target) ? &StructType::GetChildType(target, place)
                                                   : nullptr;
}

std::optional<MemberDifference> FindMemberDifference(const LogicalType& source,
                                                     const LogicalType& target,
                                                     const std::string& path) {
  if (auto extra = Find(source, target, path, true)) return extra;
  return Find(source, target, path, false);
}

}  // namespace weir::engine
