// SPDX-License-Identifier: Apache-2.0
//
// How INSERT, UPDATE and MERGE turn a value of another type into one of a column. DuckDB casts it,
// and a cast of DuckDB's rounds numbers to integers, reads integers out of any text that looks like
// a number, leaves out members of a struct that the column lacks and fills in NULL for those that
// the value lacks. Delta's rule, which is the ANSI one, is held to here: what is written is what
// Spark would have written, or nothing is.
#pragma once

#include "duckdb/main/config.hpp"

namespace weir::engine {

/// From now on plans of statements that write to tables of Weir are looked through before they are
/// optimised. Casts that the user has written keep DuckDB's meaning. The statement is refused with
/// DELTA_METADATA_MISMATCH, DELTA_INSERT_COLUMN_ARITY_MISMATCH or, in UPDATE and MERGE,
/// DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION where the members of a struct differ from the column's,
/// at any depth; members are compared by name without regard to case. WITH SCHEMA EVOLUTION a
/// value may lack members.
void RegisterStoreAssignment(duckdb::DBConfig& config);

}  // namespace weir::engine
