// SPDX-License-Identifier: Apache-2.0
//
// Partition values: typed values to and from their text in the log (protocol section "Partition
// Value Serialization"), and the names of partition folders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/schema/types.h"
#include "delta/values/value.h"

namespace weir::delta {

/// The folder name of a NULL value; as a value it reads as NULL itself, as in Spark.
inline constexpr std::string_view kHiveDefaultPartition = "__HIVE_DEFAULT_PARTITION__";

/// The text of a value as Spark writes it: timestamps in UTC with six digits and 'Z', timestamp_ntz
/// with a blank and no trailing zeros, decimals with their scale, doubles as Java prints them.
/// NULL, the empty string and the literal __HIVE_DEFAULT_PARTITION__ give nullopt (NULL). Errors:
/// kInvalidArgument DELTA_INVALID_PARTITION_COLUMN_TYPE for a type that cannot partition, or a
/// value of another type; DELTA_INVALID_PARTITION_VALUE for a binary that is no UTF-8 (the log
/// holds text only).
Result<std::optional<std::string>> SerializePartitionValue(const DataType& type,
                                                           const Value& value);

/// The value behind a text of the log. Both timestamp forms are read; one without a zone counts as
/// UTC. Errors: kCorruptLog DELTA_PARTITION_VALUE_NOT_PARSABLE names the text and the type.
Result<Value> ParsePartitionValue(const DataType& type, std::optional<std::string_view> text);

/// Escapes a name or value for a folder as Hive does ('a/b' becomes 'a%2Fb').
std::string EscapePathName(std::string_view text);
/// Undoes EscapePathName; a '%' that begins no escape stays as it is.
std::string UnescapePathName(std::string_view text);

/// The folder of a file, e.g. "p=a%2Fb/q=__HIVE_DEFAULT_PARTITION__", as it is in the store; in the
/// log it is percent-encoded once more (UriEncodePath). Values are texts of the log, by column in
/// order; a timestamp's folder has the zone-less form.
std::string PartitionDirectory(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& values);

}  // namespace weir::delta
