// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"

#include "engine/catalog/read_log.h"
#include "engine/catalog/table_state.h"
#include "engine/statements/write_mode.h"

namespace weir::engine {

class WeirSchemaEntry;

/// New metadata of a table whose schema follows the rows that are written.
struct Evolution {
  std::optional<delta::Protocol> protocol;  ///< Unset when it stays.
  delta::Metadata metadata;
};

/// A table as DuckDB's binder sees it: an immutable view of one TableState. Lives as long as the
/// transaction that handed it out. Its columns are the table's columns in order (logical names),
/// with NOT NULL constraints, comments and those defaults that DuckDB's parser understands.
class WeirTableEntry final : public duckdb::TableCatalogEntry {
 public:
  /// Throws DELTA_UNSUPPORTED_DATA_TYPE when a column has a type that cannot be read.
  /// `reads` learns what is scanned; null for a version chosen with AT, which cannot be written.
  static std::unique_ptr<WeirTableEntry> Make(WeirSchemaEntry& schema, const std::string& name,
                                              TableStatePtr state, std::shared_ptr<ReadLog> reads);

  /// A table that cannot be opened, for listings: no columns, and the reason as its comment.
  static std::unique_ptr<WeirTableEntry> MakeUnreadable(WeirSchemaEntry& schema,
                                                        const std::string& name,
                                                        const std::string& reason);

  /// Null when unreadable; FindTable never gives such an entry.
  const TableStatePtr& state() const { return state_; }
  /// Whether this is a version chosen with AT: it cannot be written.
  bool is_time_travel() const { return !reads_; }
  const std::shared_ptr<ReadLog>& reads() const { return reads_; }
  /// What an INSERT into this entry does with the rows that are there.
  const WriteTarget& write_target() const { return write_target_; }
  void set_write_target(WriteTarget target) { write_target_ = std::move(target); }
  /// What the statement that has this entry as its target writes besides rows: state() already has
  /// it, the transaction does not.
  const std::optional<Evolution>& evolution() const { return evolution_; }
  void set_evolution(Evolution evolution) { evolution_ = std::move(evolution); }

  /// None: a log's statistics, written by anyone, choose files but are not handed to the optimiser,
  /// which would compress values by them.
  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext& context,
                                                           duckdb::column_t column) override;
  duckdb::TableFunction GetScanFunction(
      duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext& context) override;
  duckdb::virtual_column_map_t GetVirtualColumns() const override;
  /// file_index and file_row_number (and the row's id where rows are tracked): the row's file in
  /// the scan's list and its position in that file.
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override;
  /// src/engine/write: what an UPDATE needs besides its own columns.
  void BindUpdateConstraints(duckdb::Binder& binder, duckdb::LogicalGet& get,
                             duckdb::LogicalProjection& proj, duckdb::LogicalUpdate& update,
                             duckdb::ClientContext& context) override;

 private:
  WeirTableEntry(WeirSchemaEntry& schema, duckdb::CreateTableInfo& info, TableStatePtr state,
                 std::shared_ptr<ReadLog> reads);

  const TableStatePtr state_;
  const std::shared_ptr<ReadLog> reads_;
  WriteTarget write_target_;
  std::optional<Evolution> evolution_;
};

}  // namespace weir::engine
