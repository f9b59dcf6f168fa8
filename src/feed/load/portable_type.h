// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace weir::feed {

/// The type, of those that Parquet readers and Delta know, as which the feed has a column of
/// DuckDB's type `type`: unsigned numbers become signed ones, 128-bit integers decimals,
/// timestamps of any unit microseconds; times, UUIDs, enums, JSON, intervals, bits, unions and
/// variants become text. Also inside of lists, structs and maps; arrays of a fixed length become
/// lists. A type that is spelled as none of DuckDB's stays as it is.
std::string PortableType(std::string_view type);

}  // namespace weir::feed
