// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sql/token_reader.h"
#include "pipeline/spec/definitions.h"
#include "pipeline/spec/pipeline_spec.h"

namespace weir::pipeline {

using sql::TokenReader;

/// Reads the statements of one SQL definition file: CREATE STREAMING TABLE, MATERIALIZED VIEW,
/// VIEW and FLOW, AUTO CDC INTO, SET and USE, and appends what they define to `out`; also in the
/// older spellings of Databricks (APPLY CHANGES INTO, LIVE). `file` is the name that messages show.
//////
/// Errors (kInvalidArgument), each with file and line:
///   PARSE_SYNTAX_ERROR                        a clause is wrong, misplaced or said twice
///   MISSING_CLAUSES_FOR_OPERATION             AUTO CDC without SEQUENCE BY
///   AUTOCDC_EMPTY_KEYS, AUTOCDC_MULTIPART_COLUMN_IDENTIFIER, AUTOCDC_NON_COLUMN_IDENTIFIER
///                                             keys and column lists that are not bare columns
///   PIPELINE_SQL_GRAPH_ELEMENT_REGISTRATION_ERROR  a column list beside FLOW AUTO CDC
///   UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND    any other statement, USE of another schema
///   UNSUPPORTED_FEATURE                       a clause of Databricks that changes what a table is
Status ParseSqlFile(std::string_view sql, const std::string& file, const PipelineSpec& spec,
                    Definitions& out);

/// The source and the clauses of AUTO CDC, from FROM to the statement's end, into `flow`.
Status ParseAutoCdc(TokenReader& reader, Flow& flow);

/// A list of bare columns in brackets: (a, `b c`).
Result<std::vector<std::string>> ParseColumnList(TokenReader& reader, std::string_view what);

}  // namespace weir::pipeline
