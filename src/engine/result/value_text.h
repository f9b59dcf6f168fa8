// SPDX-License-Identifier: Apache-2.0
//
// How a value is written for people and programs: the one place that decides. Nothing is rounded or
// lost.
//
//   integers (<= 64 bits)   digits; JSON: a number. 128-bit integers beyond 64 bits are a JSON
//   string FLOAT, DOUBLE           shortest text that reads back equal; NaN, Infinity, -Infinity
//   are JSON strings DECIMAL                 all digits of its scale; JSON: a string DATE
//   2024-01-31; JSON: a string TIMESTAMP[TZ]           2024-01-31 12:34:56.789012, always six
//   digits (TIMESTAMP_NS: nine), in UTC BLOB                    lower-case hex STRUCT, MAP, LIST,
//   ...  JSON in both: objects (a MAP whose keys are no text: [{"key":k,"value":v}, ...]) and
//   arrays JSON, VARIANT           the JSON document itself all else                DuckDB's text;
//   JSON: a string
#pragma once

#include <string>

#include "duckdb/common/types/value.hpp"

namespace duckdb {
class ClientContext;
}

namespace weir::engine {

/// The text of `value`, which is not NULL.
std::string ValueText(duckdb::ClientContext& context, const duckdb::Value& value);

/// Appends `value` as JSON; NULL as null.
void AppendValueJson(duckdb::ClientContext& context, const duckdb::Value& value, std::string& out);

}  // namespace weir::engine
