// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/warehouse.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "delta/catalog/managed_store.h"
#include "delta/snapshot/log_files.h"
#include "storage/errors.h"
#include "storage/remote_store.h"

namespace weir::engine {
namespace {

constexpr const char* kSchemaMark = ".weir-schema";

bool IsHidden(std::string_view folder) {
  return folder.empty() || folder[0] == '_' || folder[0] == '.';
}

// The side tables of Auto CDC are tables by their name, though no listing shows them.
bool MayBeTable(std::string_view folder) {
  return !IsHidden(folder) || StartsWith(folder, "__spark_autocdc_");
}

bool HasLogFile(const std::vector<storage::ObjectInfo>& objects) {
  return std::any_of(objects.begin(), objects.end(), [](const storage::ObjectInfo& object) {
    return delta::ParseLogFileName(storage::BaseName(object.path)).has_value();
  });
}

}  // namespace

Warehouse::Warehouse(std::shared_ptr<storage::ObjectStore> store, std::string root, Access access)
    : store_(std::move(store)), root_(std::move(root)), access_(std::move(access)) {}

Result<std::shared_ptr<Warehouse>> Warehouse::Open(const std::string& location, Access access) {
  WEIR_ASSIGN_OR_RETURN(auto store, access.open_store(location));
  std::shared_ptr<Warehouse> warehouse(
      new Warehouse(std::move(store), storage::NormalizeLocation(location), std::move(access)));
  WEIR_ASSIGN_OR_RETURN(warehouse->single_table_, warehouse->HasLog(warehouse->root_));
  return warehouse;
}

std::shared_ptr<Warehouse> Warehouse::OfPaths(Access access) {
  return std::shared_ptr<Warehouse>(new Warehouse(nullptr, {}, std::move(access)));
}

Result<std::shared_ptr<storage::ObjectStore>> Warehouse::StoreFor(const std::string& folder) const {
  if (store_) return store_;
  return access_.open_store(folder);
}

Result<bool> Warehouse::HasLog(const std::string& folder) const {
  WEIR_ASSIGN_OR_RETURN(auto store, StoreFor(folder));
  const std::string log_dir = storage::JoinPath(folder, "_delta_log");
  auto* remote = dynamic_cast<storage::RemoteStore*>(store.get());
  if (remote != nullptr) {
    // One request, whatever the answer; the names of all files of a log come after this.
    const auto some = remote->ListSome(log_dir, "/");
    if (!some && some.error().name != storage::kListingUnsupported) return Fail(some.error());
    if (some && (some->empty() || HasLogFile(*some))) return !some->empty();
  }
  // Two cheap questions that settle it for nearly every table, before the log is listed.
  for (const char* name : {"00000000000000000000.json", "_last_checkpoint"}) {
    auto head = store->Head(storage::JoinPath(log_dir, name));
    if (head) return true;
    if (head.error().kind != ErrorKind::kNotFound) return Fail(head.error());
  }
  // A writer that was stopped may have left files of its own there.
  const auto objects = store->List(log_dir);
  if (!objects && objects.error().name == storage::kListingUnsupported) return false;
  if (!objects) return Fail(objects.error());
  return HasLogFile(*objects);
}

Result<std::vector<std::string>> Warehouse::Folders(const std::string& parent) const {
  WEIR_ASSIGN_OR_RETURN(auto entries, store_->ListDirectory(parent));
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    std::string name(storage::BaseName(entry.path));
    if (entry.is_directory && !IsHidden(name)) names.push_back(std::move(name));
  }
  return names;
}

// One that CREATE SCHEMA has made, an empty one, or one with tables in it - be it one whose
// creation was cut short before its first commit.
Result<bool> Warehouse::IsSchema(const std::string& folder) const {
  WEIR_ASSIGN_OR_RETURN(bool has_log, HasLog(folder));
  if (has_log) return false;
  WEIR_ASSIGN_OR_RETURN(auto entries, store_->ListDirectory(folder));
  if (entries.empty()) return true;
  for (const auto& entry : entries) {
    if (storage::BaseName(entry.path) == kSchemaMark) return true;
    if (!entry.is_directory || IsHidden(storage::BaseName(entry.path))) continue;
    WEIR_ASSIGN_OR_RETURN(bool is_table, HasLog(entry.path));
    if (is_table) return true;
    WEIR_ASSIGN_OR_RETURN(auto inside, store_->ListDirectory(entry.path));
    for (const auto& part : inside) {
      if (part.is_directory && storage::BaseName(part.path) == "_delta_log") return true;
    }
  }
  return false;
}

Result<bool> Warehouse::IsEmpty() const {
  WEIR_ASSIGN_OR_RETURN(auto entries, store_->ListDirectory(root_));
  return entries.empty();
}

Result<std::vector<std::string>> Warehouse::ListSchemas() const {
  std::vector<std::string> schemas = {kMainSchema};
  if (single_table_ || of_paths()) return schemas;
  WEIR_ASSIGN_OR_RETURN(auto folders, Folders(root_));
  for (auto& folder : folders) {
    WEIR_ASSIGN_OR_RETURN(bool is_schema, IsSchema(storage::JoinPath(root_, folder)));
    if (is_schema && !EqualsIgnoreCase(folder, kMainSchema)) schemas.push_back(std::move(folder));
  }
  return schemas;
}

Result<std::optional<std::string>> Warehouse::FindSchema(std::string_view name) const {
  if (EqualsIgnoreCase(name, kMainSchema)) return std::optional<std::string>(kMainSchema);
  if (single_table_ || of_paths() || IsHidden(name)) return std::optional<std::string>();
  WEIR_ASSIGN_OR_RETURN(auto folders, Folders(root_));
  for (auto& folder : folders) {
    if (!EqualsIgnoreCase(folder, name)) continue;
    WEIR_ASSIGN_OR_RETURN(bool is_schema, IsSchema(storage::JoinPath(root_, folder)));
    if (is_schema) return std::optional<std::string>(std::move(folder));
  }
  return std::optional<std::string>();
}

Status Warehouse::CheckName(const std::string& name) const {
  const bool bad_letter = std::any_of(name.begin(), name.end(), [](unsigned char letter) {
    return letter == '/' || letter == '\\' || letter < 0x20;
  });
  const bool refused = of_paths() ? name.empty() : !MayBeTable(name) || bad_letter;
  if (!refused) return {};
  return Fail(InvalidArgument(
      "INVALID_SCHEMA_OR_RELATION_NAME",
      "\"" + name + "\" cannot be the folder of a table or schema in " + root_ +
          ": a name begins with neither _ nor . and holds no slash or control character",
      "42602"));
}

std::string Warehouse::SchemaRoot(const std::string& schema) const {
  return EqualsIgnoreCase(schema, kMainSchema) ? root_ : storage::JoinPath(root_, schema);
}

TableFolder Warehouse::PlaceFor(const std::string& schema, const std::string& name) const {
  if (single_table_) return {std::string(storage::BaseName(root_)), root_};
  if (of_paths()) return {name, storage::NormalizeLocation(name)};
  return {name, storage::JoinPath(SchemaRoot(schema), name)};
}

Result<std::vector<TableFolder>> Warehouse::ListTables(const std::string& schema) const {
  std::vector<TableFolder> tables;
  if (single_table_) {
    if (EqualsIgnoreCase(schema, kMainSchema)) tables.push_back(PlaceFor(schema, {}));
    return tables;
  }
  if (of_paths()) return tables;
  WEIR_ASSIGN_OR_RETURN(auto folders, Folders(SchemaRoot(schema)));
  for (auto& folder : folders) {
    TableFolder place = PlaceFor(schema, folder);
    WEIR_ASSIGN_OR_RETURN(bool is_table, HasLog(place.root));
    if (is_table) tables.push_back(std::move(place));
  }
  return tables;
}

Result<std::optional<TableFolder>> Warehouse::FindTable(const std::string& schema,
                                                        std::string_view name) const {
  if (single_table_) {
    TableFolder place = PlaceFor(schema, {});
    const bool found = EqualsIgnoreCase(schema, kMainSchema) && EqualsIgnoreCase(place.name, name);
    return found ? std::optional<TableFolder>(std::move(place)) : std::nullopt;
  }
  const bool unusable = !MayBeTable(name) || name.find('/') != std::string_view::npos;
  if (unusable && !of_paths()) return std::optional<TableFolder>();
  TableFolder place = PlaceFor(schema, std::string(name));
  WEIR_ASSIGN_OR_RETURN(bool exact, HasLog(place.root));
  if (exact) return std::optional<TableFolder>(std::move(place));
  if (of_paths()) return std::optional<TableFolder>();
  WEIR_ASSIGN_OR_RETURN(auto folders, Folders(SchemaRoot(schema)));
  for (auto& folder : folders) {
    if (!EqualsIgnoreCase(folder, name)) continue;
    TableFolder other = PlaceFor(schema, folder);
    WEIR_ASSIGN_OR_RETURN(bool is_table, HasLog(other.root));
    if (is_table) return std::optional<TableFolder>(std::move(other));
  }
  return std::optional<TableFolder>();
}

Result<delta::TableLog> Warehouse::LogAt(const std::string& table_root) const {
  WEIR_ASSIGN_OR_RETURN(auto store, StoreFor(table_root));
  delta::TableLog log = access_.make_log(store, table_root);
  std::lock_guard lock(mutex_);
  if (!managed_.contains(table_root)) return log;
  return delta::ThroughCatalog(log, delta::MakeFolderCatalog(std::move(store), table_root));
}

// The warehouse is the catalog of its tables; who comes by a path has none.
bool Warehouse::LearnsThatManaged(const std::string& table_root, const Error& error) {
  if (of_paths() || single_table_ || error.name != delta::kPathBasedAccessBlocked) return false;
  std::lock_guard lock(mutex_);
  return managed_.insert(table_root).second;
}

Status Warehouse::CreateSchema(const std::string& name) {
  // The mark also stands for the schema while its first table is only half made.
  return store_->Put(storage::JoinPath(SchemaRoot(name), kSchemaMark), {});
}

Status Warehouse::DeleteFolder(const std::string& folder) {
  WEIR_ASSIGN_OR_RETURN(auto store, StoreFor(folder));
  return store->DeleteRecursive(folder);
}

Result<delta::SnapshotPtr> Warehouse::Latest(const std::string& table_root) {
  delta::SnapshotPtr cached;
  {
    std::lock_guard lock(mutex_);
    auto it = snapshots_.find(table_root);
    if (it != snapshots_.end()) cached = it->second;
  }
  Result<delta::SnapshotPtr> latest;
  if (cached) {
    latest = cached->Update();
  } else {
    WEIR_ASSIGN_OR_RETURN(auto log, LogAt(table_root));
    latest = delta::Snapshot::Load(log);
  }
  if (!latest && LearnsThatManaged(table_root, latest.error())) {
    WEIR_ASSIGN_OR_RETURN(auto log, LogAt(table_root));
    latest = delta::Snapshot::Load(log);
  }
  if (latest) Remember(table_root, *latest);
  return latest;
}

Result<delta::SnapshotPtr> Warehouse::At(const std::string& table_root,
                                         const delta::TimeTravel& at) {
  if (at.version) {
    // An older version may be readable where the latest is not.
    auto latest = Latest(table_root);
    if (latest && (*latest)->version() == *at.version) return latest;
  }
  WEIR_ASSIGN_OR_RETURN(auto log, LogAt(table_root));
  auto snapshot = delta::Snapshot::Load(log, at);
  if (snapshot || !LearnsThatManaged(table_root, snapshot.error())) return snapshot;
  WEIR_ASSIGN_OR_RETURN(log, LogAt(table_root));
  return delta::Snapshot::Load(log, at);
}

void Warehouse::Remember(const std::string& table_root, delta::SnapshotPtr snapshot) {
  std::lock_guard lock(mutex_);
  auto& cached = snapshots_[table_root];
  if (!cached || cached->version() < snapshot->version()) cached = std::move(snapshot);
}

void Warehouse::Forget(const std::string& table_root) {
  std::lock_guard lock(mutex_);
  snapshots_.erase(table_root);
  managed_.erase(table_root);
}

}  // namespace weir::engine
