// SPDX-License-Identifier: Apache-2.0
//
// The statistics of a file, JSON text in the log, as the typed struct `stats_parsed`.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "duckdb/common/types/vector.hpp"

#include "delta/schema/types.h"

namespace weir::engine {

/// Puts a value, given as its text, into a row that is NULL; it stays NULL when the text is none of
/// the type.
void PutParsed(const delta::DataType& type, std::string_view text, duckdb::Vector& vector,
               size_t row);

/// Takes JSON texts apart into rows of struct vectors. Members that the schema lacks are passed
/// over, values that are none of their type stay NULL: a missing bound is safe. Not thread-safe.
class StatsParser {
 public:
  /// Fills a row, NULL so far, of a vector of the type `schema` (a struct).
  void Put(const delta::DataType& schema, std::string_view json, duckdb::Vector& vector,
           size_t row);

 private:
  void PutObject(const delta::DataType& schema, simdjson::ondemand::object object,
                 duckdb::Vector& vector, size_t row);
  void PutValue(const delta::DataType& type, simdjson::ondemand::value value,
                duckdb::Vector& vector, size_t row);

  simdjson::ondemand::parser parser_;
  std::string padded_;
};

}  // namespace weir::engine
