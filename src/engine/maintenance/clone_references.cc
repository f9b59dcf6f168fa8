// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/clone_references.h"

#include <functional>

#include "duckdb.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/database_manager.hpp"

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "engine/catalog/catalog.h"

namespace weir::engine {
namespace {

void AddIfBelow(const std::string& root, const Result<std::string>& path,
                std::vector<std::string>& files) {
  if (path && delta::IsWithinTable(root, *path)) files.push_back(*path);
}

void AddFile(const std::string& root, const std::string& own_root, std::string_view path,
             const std::optional<delta::DeletionVectorDescriptor>& vector,
             std::vector<std::string>& files) {
  if (delta::IsAbsoluteInLog(path))
    AddIfBelow(root, delta::ResolveFilePath(own_root, std::string(path)), files);
  if (vector && vector->storage_type == 'p')
    AddIfBelow(root, delta::DeletionVectorPath(own_root, *vector), files);
}

std::vector<std::string> LiveFilesBelow(const std::string& root, const delta::Snapshot& other) {
  std::vector<std::string> files;
  const delta::FileList& list = other.files();
  for (size_t i = 0; i < list.size(); ++i) {
    const auto vector = list.has_deletion_vector(i) ? list.deletion_vector(i) : std::nullopt;
    AddFile(root, other.log().root, list.path(i), vector, files);
  }
  return files;
}

void AddRemovedFilesBelow(const std::string& root, const delta::Snapshot& other,
                          std::vector<std::string>& files) {
  const auto tombstones = other.Tombstones();
  if (!tombstones) return;
  for (const delta::RemoveFile& remove : **tombstones)
    AddFile(root, other.log().root, remove.path, remove.deletion_vector, files);
}

using Visit = std::function<void(const TableFolder&, const delta::Snapshot&)>;

void ForEachOther(Warehouse& warehouse, const std::string& root, const Visit& visit) {
  if (warehouse.root().empty()) return;
  for (const std::string& schema : warehouse.ListSchemas().value_or(std::vector<std::string>{})) {
    const auto tables = warehouse.ListTables(schema);
    if (!tables) continue;
    for (const TableFolder& other : *tables) {
      if (other.root == root || StartsWith(other.root, root + "/")) continue;
      if (const auto snapshot = warehouse.Latest(other.root)) visit(other, **snapshot);
    }
  }
}

}  // namespace

std::vector<std::string> FilesOfClones(duckdb::ClientContext& context, const std::string& root) {
  std::vector<std::string> files;
  for (const auto& database : duckdb::DatabaseManager::Get(context).GetDatabases(context)) {
    auto& catalog = database->GetCatalog();
    if (catalog.GetCatalogType() != WeirCatalog::kType) continue;
    ForEachOther(catalog.Cast<WeirCatalog>().warehouse(), root,
                 [&](const TableFolder&, const delta::Snapshot& other) {
                   const auto live = LiveFilesBelow(root, other);
                   files.insert(files.end(), live.begin(), live.end());
                   AddRemovedFilesBelow(root, other, files);
                 });
  }
  return files;
}

std::vector<TableFolder> ClonesOf(Warehouse& warehouse, const std::string& root) {
  std::vector<TableFolder> clones;
  ForEachOther(warehouse, root, [&](const TableFolder& table, const delta::Snapshot& other) {
    if (!LiveFilesBelow(root, other).empty()) clones.push_back(table);
  });
  return clones;
}

}  // namespace weir::engine
