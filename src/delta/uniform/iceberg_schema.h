// SPDX-License-Identifier: Apache-2.0
//
// A table's schema as Iceberg has it: the same names, the ids of the column mapping, and types that
// hold the same values.
#pragma once

#include <optional>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"
#include "delta/values/value.h"
#include "iceberg/manifest.h"

namespace weir::delta {

struct IcebergSchema {
  JsonValue fields;        ///< The JSON array of the struct's fields.
  JsonValue name_mapping;  ///< Ids by the names in data files, for files that have no ids.
  int last_column_id = 0;
  /// One for each partition column, in order, numbered from iceberg::kFirstPartitionFieldId on.
  std::vector<iceberg::PartitionField> partition_fields;
};

/// Errors: kUnsupportedFeature DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED names a type that Iceberg
/// has not, or a field without an id.
Result<IcebergSchema> ToIcebergSchema(const DataType& schema, const Metadata& metadata);

/// The primitive type of Iceberg for one of Delta's; nullopt for types that Iceberg has not.
std::optional<iceberg::PrimitiveType> ToIcebergType(const DataType& type);

/// A value in Iceberg's binary form; nullopt for NULL and for a value of another type.
std::optional<std::string> ToSingleValue(const DataType& type, const Value& value);

}  // namespace weir::delta
