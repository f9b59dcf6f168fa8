// SPDX-License-Identifier: Apache-2.0
//
// Variants in data files: a group of `metadata` and `value`, both binary (protocol section "Variant
// Data Type"). DuckDB's own Parquet writer would shred them, which a table without the feature
// variantShredding must not have.
#pragma once

#include <memory>

#include "duckdb/common/types.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor.hpp"

#include "delta/schema/types.h"

namespace weir::engine {

/// Whether a variant stands inside the type, which cannot be written.
bool HasNestedVariant(const delta::DataType& type);

/// Turns variants into such groups. One per thread.
class VariantEncoder {
 public:
  static duckdb::LogicalType FileType();

  explicit VariantEncoder(duckdb::ClientContext& context);

  /// `groups`, of FileType(), gets the encodings of `variants`; NULL stays NULL.
  void Encode(duckdb::Vector& variants, size_t count, duckdb::Vector& groups);

 private:
  duckdb::unique_ptr<duckdb::Expression> function_;
  duckdb::ExpressionExecutor executor_;
};

}  // namespace weir::engine
