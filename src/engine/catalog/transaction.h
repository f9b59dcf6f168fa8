// SPDX-License-Identifier: Apache-2.0
//
// One DuckDB transaction on one attached warehouse. A table is pinned to the version it had when
// the transaction first looked at it (snapshot isolation); what the transaction writes is collected
// per table in a delta::Transaction, is seen by its own later statements, and is committed, table
// by table, when DuckDB commits.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "duckdb/transaction/transaction.hpp"
#include "duckdb/transaction/transaction_manager.hpp"

#include "delta/commit/transaction.h"
#include "engine/catalog/table_entry.h"
#include "engine/catalog/table_state.h"
#include "engine/catalog/warehouse.h"

namespace weir::engine {

class WeirCatalog;
class WeirSchemaEntry;

/// Entries that it hands out live until the transaction ends. Thread-safe. Throws DuckDB
/// exceptions.
class WeirTransaction final : public duckdb::Transaction {
 public:
  WeirTransaction(duckdb::TransactionManager& manager, duckdb::ClientContext& context,
                  WeirCatalog& catalog);
  ~WeirTransaction() override;

  static WeirTransaction& Get(duckdb::ClientContext& context, duckdb::Catalog& catalog);

  // Reading.

  /// The table as this transaction sees it, or null.
  duckdb::optional_ptr<WeirTableEntry> FindTable(WeirSchemaEntry& schema, const std::string& name);
  /// The table as a statement with `target`'s mode sees it, or null. Throws for a pending target of
  /// a table that is there: PrepareWrite then sees the statement.
  duckdb::optional_ptr<WeirTableEntry> FindTableToWrite(WeirSchemaEntry& schema,
                                                        WriteTarget target);
  /// The table as the target of one statement that PrepareWrite has seen: with `evolution`, when it
  /// has one, already in its state. `target.prepared` is set to the number by which
  /// FindTableToWrite gives it.
  WeirTableEntry& PrepareTarget(const WeirTableEntry& table, WriteTarget& target,
                                std::optional<Evolution> evolution);
  /// The table at another version (read-only), or null when there is no such table.
  duckdb::optional_ptr<WeirTableEntry> FindTableAt(WeirSchemaEntry& schema, const std::string& name,
                                                   const delta::TimeTravel& at);
  /// As FindTable, for listings: a table that cannot be opened is given without columns.
  duckdb::optional_ptr<WeirTableEntry> ListTable(WeirSchemaEntry& schema, const std::string& name);
  /// Names of all tables of `schema`, without loading them.
  std::vector<std::string> TableNames(WeirSchemaEntry& schema);

  // Writing. `root` is the table's folder (TableState::log().root).

  /// The commit in the making for a table of this transaction; begun at the first call. After
  /// adding actions call RecordStatement and Publish. The caller sets reads that were no
  /// scans of this transaction: its scans are handed to the commit's read set as their conditions
  /// (whole table: none known).
  delta::Transaction& WriterFor(const WeirTableEntry& table);
  /// As WriterFor, for a table that is to be created at `place`. After adding protocol and metadata
  /// call Publish. Errors: DELTA_TABLE_ALREADY_EXISTS when this transaction sees a table there.
  delta::Transaction& WriterForNew(WeirSchemaEntry& schema, const TableFolder& place);
  /// Makes the actions that were added to a table's writer visible to this transaction's later
  /// statements and returns the table's new entry. Entries handed out before stay as they were.
  WeirTableEntry& Publish(const std::string& root);
  /// Whether further statements may follow in this transaction: BEGIN was given.
  static bool IsMultiStatement(duckdb::ClientContext& context);
  /// Notes a file that is about to be created for the table at `root`; it is deleted unless the
  /// table's commit succeeds (or its outcome is unknown).
  void AnnounceFile(const std::string& root, const std::string& path);
  /// Says what a statement that has added actions did, in Spark's terms, for commitInfo. Of several
  /// statements on one table the metrics are summed up; their names are kept when they are equal or
  /// begin with CREATE TABLE, else the operation is called "TRANSACTION".
  void RecordStatement(const std::string& root, const std::string& operation, JsonValue parameters,
                       const std::map<std::string, int64_t>& metrics);
  /// The table has another name from now on; its folder gets it when the transaction commits.
  /// Errors: kUnsupportedFeature WEIR_CANNOT_RENAME_TABLE on object stores and for tables that are
  /// known by their path; TABLE_OR_VIEW_ALREADY_EXISTS, DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION;
  /// WEIR_TABLE_HAS_SHALLOW_CLONES; as Warehouse::CheckName.
  void RenameTable(WeirSchemaEntry& schema, const WeirTableEntry& table, const std::string& name);
  /// Takes the table out of sight; its folder is deleted when the transaction commits.
  void DropTable(const WeirTableEntry& table);

  // Ending; called by the transaction manager.

  /// Commits every table that was written and deletes those that were dropped. Tables commit one by
  /// one: after an error, those already committed stay so, and the message says which.
  Status Commit();
  /// Roots of committed tables that ask to be compacted now. Behind Commit.
  const std::vector<std::string>& tables_to_compact() const { return tables_to_compact_; }

 private:
  struct Slot {
    duckdb::optional_ptr<WeirSchemaEntry> schema;
    TableFolder place;
    TableStatePtr state;
    std::shared_ptr<ReadLog> reads = std::make_shared<ReadLog>();
    std::unique_ptr<delta::Transaction> writer;
    duckdb::optional_ptr<WeirTableEntry> entry;
    bool dropped = false;
    std::optional<TableFolder> renamed;  // the folder that it gets
    std::vector<std::string> files;      // announced
    std::string operation;
    std::map<std::string, int64_t> metrics;
  };

  static void HandOverReads(Slot& slot);
  void CheckNoClones(const Slot& slot, const std::string& root);
  Status RenameFolders();
  Slot* FindSlot(WeirSchemaEntry& schema, const std::string& name);
  Slot* LoadSlot(WeirSchemaEntry& schema, const std::string& name);
  WeirTableEntry& MakeEntry(Slot& slot);
  void CheckWritable() const;
  void DeleteFiles(Slot& slot);

  WeirCatalog& catalog_;
  std::mutex mutex_;
  std::map<std::string, Slot> slots_;  // by table root
  std::vector<std::string> tables_to_compact_;
  // Versions chosen with AT, by root, version and timestamp.
  std::map<std::tuple<std::string, std::optional<int64_t>, std::optional<int64_t>>,
           duckdb::optional_ptr<WeirTableEntry>>
      travelled_;
  std::vector<std::unique_ptr<WeirTableEntry>> entries_;
  std::vector<duckdb::optional_ptr<WeirTableEntry>> prepared_;
};

class WeirTransactionManager final : public duckdb::TransactionManager {
 public:
  WeirTransactionManager(duckdb::AttachedDatabase& db, WeirCatalog& catalog);

  duckdb::Transaction& StartTransaction(duckdb::ClientContext& context) override;
  duckdb::ErrorData CommitTransaction(duckdb::ClientContext& context,
                                      duckdb::Transaction& transaction) override;
  void RollbackTransaction(duckdb::Transaction& transaction) override;
  /// `CHECKPOINT lake`: a checkpoint of each table's latest version. Throws what the first failure
  /// is.
  void Checkpoint(duckdb::ClientContext& context, bool force) override;

 private:
  void End(duckdb::Transaction& transaction);

  WeirCatalog& catalog_;
  std::mutex mutex_;
  std::map<duckdb::Transaction*, std::unique_ptr<WeirTransaction>> running_;
};

}  // namespace weir::engine
