// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "duckdb/common/sorting/sort.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/parallel/thread_context.hpp"

#include "engine/sink/row_clause.h"

namespace weir::engine {

/// Updates that keep some of the old row's values. Such a statement first finds out which rows it
/// changes and what it sets, from the columns that this takes; the others are read of the touched
/// rows alone, in the second pass. Until then the new values wait here, sorted by position.
/// DuckDB's sort holds them: they spill when memory is short.
class PendingUpdates {
 public:
  /// `spec` must outlive the object; `columns` are the types of the table's columns.
  PendingUpdates(duckdb::ClientContext& context, const RowChangeSpec& spec,
                 duckdb::vector<duckdb::LogicalType> columns);
  ~PendingUpdates();

  /// What one thread adds with.
  struct Local {
    explicit Local(duckdb::ClientContext& client)
        : thread(client), context(client, thread, nullptr) {}

    duckdb::ThreadContext thread;
    duckdb::ExecutionContext context;
    duckdb::unique_ptr<duckdb::LocalSinkState> state;
  };
  std::unique_ptr<Local> NewLocal();

  /// Takes rows of `clause`, which keeps some columns: their positions, none NULL, and the image,
  /// whose kept columns say nothing. Throws.
  void Add(Local& local, const RowClause& clause, duckdb::Vector& files, duckdb::Vector& rows,
           duckdb::DataChunk& image);
  void Combine(Local& local);

  /// Between the last Combine and the first Complete, in this order: Seal once, MergeRuns on any
  /// number of threads, Index once.
  void Seal();
  void MergeRuns();
  void Index();
  /// After Seal.
  bool empty() const { return !merge_; }

  /// Where one thread reads. Begins empty.
  struct Cursor {
    duckdb::ColumnDataScanState scan;
    duckdb::DataChunk chunk;
  };
  /// Called with new rows of a clause, complete but for computed columns, and with the places of
  /// their old rows.
  using Visitor = std::function<void(const RowClause&, duckdb::DataChunk& image,
                                     const duckdb::SelectionVector& old_rows)>;
  /// Visits the updates of the old rows `old_rows`, which have the table's columns, all from file
  /// number `file`, with the ascending row numbers `rows`.
  void Complete(Cursor& cursor, uint64_t file, duckdb::Vector& rows, duckdb::DataChunk& old_rows,
                const Visitor& visit) const;

  /// Columns that no clause keeps.
  std::vector<bool> UnkeptColumns() const;

 private:
  using Position = std::pair<uint64_t, int64_t>;  // file, row

  void VisitMatches(const duckdb::DataChunk& pending, const duckdb::SelectionVector& new_rows,
                    const duckdb::SelectionVector& matched_old, size_t count,
                    duckdb::DataChunk& old_rows, const Visitor& visit) const;

  duckdb::ClientContext& context_;
  const duckdb::vector<duckdb::LogicalType> columns_;
  std::vector<const RowClause*> clauses_;      // those that keep columns
  std::vector<size_t> set_columns_;            // of the table, that any of them sets
  duckdb::vector<duckdb::LogicalType> types_;  // file, row, clause, set columns
  std::unique_ptr<duckdb::Sort> sort_;
  duckdb::unique_ptr<duckdb::GlobalSinkState> sink_;
  duckdb::unique_ptr<duckdb::GlobalSourceState> merge_;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> sorted_;
  // Of each chunk of sorted_: its first position, and the number of rows before it.
  std::vector<std::pair<Position, uint64_t>> chunks_;
};

}  // namespace weir::engine
