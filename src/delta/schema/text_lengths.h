// SPDX-License-Identifier: Apache-2.0
//
// CHAR(n) and VARCHAR(n). To the log both are "string"; what was declared is kept in the metadata
// of the column, as Spark does it: `__CHAR_VARCHAR_TYPE_STRING` holds the whole type of a column
// that has such a text anywhere within, e.g. "struct<code:char(2),names:array<varchar(10)>>".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// A type as Spark's catalogs spell it: "struct<a:int,b:array<varchar(2)>>".
std::string CatalogText(const DataType& type);

/// A type as text, to be given from one statement's words to another's: nothing of it is lost.
std::string TypeDeclaration(const TypePtr& type);
bool IsTypeDeclaration(std::string_view text);
/// Errors: as ParseSchema.
Result<TypePtr> ParseTypeDeclaration(std::string_view text);

/// How long texts of a type may be, and whether shorter ones are padded with spaces.
struct TextLength {
  int64_t characters = 0;
  bool is_padded = false;  ///< CHAR
};
/// Of `char(n)` and `varchar(n)`; nullopt for all other types.
std::optional<TextLength> LengthOf(const DataType& type);

/// Whether the type is, or holds, a `char(n)` or `varchar(n)`.
bool HasTextLengths(const DataType& type);

/// The column as the log has it: texts become strings, and the metadata tells their lengths, where
/// there are any.
StructField WithStoredLengths(StructField column);

/// The type of a column of the log with the lengths that its metadata tells. A text of the metadata
/// that does not fit the type is nothing that was declared.
TypePtr DeclaredTypeOf(const StructField& column);

}  // namespace weir::delta
