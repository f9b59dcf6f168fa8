// SPDX-License-Identifier: Apache-2.0
//
// Column mapping for writers (protocol section "Column Mapping"): the ids and physical names of
// fields.
#pragma once

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// How fields without a physical name get one.
enum class PhysicalNames {
  kFresh,    ///< New fields: a name that never was.
  kAsNamed,  ///< Fields of a table that had no mapping: their files know them by their names.
};

/// `schema` with an id and a physical name for every field, at every level; those that are there
/// stay. Where Iceberg compatibility wants it, elements, keys and values of lists and maps get ids
/// too, which stand in the metadata of the field around them. Keeps
/// `delta.columnMapping.maxColumnId` of `metadata` above all ids.
TypePtr AssignColumnMapping(const TypePtr& schema, PhysicalNames names, Metadata& metadata);

}  // namespace weir::delta
