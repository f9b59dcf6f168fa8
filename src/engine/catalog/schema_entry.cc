// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/schema_entry.h"

#include <exception>
#include <string>

#include "duckdb/catalog/similar_catalog_entry.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/planner/tableref/bound_at_clause.hpp"

#include "engine/catalog/at_clause.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/transaction.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {

WeirSchemaEntry::WeirSchemaEntry(WeirCatalog& catalog, duckdb::CreateSchemaInfo& info)
    : SchemaCatalogEntry(catalog, info) {}

WeirCatalog& WeirSchemaEntry::warehouse_catalog() const {
  return const_cast<WeirSchemaEntry*>(this)->ParentCatalog().Cast<WeirCatalog>();
}

void WeirSchemaEntry::Scan(duckdb::ClientContext& context, duckdb::CatalogType type,
                           const Callback& callback) {
  if (type != duckdb::CatalogType::TABLE_ENTRY) return;
  auto& transaction = WeirTransaction::Get(context, ParentCatalog());
  for (const auto& table : transaction.TableNames(*this)) {
    auto entry = transaction.ListTable(*this, table);
    if (entry) callback(*entry);
  }
}

void WeirSchemaEntry::Scan(duckdb::CatalogType, const Callback&) {}

namespace {

// A name with a slash is no table of a warehouse but a path: `FROM '/path' AT (VERSION => 1)` in a
// session whose default catalog is a warehouse, where DuckDB asks no replacement scan for it.
duckdb::optional_ptr<WeirSchemaEntry> SchemaOfPaths(duckdb::ClientContext& context,
                                                    const std::string& name) {
  if (name.find('/') == std::string::npos) return nullptr;
  auto catalog = FindPathCatalog(context);
  if (!catalog) return nullptr;
  return catalog->GetSchema(context, Warehouse::kMainSchema).Cast<WeirSchemaEntry>();
}

}  // namespace

duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::LookupEntry(
    duckdb::CatalogTransaction transaction, const duckdb::EntryLookupInfo& lookup) {
  if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY) return nullptr;
  auto& context = transaction.GetContext();
  const auto& name = lookup.GetEntryName();
  auto at = lookup.GetAtClause();
  auto& own = WeirTransaction::Get(context, ParentCatalog());
  auto target = DecodeWriteTarget(name);
  if (target.name.size() != name.size()) {
    return own.FindTableToWrite(*this, std::move(target)).get();
  }
  if (!at) return own.FindTable(*this, name).get();
  auto paths = SchemaOfPaths(context, name);
  auto& schema = paths ? *paths : *this;
  const auto version = OrThrow(ParseAtClause(at->Unit(), at->GetValue()));
  return WeirTransaction::Get(context, schema.ParentCatalog())
      .FindTableAt(schema, name, version)
      .get();
}

duckdb::SimilarCatalogEntry WeirSchemaEntry::GetSimilarEntry(
    duckdb::CatalogTransaction transaction, const duckdb::EntryLookupInfo& lookup) {
  duckdb::SimilarCatalogEntry best;
  if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY) return best;
  for (const auto& table :
       WeirTransaction::Get(transaction.GetContext(), ParentCatalog()).TableNames(*this)) {
    double score = duckdb::StringUtil::SimilarityRating(table, lookup.GetEntryName());
    if (score <= best.score) continue;
    best.score = score;
    best.name = table;
  }
  return best;
}

namespace {

[[noreturn]] void Refuse(const char* what) {
  Throw(UnsupportedFeature("WEIR_UNSUPPORTED_CATALOG_ENTRY",
                           std::string("a warehouse of Delta tables holds no ") + what +
                               "; create it in a DuckDB database, e.g. memory.main"));
}

}  // namespace

duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateIndex(
    duckdb::CatalogTransaction, duckdb::CreateIndexInfo&, duckdb::TableCatalogEntry&) {
  Refuse("indexes");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateFunction(
    duckdb::CatalogTransaction, duckdb::CreateFunctionInfo&) {
  Refuse("functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateView(duckdb::CatalogTransaction,
                                                                       duckdb::CreateViewInfo&) {
  Refuse("views");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateSequence(
    duckdb::CatalogTransaction, duckdb::CreateSequenceInfo&) {
  Refuse("sequences");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateTableFunction(
    duckdb::CatalogTransaction, duckdb::CreateTableFunctionInfo&) {
  Refuse("table functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateCopyFunction(
    duckdb::CatalogTransaction, duckdb::CreateCopyFunctionInfo&) {
  Refuse("copy functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreatePragmaFunction(
    duckdb::CatalogTransaction, duckdb::CreatePragmaFunctionInfo&) {
  Refuse("pragma functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateCollation(
    duckdb::CatalogTransaction, duckdb::CreateCollationInfo&) {
  Refuse("collations");
}
duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateType(duckdb::CatalogTransaction,
                                                                       duckdb::CreateTypeInfo&) {
  Refuse("types");
}

}  // namespace weir::engine
