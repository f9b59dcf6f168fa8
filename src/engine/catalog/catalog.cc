// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/catalog.h"

#include <array>
#include <cstring>
#include <utility>

#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/parser/parsed_data/attach_info.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/storage/database_size.hpp"
#include "duckdb/storage/storage_extension.hpp"

#include "base/text.h"
#include "engine/catalog/transaction.h"
#include "engine/catalog/warehouse_access.h"
#include "engine/duckdb_errors.h"
#include "engine/maintenance/clone_references.h"
#include "storage/location.h"

namespace weir::engine {

WeirCatalog::WeirCatalog(duckdb::AttachedDatabase& db, std::shared_ptr<Warehouse> warehouse)
    : Catalog(db), warehouse_(std::move(warehouse)) {}

bool WeirCatalog::is_read_only() const { return GetAttached().IsReadOnly(); }

void WeirCatalog::Initialize(bool) {
  if (warehouse_->is_single_table()) {
    SetDefaultTable(Warehouse::kMainSchema, warehouse_->PlaceFor(Warehouse::kMainSchema, {}).name);
  }
}

duckdb::DatabaseSize WeirCatalog::GetDatabaseSize(duckdb::ClientContext&) { return {}; }

duckdb::unique_ptr<duckdb::LogicalOperator> WeirCatalog::BindCreateIndex(
    duckdb::Binder&, duckdb::CreateStatement&, duckdb::TableCatalogEntry& table,
    duckdb::unique_ptr<duckdb::LogicalOperator>) {
  Throw(UnsupportedFeature("WEIR_UNSUPPORTED_CATALOG_ENTRY",
                           "a warehouse of Delta tables holds no indexes; table " + table.name +
                               " is found by its partitions and statistics"));
}

WeirSchemaEntry& WeirCatalog::SchemaEntry(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto& entry = schemas_[name];
  if (!entry) {
    duckdb::CreateSchemaInfo info;
    info.schema = name;
    entry = std::make_unique<WeirSchemaEntry>(*this, info);
  }
  return *entry;
}

duckdb::optional_ptr<duckdb::SchemaCatalogEntry> WeirCatalog::LookupSchema(
    duckdb::CatalogTransaction, const duckdb::EntryLookupInfo& lookup,
    duckdb::OnEntryNotFound if_not_found) {
  auto name = OrThrow(warehouse_->FindSchema(lookup.GetEntryName()));
  if (name) return SchemaEntry(*name);
  if (if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return nullptr;
  Throw(NotFound("SCHEMA_NOT_FOUND",
                 "there is no schema " + lookup.GetEntryName() + " in " + warehouse_->root(),
                 "42704"));
}

void WeirCatalog::ScanSchemas(duckdb::ClientContext&,
                              std::function<void(duckdb::SchemaCatalogEntry&)> callback) {
  for (const auto& name : OrThrow(warehouse_->ListSchemas())) callback(SchemaEntry(name));
}

duckdb::optional_ptr<duckdb::CatalogEntry> WeirCatalog::CreateSchema(
    duckdb::CatalogTransaction, duckdb::CreateSchemaInfo& info) {
  auto existing = OrThrow(warehouse_->FindSchema(info.schema));
  if (existing) {
    if (info.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT)
      return SchemaEntry(*existing);
    Throw(AlreadyExists("SCHEMA_ALREADY_EXISTS",
                        "schema " + *existing + " already exists in " + warehouse_->root(),
                        "42P06"));
  }
  if (warehouse_->is_single_table() || warehouse_->root().empty()) {
    Throw(InvalidArgument("WEIR_NO_SCHEMAS", "catalog \"" + GetName() +
                                                 "\" is no folder of tables and has no schemas"));
  }
  OrThrow(warehouse_->CheckName(info.schema));
  if (auto table = OrThrow(warehouse_->FindTable(Warehouse::kMainSchema, info.schema))) {
    Throw(AlreadyExists("SCHEMA_ALREADY_EXISTS",
                        table->root + " is a table, not a folder of tables", "42P06"));
  }
  OrThrow(warehouse_->CreateSchema(info.schema));
  return SchemaEntry(info.schema);
}

void WeirCatalog::DropSchema(duckdb::ClientContext&, duckdb::DropInfo& info) {
  auto name = OrThrow(warehouse_->FindSchema(info.name));
  if (!name) {
    if (info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return;
    Throw(NotFound("SCHEMA_NOT_FOUND",
                   "there is no schema " + info.name + " in " + warehouse_->root(), "42704"));
  }
  if (EqualsIgnoreCase(*name, Warehouse::kMainSchema)) {
    Throw(InvalidArgument("WEIR_CANNOT_DROP_MAIN_SCHEMA",
                          "schema main is the warehouse itself: " + warehouse_->root()));
  }
  auto tables = OrThrow(warehouse_->ListTables(*name));
  if (!tables.empty() && !info.cascade) {
    Throw(InvalidArgument("SCHEMA_NOT_EMPTY",
                          "schema " + *name + " holds " + std::to_string(tables.size()) +
                              " table(s), e.g. " + tables[0].name +
                              "; drop them first or use CASCADE",
                          "2BP01"));
  }
  if (const auto clones = ClonesOf(*warehouse_, warehouse_->SchemaRoot(*name)); !clones.empty()) {
    Throw(InvalidArgument("WEIR_TABLE_HAS_SHALLOW_CLONES",
                          "schema " + *name + " has files that the shallow clone " +
                              clones[0].root +
                              " needs; drop the clone first, or replace it by a DEEP CLONE",
                          "2BP01"));
  }
  for (const auto& table : tables) warehouse_->Forget(table.root);
  OrThrow(warehouse_->DeleteFolder(warehouse_->SchemaRoot(*name)));
}

namespace {

// Marks the catalog of paths.
constexpr const char* kPathsOption = "paths";
// Its names, the first that is free.
constexpr std::array kPathCatalogs = {"delta", "weir_paths"};

bool IsOfPaths(const duckdb::AttachOptions& options) {
  bool paths = false;
  for (const auto& [name, value] : options.options) {
    if (!EqualsIgnoreCase(name, kPathsOption)) {
      Throw(InvalidArgument("WEIR_UNKNOWN_ATTACH_OPTION", "ATTACH ... (TYPE weir) has no option " +
                                                              name + "; it knows READ_ONLY"));
    }
    paths =
        value.DefaultCastAs(duckdb::LogicalType(duckdb::LogicalTypeId::BOOLEAN)).GetValue<bool>();
  }
  return paths;
}

// A folder that is missing is made by the first table, but not when nothing may be written.
void CheckReadable(const Warehouse& warehouse) {
  if (OrThrow(warehouse.IsEmpty())) {
    Throw(NotFound("DELTA_PATH_DOES_NOT_EXIST",
                   "there is nothing at " + warehouse.root() + " to attach READ_ONLY", "42K03"));
  }
}

duckdb::unique_ptr<duckdb::Catalog> Attach(duckdb::optional_ptr<duckdb::StorageExtensionInfo>,
                                           duckdb::ClientContext& context,
                                           duckdb::AttachedDatabase& db, const std::string&,
                                           duckdb::AttachInfo& info,
                                           duckdb::AttachOptions& options) {
  auto access = AccessOf(*context.db);
  if (IsOfPaths(options)) {
    return duckdb::make_uniq<WeirCatalog>(db, Warehouse::OfPaths(std::move(access)));
  }
  std::string location = info.path;
  if (StartsWith(location, kAttachPrefix)) location.erase(0, std::strlen(kAttachPrefix));
  auto warehouse = OrThrow(Warehouse::Open(location, std::move(access)));
  // A file where a folder should be; object stores have no folders.
  const bool is_file = storage::SchemeOf(location).empty() &&
                       OrThrow(warehouse->LogAt(location)).store->Head(warehouse->root());
  if (is_file) {
    Throw(InvalidArgument("DELTA_PATH_DOES_NOT_EXIST",
                          warehouse->root() + " is a file, not the folder of a warehouse",
                          "42K03"));
  }
  if (options.access_mode == duckdb::AccessMode::READ_ONLY) CheckReadable(*warehouse);
  return duckdb::make_uniq<WeirCatalog>(db, std::move(warehouse));
}

duckdb::unique_ptr<duckdb::TransactionManager> MakeManager(
    duckdb::optional_ptr<duckdb::StorageExtensionInfo>, duckdb::AttachedDatabase& db,
    duckdb::Catalog& catalog) {
  return duckdb::make_uniq<WeirTransactionManager>(db, catalog.Cast<WeirCatalog>());
}

}  // namespace

void AttachPathCatalog(duckdb::DatabaseInstance& db) {
  duckdb::Connection connection(db);
  for (const char* name : kPathCatalogs) {
    auto attached = connection.Query("ATTACH '' AS " + std::string(name) +
                                     " (TYPE weir, HIDDEN true, PATHS true)");
    if (!attached->HasError()) return;
    if (name == kPathCatalogs.back()) attached->ThrowError();
  }
}

duckdb::optional_ptr<WeirCatalog> FindPathCatalog(duckdb::ClientContext& context) {
  for (const char* name : kPathCatalogs) {
    auto catalog = duckdb::Catalog::GetCatalogEntry(context, name);
    if (!catalog || catalog->GetCatalogType() != WeirCatalog::kType) continue;
    auto& found = catalog->Cast<WeirCatalog>();
    if (found.warehouse().root().empty()) return found;
  }
  return nullptr;
}

void RegisterStorage(duckdb::DBConfig& config) {
  auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
  extension->attach = Attach;
  extension->create_transaction_manager = MakeManager;
  duckdb::StorageExtension::Register(config, WeirCatalog::kType, std::move(extension));
}

}  // namespace weir::engine
