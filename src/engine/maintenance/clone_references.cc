// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/clone_references.h"

#include "delta/actions/file_path.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "engine/catalog/catalog.h"

namespace weir::engine {
namespace {

void AddFilesBelow(const std::string& root, const delta::Snapshot& other,
                   std::vector<std::string>& files) {
  const auto add = [&](const Result<std::string>& path) {
    if (path && delta::IsWithinTable(root, *path)) files.push_back(*path);
  };
  for (size_t i = 0; i < other.files().size(); ++i) {
    add(delta::ResolveFilePath(other.log().root, other.files().path(i)));
    const auto vector = other.files().deletion_vector(i);
    if (vector && vector->storage_type == 'p')
      add(delta::DeletionVectorPath(other.log().root, *vector));
  }
}

}  // namespace

std::vector<std::string> FilesOfClones(const ResolvedTable& table) {
  std::vector<std::string> files;
  Warehouse& warehouse = table.entry->ParentCatalog().Cast<WeirCatalog>().warehouse();
  const std::string& root = table.state->log().root;
  if (warehouse.root().empty() || warehouse.is_single_table()) return files;
  for (const std::string& schema : warehouse.ListSchemas().value_or(std::vector<std::string>{})) {
    const auto tables = warehouse.ListTables(schema);
    if (!tables) continue;
    for (const TableFolder& other : *tables) {
      if (other.root == root) continue;
      const auto snapshot = warehouse.Latest(other.root);
      if (snapshot) AddFilesBelow(root, **snapshot, files);
    }
  }
  return files;
}

}  // namespace weir::engine
