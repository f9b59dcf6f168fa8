// SPDX-License-Identifier: Apache-2.0
//
// Type widening (protocol section "Type Widening"): the changes of a column's type after which old
// files can still be read, and their record in the schema.
#pragma once

#include <cstdint>
#include <optional>

#include "delta/schema/types.h"

namespace weir::delta {

/// Whether the protocol allows a primitive type to become another. A type may become itself.
bool IsTypeChangeSupported(const DataType& from, const DataType& to);

/// Whether Spark's SQL sees values of `from` as values of `to` without loss of their meaning. What
/// is no such change is refused by another name than a change that Delta alone cannot do.
bool IsUpCast(const DataType& from, const DataType& to);

/// `schema`, which a table had as `old` before, with the widened types noted in `delta.typeChanges`
/// of the nearest field of a struct. Fields are matched by physical name. `table_version` is for
/// the preview of the feature, whose readers want to know it.
TypePtr RecordTypeChanges(const TypePtr& schema, const DataType& old,
                          std::optional<int64_t> table_version);

}  // namespace weir::delta
