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

namespace weir::engine {

/// Whether the type is a variant or holds one.
bool HoldsVariant(const duckdb::LogicalType& type);

/// Turns variants into such groups, at any depth of a column. One per thread.
class VariantEncoder {
 public:
  /// The type of the group.
  static duckdb::LogicalType GroupType();
  /// `type` with every variant in it replaced by the group.
  static duckdb::LogicalType FileType(const duckdb::LogicalType& type);

  explicit VariantEncoder(duckdb::ClientContext& context);

  /// `encoded`, of FileType() and with room for `count`, gets `values` with their variants encoded;
  /// NULL stays NULL.
  void Encode(duckdb::Vector& values, size_t count, duckdb::Vector& encoded);

 private:
  void EncodeVariants(duckdb::Vector& variants, size_t count, duckdb::Vector& groups);
  void EncodeStruct(duckdb::Vector& values, size_t count, duckdb::Vector& encoded);
  void EncodeList(duckdb::Vector& values, size_t count, duckdb::Vector& encoded);

  duckdb::unique_ptr<duckdb::Expression> function_;
  duckdb::ExpressionExecutor executor_;
};

}  // namespace weir::engine
