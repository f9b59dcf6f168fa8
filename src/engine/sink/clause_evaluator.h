// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "duckdb/execution/expression_executor.hpp"

#include "engine/sink/row_clause.h"

namespace weir::engine {

/// Decides, chunk by chunk, which clause takes each input row. Vectorised: rows move as selections,
/// and expressions are evaluated over those rows alone that they are for. One per thread.
class ClauseEvaluator {
 public:
  /// A clause has taken the rows of `input`. `image` are the new rows of an insert or update; of an
  /// error, its first column is the message, where there is one. Both are valid during the call
  /// only.
  using Visitor = std::function<void(RowClass, const RowClause&, duckdb::DataChunk& input,
                                     duckdb::DataChunk& image)>;

  /// `spec` must outlive the evaluator; `input_types` are those of the input rows.
  ClauseEvaluator(duckdb::ClientContext& context, const RowChangeSpec& spec,
                  const duckdb::vector<duckdb::LogicalType>& input_types);
  ~ClauseEvaluator();

  /// Calls `visit` for each clause that takes rows of `input`. Throws what an expression throws.
  void Evaluate(duckdb::DataChunk& input, const Visitor& visit);

 private:
  struct Compiled;
  struct Selection {
    duckdb::SelectionVector rows{STANDARD_VECTOR_SIZE};
    size_t count = 0;
  };

  void Classify(duckdb::DataChunk& input);
  void EvaluateClass(RowClass row_class, duckdb::DataChunk& input, const Visitor& visit);
  void Take(RowClass row_class, Compiled& compiled, duckdb::DataChunk& input, const Visitor& visit);

  const RowChangeSpec& spec_;
  std::array<std::vector<std::unique_ptr<Compiled>>, kRowClasses> compiled_;
  std::array<Selection, kRowClasses> selections_;
  duckdb::DataChunk slice_;
  duckdb::DataChunk taken_;
};

}  // namespace weir::engine
