// SPDX-License-Identifier: Apache-2.0
//
// The folders of a warehouse and the names they stand for: `ROOT/<table>/_delta_log` is a table of
// schema `main`, `ROOT/<schema>/<table>/_delta_log` one of another schema. A root that is itself a
// table holds that one table, named after its folder. Names compare case-insensitively and keep the
// folder's spelling; folders that begin with `_` or `.` are nobody's.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"
#include "delta/snapshot/table_log.h"
#include "storage/object_store.h"

namespace weir::engine {

/// A table's place.
struct TableFolder {
  std::string name;  ///< As the folder spells it.
  std::string root;  ///< Full path.
};

/// Thread-safe. Errors of every call that reads: kIo WEIR_IO_ERROR.
class Warehouse {
 public:
  static constexpr const char* kMainSchema = "main";

  /// `make_log` gives the means to read and write the table at a root, `open_store` the store of a
  /// path or URL.
  struct Access {
    std::function<Result<std::shared_ptr<storage::ObjectStore>>(const std::string& url)> open_store;
    std::function<delta::TableLog(std::shared_ptr<storage::ObjectStore>, std::string root)>
        make_log;
  };

  /// Errors: as storage::OpenStore.
  static Result<std::shared_ptr<Warehouse>> Open(const std::string& location, Access access);

  /// Every table by its path or URL: the name of a table of `main` is its place. Lists nothing.
  static std::shared_ptr<Warehouse> OfPaths(Access access);

  /// Empty for OfPaths.
  const std::string& root() const { return root_; }
  /// Whether the root itself is a table.
  bool is_single_table() const { return single_table_; }

  /// Whether nothing is there, not even a folder with something in it.
  Result<bool> IsEmpty() const;
  Result<std::vector<std::string>> ListSchemas() const;
  /// The schema's folder name as it is spelt; nullopt when there is none.
  Result<std::optional<std::string>> FindSchema(std::string_view name) const;
  Result<std::vector<TableFolder>> ListTables(const std::string& schema) const;
  Result<std::optional<TableFolder>> FindTable(const std::string& schema,
                                               std::string_view name) const;

  /// Whether a table or schema may be called so: a folder of that name is found again.
  /// Errors: kInvalidArgument INVALID_SCHEMA_OR_RELATION_NAME for an empty name, one that begins
  /// with
  /// `_` or `.`, or holds a slash, a backslash or a control character. Any path is a name for
  /// OfPaths.
  Status CheckName(const std::string& name) const;
  /// Where the table `name` of `schema` belongs, whether it is there or not.
  TableFolder PlaceFor(const std::string& schema, const std::string& name) const;
  std::string SchemaRoot(const std::string& schema) const;
  /// Makes an empty schema be there: a folder with the mark `.weir-schema`, by which it is known
  /// while its first table is being made. Errors: as ObjectStore::Put.
  Status CreateSchema(const std::string& name);
  /// Deletes the folder and all in it. Errors: as ObjectStore::DeleteRecursive.
  Status DeleteFolder(const std::string& folder);

  /// By way of the table's catalog where it is known to be catalog-managed: Latest and At find that
  /// out. Errors: as storage::OpenStore.
  Result<delta::TableLog> LogAt(const std::string& table_root) const;

  /// The newest snapshot of the table at `table_root`, from the cached one and what was committed
  /// since. Errors: as delta::Snapshot::Load.
  Result<delta::SnapshotPtr> Latest(const std::string& table_root);
  /// The table at another version; the latest one is not loaded twice. Errors: as
  /// delta::Snapshot::Load.
  Result<delta::SnapshotPtr> At(const std::string& table_root, const delta::TimeTravel& at);
  /// Lets later calls start from `snapshot`, when it is newer than the cached one.
  void Remember(const std::string& table_root, delta::SnapshotPtr snapshot);
  /// Drops what is cached of a table, e.g. after DROP TABLE.
  void Forget(const std::string& table_root);

 private:
  Warehouse(std::shared_ptr<storage::ObjectStore> store, std::string root, Access access);
  bool of_paths() const { return root_.empty(); }
  Result<std::shared_ptr<storage::ObjectStore>> StoreFor(const std::string& folder) const;
  Result<bool> HasLog(const std::string& folder) const;
  bool LearnsThatManaged(const std::string& table_root, const Error& error);
  Result<std::vector<std::string>> Folders(const std::string& parent) const;
  Result<bool> IsSchema(const std::string& folder) const;

  const std::shared_ptr<storage::ObjectStore> store_;  // null for OfPaths
  const std::string root_;
  const Access access_;
  bool single_table_ = false;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, delta::SnapshotPtr> snapshots_;  // by table root
  std::unordered_set<std::string> managed_;                        // roots of such tables
};

}  // namespace weir::engine
