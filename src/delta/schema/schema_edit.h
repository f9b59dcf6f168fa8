// SPDX-License-Identifier: Apache-2.0
//
// What ALTER TABLE does to the fields of a schema, at any depth. A path is the names from the top;
// behind an array stands "element", behind a map "key" or "value". Names compare without case.
//
// Errors of all: kInvalidArgument UNRESOLVED_COLUMN.WITH_SUGGESTION for a path that leads nowhere,
// INVALID_FIELD_NAME where a parent is no struct, FIELD_ALREADY_EXISTS, as Spark calls them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/schema/types.h"

namespace weir::delta {

using ColumnPath = std::vector<std::string>;

/// "a.b.`c d`", for messages and for the log.
std::string PathText(const ColumnPath& path);

/// Where among its siblings a field comes to stand.
struct FieldPlace {
  enum class Kind { kLast, kFirst, kAfter };
  Kind kind = Kind::kLast;
  std::string after;  ///< Of kAfter: a sibling's name.

  /// "FIRST", "AFTER x", empty for the last place: as the log tells it.
  std::string ToString() const;
};

/// The path as the schema spells it.
Result<ColumnPath> ResolvePath(const DataType& schema, const ColumnPath& path);

/// The field at a path; of an array's element or a map's key or value a field of that name.
Result<StructField> FieldAt(const DataType& schema, const ColumnPath& path);

/// Adds `field` below the struct at `parent` (empty: the top). Error, too: FIELD_NOT_FOUND when
/// there is no sibling to stand behind.
Result<TypePtr> AddField(const TypePtr& schema, const ColumnPath& parent, const StructField& field,
                         const FieldPlace& place);

/// Errors, too: DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA for the only field of a struct,
/// DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE for a part of an array or a map.
Result<TypePtr> DropField(const TypePtr& schema, const ColumnPath& path);

/// Error, too: INVALID_FIELD_NAME for a part of an array or a map.
Result<TypePtr> RenameField(const TypePtr& schema, const ColumnPath& path, const std::string& name);

Result<TypePtr> MoveField(const TypePtr& schema, const ColumnPath& path, const FieldPlace& place);

/// The field at `path` as `edit` leaves it. Of an array's element or a map's key or value only the
/// type is kept.
Result<TypePtr> EditField(const TypePtr& schema, const ColumnPath& path,
                          const std::function<Status(StructField&)>& edit);

}  // namespace weir::delta
