// SPDX-License-Identifier: Apache-2.0
//
// `ATTACH 'DIR' AS lake (TYPE weir [, READ_ONLY])`: a warehouse folder as a DuckDB catalog.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "duckdb/catalog/catalog.hpp"

#include "engine/catalog/schema_entry.h"
#include "engine/catalog/warehouse.h"

namespace duckdb {
class DatabaseInstance;
struct DBConfig;
}  // namespace duckdb

namespace weir::engine {

/// Thread-safe. Throws DuckDB exceptions.
class WeirCatalog final : public duckdb::Catalog {
 public:
  static constexpr const char* kType = "weir";

  WeirCatalog(duckdb::AttachedDatabase& db, std::shared_ptr<Warehouse> warehouse);

  Warehouse& warehouse() const { return *warehouse_; }
  /// Whether it was attached READ_ONLY.
  bool is_read_only() const;

  void Initialize(bool load_builtin) override;
  duckdb::string GetCatalogType() override { return kType; }
  bool InMemory() override { return false; }
  duckdb::string GetDBPath() override { return warehouse_->root(); }
  bool SupportsTimeTravel() const override { return true; }
  duckdb::string GetDefaultSchema() const override { return Warehouse::kMainSchema; }
  duckdb::DatabaseSize GetDatabaseSize(duckdb::ClientContext& context) override;

  duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LookupSchema(
      duckdb::CatalogTransaction transaction, const duckdb::EntryLookupInfo& lookup,
      duckdb::OnEntryNotFound if_not_found) override;
  void ScanSchemas(duckdb::ClientContext& context,
                   std::function<void(duckdb::SchemaCatalogEntry&)> callback) override;
  /// Makes the folder at once: schemas are not transactional.
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSchema(duckdb::CatalogTransaction transaction,
                                                          duckdb::CreateSchemaInfo& info) override;
  /// Deletes the folder at once; one with tables in it only with CASCADE.
  void DropSchema(duckdb::ClientContext& context, duckdb::DropInfo& info) override;

  /// Refuses: Delta tables have no indexes.
  duckdb::unique_ptr<duckdb::LogicalOperator> BindCreateIndex(
      duckdb::Binder& binder, duckdb::CreateStatement& statement, duckdb::TableCatalogEntry& table,
      duckdb::unique_ptr<duckdb::LogicalOperator> plan) override;

  // src/engine/write implements these.
  duckdb::ErrorData SupportsCreateTable(duckdb::BoundCreateTableInfo& info) override;
  duckdb::PhysicalOperator& PlanCreateTableAs(duckdb::ClientContext& context,
                                              duckdb::PhysicalPlanGenerator& planner,
                                              duckdb::LogicalCreateTable& op,
                                              duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanInsert(
      duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
      duckdb::LogicalInsert& op, duckdb::optional_ptr<duckdb::PhysicalOperator> plan) override;
  duckdb::PhysicalOperator& PlanDelete(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalDelete& op,
                                       duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanUpdate(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalUpdate& op,
                                       duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanMergeInto(duckdb::ClientContext& context,
                                          duckdb::PhysicalPlanGenerator& planner,
                                          duckdb::LogicalMergeInto& op,
                                          duckdb::PhysicalOperator& plan) override;

 private:
  WeirSchemaEntry& SchemaEntry(const std::string& name);

  const std::shared_ptr<Warehouse> warehouse_;
  std::mutex mutex_;
  // Entries stay until DETACH: DuckDB keeps references to them over transactions.
  std::unordered_map<std::string, std::unique_ptr<WeirSchemaEntry>> schemas_;
};

/// Attaches the catalog in which a table's name is its path or URL, hidden from listings:
/// `SELECT * FROM delta."/path/of/a/table"`. It is called `delta`, or `weir_paths` when the user
/// has taken that name.
void AttachPathCatalog(duckdb::DatabaseInstance& db);
/// Null when it was detached.
duckdb::optional_ptr<WeirCatalog> FindPathCatalog(duckdb::ClientContext& context);

/// Registers the storage type `weir`.
void RegisterStorage(duckdb::DBConfig& config);

}  // namespace weir::engine
