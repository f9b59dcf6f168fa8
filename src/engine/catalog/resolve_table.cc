// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/resolve_table.h"

#include "duckdb.hpp"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/entry_lookup_info.hpp"
#include "duckdb/planner/binder.hpp"

#include "base/sql/token_reader.h"
#include "base/text.h"
#include "engine/catalog/catalog.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

bool IsPath(std::string_view text) { return text.find('/') != std::string_view::npos; }

// A path stands bare, as one quoted name, or behind `delta.`.
std::string PathIn(const sql::QualifiedName& name) {
  if (!IsPath(name.last())) return {};
  if (name.parts.size() == 1 || (name.parts.size() == 2 && name.parts.front() == "delta"))
    return name.last();
  return {};
}

Result<ResolvedTable> ResolveName(duckdb::ClientContext& context, const sql::QualifiedName& name) {
  const size_t count = name.parts.size();
  const std::string catalog = count == 3 ? name.parts[0] : INVALID_CATALOG;
  const std::string schema = count >= 2 ? name.parts[count - 2] : INVALID_SCHEMA;
  const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY, name.last());
  try {
    // With two parts the first may be the catalog; DuckDB's own rule for names decides.
    std::string catalog_name = catalog;
    std::string schema_name = schema;
    duckdb::Binder::BindSchemaOrCatalog(context, catalog_name, schema_name);
    auto entry = duckdb::Catalog::GetEntry(context, catalog_name, schema_name, lookup,
                                           duckdb::OnEntryNotFound::RETURN_NULL);
    if (!entry) {
      return Fail(NotFound(
          "DELTA_TABLE_NOT_FOUND",
          "there is no table " + name.ToString() + "; SHOW ALL TABLES lists those there are",
          "42P01"));
    }
    if (entry->ParentCatalog().GetCatalogType() != WeirCatalog::kType) {
      return Fail(
          InvalidArgument("WEIR_NOT_A_DELTA_TABLE", name.ToString() + " is not a Delta table"));
    }
    auto& table = entry->Cast<WeirTableEntry>();
    return ResolvedTable{name.ToString(), table.state(), &table};
  } catch (const std::exception& exception) {
    return Fail(FromDuckDB(exception));
  }
}

Result<sql::QualifiedName> ParseName(std::string_view text) {
  if (IsPath(text) && text.find_first_of("`\"") == std::string_view::npos)
    return sql::QualifiedName{{std::string(text)}};
  WEIR_ASSIGN_OR_RETURN(auto tokens, sql::Tokenize(text));
  sql::TokenReader reader(text, std::move(tokens), "");
  WEIR_ASSIGN_OR_RETURN(sql::QualifiedName name, reader.ExpectQualifiedName("a table's name"));
  if (!reader.AtEnd()) return Fail(reader.SyntaxError("expected one table's name"));
  return name;
}

// The catalog of a name, and the name's schema in it.
Result<std::pair<duckdb::optional_ptr<WeirCatalog>, std::string>> CatalogOf(
    duckdb::ClientContext& context, const sql::QualifiedName& name) {
  const size_t count = name.parts.size();
  std::string catalog_name = count == 3 ? name.parts[0] : INVALID_CATALOG;
  std::string schema = count >= 2 ? name.parts[count - 2] : INVALID_SCHEMA;
  duckdb::Binder::BindSchemaOrCatalog(context, catalog_name, schema);
  auto& catalog = duckdb::Catalog::GetCatalog(context, catalog_name);
  if (catalog.GetCatalogType() != WeirCatalog::kType) {
    return Fail(InvalidArgument("WEIR_NOT_A_DELTA_TABLE",
                                name.ToString() + " would not be in a catalog of Delta tables"));
  }
  return std::pair(duckdb::optional_ptr<WeirCatalog>(&catalog.Cast<WeirCatalog>()),
                   schema.empty() ? std::string(Warehouse::kMainSchema) : schema);
}

Status CheckSchema(const Warehouse& warehouse, const std::string& schema) {
  if (EqualsIgnoreCase(schema, Warehouse::kMainSchema)) return {};
  WEIR_ASSIGN_OR_RETURN(const auto found, warehouse.FindSchema(schema));
  if (found) return {};
  return Fail(NotFound("SCHEMA_NOT_FOUND",
                       "there is no schema " + schema + "; CREATE SCHEMA makes it", "42704"));
}

}  // namespace

Result<TablePlace> ResolvePlace(duckdb::ClientContext& context, std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name, ParseName(text));
  const std::string path = PathIn(name);
  try {
    duckdb::optional_ptr<WeirCatalog> catalog = FindPathCatalog(context);
    std::string schema = Warehouse::kMainSchema;
    if (path.empty()) {
      WEIR_ASSIGN_OR_RETURN(std::tie(catalog, schema), CatalogOf(context, name));
    } else if (!catalog) {
      return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                           path + ": tables cannot be named by path, their catalog was detached"));
    }
    Warehouse& warehouse = catalog->warehouse();
    const std::string table = path.empty() ? name.last() : path;
    WEIR_RETURN_IF_ERROR(warehouse.CheckName(table));
    if (path.empty()) WEIR_RETURN_IF_ERROR(CheckSchema(warehouse, schema));
    WEIR_ASSIGN_OR_RETURN(const auto found, warehouse.FindTable(schema, table));
    // Whether its log goes through the catalog is found out by a look at it.
    if (found) (void)warehouse.Latest(found->root);
    TablePlace place;
    place.name = name.ToString();
    WEIR_ASSIGN_OR_RETURN(
        place.log, warehouse.LogAt(found ? found->root : warehouse.PlaceFor(schema, table).root));
    place.allowed_root = warehouse.root().empty() ? place.log.root : warehouse.root();
    place.exists = found.has_value();
    place.is_read_only = catalog->is_read_only();
    return place;
  } catch (const std::exception& exception) {
    return Fail(FromDuckDB(exception));
  }
}

Result<ResolvedTable> ResolveTablePath(duckdb::ClientContext& context, const std::string& path) {
  const auto catalog = FindPathCatalog(context);
  if (!catalog) {
    return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                         path + ": tables cannot be named by path, their catalog was detached"));
  }
  auto resolved = ResolveName(context, {{catalog->GetName(), Warehouse::kMainSchema, path}});
  if (resolved || resolved.error().name != "DELTA_TABLE_NOT_FOUND") return resolved;
  return Fail(NotFound(
      "DELTA_TABLE_NOT_FOUND",
      "there is no Delta table at " + path + ": it has no _delta_log with a commit or checkpoint",
      "42P01"));
}

Result<ResolvedTable> ResolveTable(duckdb::ClientContext& context, std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name, ParseName(text));
  const std::string path = PathIn(name);
  return path.empty() ? ResolveName(context, name) : ResolveTablePath(context, path);
}

}  // namespace weir::engine
