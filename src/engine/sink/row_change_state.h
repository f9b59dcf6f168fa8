// SPDX-License-Identifier: Apache-2.0
//
// The row-change sink: everything a statement does to a table's rows ends here, whatever its SQL
// was. It alone knows how a deleted or updated row is written (file rewritten or deletion vector),
// which change data files are due, and which actions and metrics make up the commit.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/execution/physical_operator.hpp"

#include "engine/catalog/table_entry.h"
#include "engine/scan/scan_files.h"
#include "engine/sink/clause_evaluator.h"
#include "engine/sink/pending_updates.h"
#include "engine/sink/row_clause.h"
#include "engine/sink/touched_rows.h"
#include "engine/write/data_writer.h"
#include "engine/write/identity_values.h"
#include "engine/write/row_constraints.h"
#include "engine/write/table_layout.h"

namespace weir::delta {
class Transaction;
}  // namespace weir::delta

namespace weir::engine {

class WeirTransaction;

/// How many rows each class of clause has changed.
struct RowCounts {
  int64_t inserted = 0;
  std::array<int64_t, kRowClasses> updated{};  ///< By RowClass.
  std::array<int64_t, kRowClasses> deleted{};

  void Add(const RowCounts& other);
  int64_t total_updated() const;
};

/// What one thread of a running statement holds.
struct RowChangeLocal {
  std::unique_ptr<ClauseEvaluator> evaluator;
  RowConstraints::Local constraints;
  DataWriter::Local data;
  DataWriter::Local changes;
  TouchedRows::Local touched;
  std::unique_ptr<PendingUpdates::Local> pending;  ///< Null before the first.
  PendingUpdates::Cursor cursor;
  RowCounts counts;
  std::unique_ptr<duckdb::ColumnDataCollection> returned;
  duckdb::ColumnDataAppendState returned_state;
};

/// What becomes of a file of which rows were changed.
struct FileFate {
  const FileChanges* changes = nullptr;
  delta::AddFile file;
  bool is_emptied = false;  ///< No live row remains: the file goes.
  bool is_rewritten =
      false;  ///< The rows that stay are copied; otherwise it gets a deletion vector.
};

/// What the second pass reads.
struct SecondPassPlan {
  struct File {
    uint64_t number = 0;
    std::shared_ptr<const delta::RowBitmap> rows;  ///< Null for all.
  };
  std::vector<File> files;
  std::vector<bool> unwanted;  ///< Table columns that need not be read; empty for none.
};

/// A running statement. Sink and Combine run on many threads, the rest on one.
class RowChangeState final : public duckdb::GlobalSinkState {
 public:
  using Local = RowChangeLocal;

  /// `table` must be writable and outlive the state, as must `spec`. Throws
  /// DELTA_CANNOT_MODIFY_APPEND_ONLY for a statement that may change rows of an append-only table.
  RowChangeState(duckdb::ClientContext& context, const RowChangeSpec& spec, WeirTableEntry& table,
                 const duckdb::vector<duckdb::LogicalType>& input_types,
                 const duckdb::vector<duckdb::LogicalType>& output_types);
  ~RowChangeState() override;

  std::unique_ptr<Local> NewLocal(duckdb::ExecutionContext& context);
  /// Takes input rows of the statement. Throws on any row that cannot be stored.
  void Sink(Local& local, duckdb::DataChunk& input);
  void Combine(Local& local);

  /// Updates that wait for the second pass. Ready for it before PlanSecondPass.
  PendingUpdates& pending() { return pending_; }
  /// Files whose rows must be read a second time: to copy the rows that stay, for the values that
  /// updates keep, or for the old images that the change feed or RETURNING asks for. After the last
  /// Combine.
  SecondPassPlan PlanSecondPass();
  /// Takes rows of the second pass: the table's columns, then file number, row in the file, and,
  /// where rows are tracked, row id and commit version. On many threads, each with its own Local.
  void SinkOldRows(Local& local, duckdb::DataChunk& rows);
  /// Puts the statement's actions into the transaction; nothing when nothing was changed.
  void Finish();

  const RowChangeSpec& spec() const { return spec_; }
  WeirTableEntry& table() const { return table_; }
  const TableLayout& layout() const { return *layout_; }
  /// The file of that number, which PlanSecondPass gave.
  const delta::AddFile& FileOf(uint64_t number) const { return fates_.at(number).file; }
  /// Rows of RETURNING; null without.
  duckdb::ColumnDataCollection* returned() const { return returned_.get(); }
  /// What the statement reports without RETURNING.
  int64_t changed_rows() const { return changed_rows_; }

 private:
  void Announce(const std::string& path);
  void TakeInsert(Local& local, const RowClause& clause, duckdb::DataChunk& image);
  void TakeUpdate(Local& local, RowClass row_class, const RowClause& clause,
                  duckdb::DataChunk& input, duckdb::DataChunk& image);
  void TakeDelete(Local& local, RowClass row_class, duckdb::DataChunk& input);
  void WriteNewRows(Local& local, const RowClause& clause, duckdb::DataChunk& image,
                    duckdb::Vector* row_ids, const char* change, const char* merge_action);
  void WriteChange(Local& local, duckdb::DataChunk& rows, const char* change);
  void Return(Local& local, duckdb::DataChunk& rows, const char* merge_action);
  void CompleteUpdates(Local& local, uint64_t file, duckdb::DataChunk& old_rows);
  void CopyRows(Local& local, duckdb::DataChunk& rows);
  void DecideFates();
  void DeleteAll();
  void DeletePartitions();
  int64_t DeletedRows() const;
  void DropChangeFiles(std::vector<WrittenFile>& changes) const;
  void AddVectors(delta::Transaction& writer);
  bool MoveIdentityMarks(delta::Transaction& writer) const;
  void AddTimes(std::map<std::string, int64_t>& metrics) const;
  std::map<std::string, int64_t> Metrics(const std::vector<WrittenFile>& data,
                                         const std::vector<WrittenFile>& changes) const;
  bool NeedsOldImages() const;
  bool ReturnsDeletedRows() const {
    return spec_.returning && spec_.kind != RowChangeSpec::Kind::kInsert;
  }

  duckdb::ClientContext& context_;
  const RowChangeSpec& spec_;
  WeirTableEntry& table_;
  WeirTransaction& transaction_;
  const std::shared_ptr<const TableLayout> layout_;
  const ScanFiles files_;
  const RowConstraints constraints_;
  IdentityValues identity_;
  const duckdb::vector<duckdb::LogicalType> input_types_;
  const duckdb::vector<duckdb::LogicalType> output_types_;
  DataWriter data_;
  std::unique_ptr<DataWriter> changes_;  // null without a change feed
  TouchedRows touched_;
  PendingUpdates pending_;

  std::mutex mutex_;  // over the two below
  RowCounts counts_;
  std::unique_ptr<duckdb::ColumnDataCollection> returned_;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point scanned_ = began_;  ///< When all rows to change were known.

  std::map<uint64_t, FileFate> fates_;
  std::map<uint64_t, FileChanges> replaced_;  // of partitions, where a change feed wants images
  bool reads_old_images_ = false;
  std::atomic<int64_t> copied_rows_{0};
  int64_t rows_of_deleted_files_ = 0;  // of DELETE without WHERE
  int64_t changed_rows_ = 0;
};

}  // namespace weir::engine
