// SPDX-License-Identifier: Apache-2.0
//
// Delta's and Spark's spellings that DuckDB's grammar lacks, as DuckDB SQL. The translation is from
// text to text: a statement with a counterpart in DuckDB's grammar becomes that (CREATE TABLE ...
// USING DELTA, VERSION AS OF), every other becomes a call of one of Weir's table functions
// (OPTIMIZE t becomes SELECT * FROM weir_optimize('"t"')), which can just as well be called
// directly.
//
// To add a statement: write its translator into a file of this folder and add one line to the table
// in translate.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::engine {

/// The DuckDB SQL of one statement, or nullopt when there is nothing to translate: DuckDB takes it
/// as it is.
///
/// Translated are the statements of the table in translate.cc, and in every other statement `name`
/// to "name", VERSION AS OF / TIMESTAMP AS OF to AT (...); delta.`path` becomes a table of catalog
/// "delta". Errors: kInvalidArgument PARSE_SYNTAX_ERROR (SQLSTATE 42601) for a statement of ours
/// that is malformed: it names the line, the word that was found and what was expected.
/// With `evolves_schema`, INSERT and MERGE are WITH SCHEMA EVOLUTION though they do not say so.
Result<std::optional<std::string>> TranslateStatement(std::string_view statement,
                                                      bool evolves_schema = false);

}  // namespace weir::engine
