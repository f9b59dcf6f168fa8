// SPDX-License-Identifier: Apache-2.0
//
// Which members of two structs belong to each other when one becomes the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "duckdb/common/types.hpp"

namespace weir::engine {

/// The type of the member `name` of a struct, in any case; null when there is none. It lives as
/// long as `type`.
const duckdb::LogicalType* FindMember(const duckdb::LogicalType& type, const std::string& name);

/// The type of what the `place`th member of struct `source` becomes in struct `target`: found by
/// name, or by place where `source` is a row without names. Null when there is none.
const duckdb::LogicalType* CounterpartOf(const duckdb::LogicalType& source, size_t place,
                                         const duckdb::LogicalType& target);

/// A member that one type has and the other lacks.
struct MemberDifference {
  std::string path;       ///< From the outermost: `s.a`, `l.element.x`, `m.value.x`.
  bool is_extra = false;  ///< The source has it, else the target.
};

/// The first difference between a value of type `source` and what takes it, those that are extra
/// before those that lack; `path` names the whole.
std::optional<MemberDifference> FindMemberDifference(const duckdb::LogicalType& source,
                                                     const duckdb::LogicalType& target,
                                                     const std::string& path);

}  // namespace weir::engine
