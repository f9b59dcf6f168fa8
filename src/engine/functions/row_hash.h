// SPDX-License-Identifier: Apache-2.0
//
// Hashes of rows, for comparing snapshots:
//
//   weir_sha512(text or blob)                       the 64 bytes of SHA-512
//   weir_row_hash(name, value [, name, value ...])  SHA-512 over named values; names are constants
//
// weir_row_hash hashes one unambiguous text. Each value that is not NULL adds
//
//   <bytes of name> ':' <name> <class> <bytes of value> ':' <value>
//
// with the name in ASCII lower case, lengths in decimal digits and the class one letter:
//
//   n  integers, decimals, floats: plain decimal digits, no exponent, no '+', no leading zeros, no
//      zeros behind the last digit after the point, no point without digits behind it; minus zero
//      is 0; nan, inf, -inf
//   b  booleans: true, false
//   t  dates, times, timestamps: 2024-01-31, 10:20:30.5, 2024-01-31 10:20:30.5; zones turned into
//      UTC; no zeros at the end of a fraction; a timestamp at midnight is written as its date
//   x  binary: the bytes
//   s  text, and every other type as its text: UTF-8
//   j  lists, structs, maps: DuckDB's text of the value
//
// So the hash does not depend on the width of a number or on the file format it came from, NULL
// differs from the empty text, and ('a', 'bc') from ('ab', 'c').
#pragma once

#include <string>
#include <string_view>

namespace duckdb {
class ExtensionLoader;
}

namespace weir::engine {

/// Registers both functions.
void RegisterRowHash(duckdb::ExtensionLoader& loader);

/// The canonical form of a number (class n) from any text that DuckDB writes for one.
std::string CanonicalNumber(std::string_view text);

/// The canonical form of a date, time or timestamp (class t) from DuckDB's text of it, in UTC.
std::string_view CanonicalTime(std::string_view text);

}  // namespace weir::engine
