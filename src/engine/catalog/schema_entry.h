// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"

namespace weir::engine {

class WeirCatalog;
class WeirTableEntry;

/// A schema of a warehouse: a folder of tables. Holds no tables itself, they belong to
/// transactions.
class WeirSchemaEntry final : public duckdb::SchemaCatalogEntry {
 public:
  using Callback = std::function<void(duckdb::CatalogEntry&)>;

  WeirSchemaEntry(WeirCatalog& catalog, duckdb::CreateSchemaInfo& info);

  WeirCatalog& warehouse_catalog() const;

  /// Loads each table in turn. One that cannot be loaded is listed without columns; reading it
  /// gives the reason.
  void Scan(duckdb::ClientContext& context, duckdb::CatalogType type,
            const Callback& callback) override;
  /// Without a transaction nothing can be listed.
  void Scan(duckdb::CatalogType type, const Callback& callback) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> LookupEntry(
      duckdb::CatalogTransaction transaction, const duckdb::EntryLookupInfo& lookup) override;
  duckdb::SimilarCatalogEntry GetSimilarEntry(duckdb::CatalogTransaction transaction,
                                              const duckdb::EntryLookupInfo& lookup) override;

  /// Creates (or replaces) a table in the current transaction and returns its entry; `as_select`
  /// tells that rows will follow. Throws DELTA_TABLE_ALREADY_EXISTS and as DescribeNewTable.
  WeirTableEntry& CreateTableFrom(duckdb::ClientContext& context,
                                  duckdb::BoundCreateTableInfo& info, bool as_select);
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTable(
      duckdb::CatalogTransaction transaction, duckdb::BoundCreateTableInfo& info) override;
  void DropEntry(duckdb::ClientContext& context, duckdb::DropInfo& info) override;
  void Alter(duckdb::CatalogTransaction transaction, duckdb::AlterInfo& info) override;

  // What a folder of Delta tables cannot hold. Each throws WEIR_UNSUPPORTED_CATALOG_ENTRY.
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateIndex(duckdb::CatalogTransaction,
                                                         duckdb::CreateIndexInfo&,
                                                         duckdb::TableCatalogEntry&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateFunction(duckdb::CatalogTransaction,
                                                            duckdb::CreateFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateView(duckdb::CatalogTransaction,
                                                        duckdb::CreateViewInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSequence(duckdb::CatalogTransaction,
                                                            duckdb::CreateSequenceInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTableFunction(
      duckdb::CatalogTransaction, duckdb::CreateTableFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateCopyFunction(
      duckdb::CatalogTransaction, duckdb::CreateCopyFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreatePragmaFunction(
      duckdb::CatalogTransaction, duckdb::CreatePragmaFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateCollation(duckdb::CatalogTransaction,
                                                             duckdb::CreateCollationInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateType(duckdb::CatalogTransaction,
                                                        duckdb::CreateTypeInfo&) override;
};

}  // namespace weir::engine
