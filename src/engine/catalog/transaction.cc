// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/transaction.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_context.hpp"

#include "base/text.h"
#include "delta/catalog/managed_store.h"
#include "delta/checkpoint/write_checkpoint.h"
#include "delta/features/features.h"
#include "delta/statistics/file_pruner.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/progress.h"
#include "engine/catalog/schema_entry.h"
#include "engine/duckdb_errors.h"
#include "engine/maintenance/auto_compaction.h"
#include "engine/maintenance/clone_references.h"
#include "storage/empty_folders.h"
#include "storage/rename_folder.h"

namespace weir::engine {

WeirTransaction::WeirTransaction(duckdb::TransactionManager& manager,
                                 duckdb::ClientContext& context, WeirCatalog& catalog)
    : Transaction(manager, context), catalog_(catalog) {}

WeirTransaction::~WeirTransaction() {
  for (auto& [root, slot] : slots_) DeleteFiles(slot);
}

// Best effort: a file that stays is an orphan, which VACUUM finds.
void WeirTransaction::DeleteFiles(Slot& slot) {
  auto log = catalog_.warehouse().LogAt(slot.place.root);
  if (!log) return;
  for (const auto& file : slot.files) (void)log->store->Delete(file);
  slot.files.clear();
  // A table that has not come to be leaves no folder, which would look like a schema.
  const bool is_new = slot.writer && !slot.writer->base();
  if (is_new) storage::RemoveEmptyFolders(slot.place.root);
}

WeirTransaction& WeirTransaction::Get(duckdb::ClientContext& context, duckdb::Catalog& catalog) {
  return Transaction::Get(context, catalog).Cast<WeirTransaction>();
}

WeirTableEntry& WeirTransaction::MakeEntry(Slot& slot) {
  entries_.push_back(WeirTableEntry::Make(*slot.schema, slot.place.name, slot.state, slot.reads));
  return *entries_.back();
}

WeirTransaction::Slot* WeirTransaction::FindSlot(WeirSchemaEntry& schema, const std::string& name) {
  for (auto& [root, slot] : slots_) {
    if (slot.schema.get() == &schema && EqualsIgnoreCase(slot.place.name, name)) return &slot;
  }
  return nullptr;
}

WeirTransaction::Slot* WeirTransaction::LoadSlot(WeirSchemaEntry& schema, const std::string& name) {
  auto& warehouse = catalog_.warehouse();
  auto place = OrThrow(warehouse.FindTable(schema.name, name));
  if (!place) return nullptr;
  auto known = slots_.find(place->root);  // the same table under another spelling
  if (known != slots_.end()) return known->second.renamed ? nullptr : &known->second;
  Slot slot;
  slot.schema = &schema;
  slot.state = TableState::Of(OrThrow(warehouse.Latest(place->root)));
  slot.place = *place;
  slot.entry = &MakeEntry(slot);
  return &(slots_[place->root] = std::move(slot));
}

duckdb::optional_ptr<WeirTableEntry> WeirTransaction::FindTable(WeirSchemaEntry& schema,
                                                                const std::string& name) {
  std::lock_guard lock(mutex_);
  Slot* slot = FindSlot(schema, name);
  if (!slot) slot = LoadSlot(schema, name);
  if (!slot || slot->dropped) return nullptr;
  return slot->entry;
}

duckdb::optional_ptr<WeirTableEntry> WeirTransaction::FindTableToWrite(WeirSchemaEntry& schema,
                                                                       WriteTarget target) {
  std::lock_guard lock(mutex_);
  Slot* slot = FindSlot(schema, target.name);
  if (!slot) slot = LoadSlot(schema, target.name);
  if (!slot || slot->dropped) return nullptr;
  if (target.is_pending) throw duckdb::BinderException("table %s is prepared first", target.name);
  if (target.prepared) return prepared_.at(*target.prepared);
  auto& entry = MakeEntry(*slot);
  entry.set_write_target(std::move(target));
  return entry;
}

WeirTableEntry& WeirTransaction::PrepareTarget(const WeirTableEntry& table, WriteTarget& target,
                                               std::optional<Evolution> evolution) {
  std::lock_guard lock(mutex_);
  Slot& slot = slots_.at(table.state()->log().root);
  target.prepared = prepared_.size();
  target.is_pending = false;
  auto state = slot.state;
  if (evolution) {
    std::vector<delta::Action> actions;
    if (slot.writer) actions = slot.writer->actions();
    if (evolution->protocol) actions.emplace_back(*evolution->protocol);
    actions.emplace_back(evolution->metadata);
    state = OrThrow(TableState::Over(slot.state->snapshot(), slot.state->log(), actions));
  }
  entries_.push_back(
      WeirTableEntry::Make(*slot.schema, slot.place.name, std::move(state), slot.reads));
  auto& entry = *entries_.back();
  entry.set_write_target(target);
  if (evolution) entry.set_evolution(*std::move(evolution));
  prepared_.push_back(&entry);
  return entry;
}

duckdb::optional_ptr<WeirTableEntry> WeirTransaction::FindTableAt(WeirSchemaEntry& schema,
                                                                  const std::string& name,
                                                                  const delta::TimeTravel& at) {
  std::lock_guard lock(mutex_);
  auto& warehouse = catalog_.warehouse();
  Slot* slot = FindSlot(schema, name);
  if (!slot) slot = LoadSlot(schema, name);
  if (!slot) return nullptr;
  const TableFolder* place = &slot->place;
  auto& entry = travelled_[{place->root, at.version, at.timestamp_ms}];
  if (!entry) {
    auto snapshot = OrThrow(warehouse.At(place->root, at));
    entries_.push_back(
        WeirTableEntry::Make(schema, place->name, TableState::Of(std::move(snapshot)), nullptr));
    entry = entries_.back().get();
  }
  return entry;
}

duckdb::optional_ptr<WeirTableEntry> WeirTransaction::ListTable(WeirSchemaEntry& schema,
                                                                const std::string& name) {
  try {
    return FindTable(schema, name);
  } catch (const duckdb::Exception& exception) {
    std::lock_guard lock(mutex_);
    const auto reason = duckdb::ErrorData(exception).RawMessage();
    entries_.push_back(WeirTableEntry::MakeUnreadable(schema, name, reason));
    return entries_.back().get();
  }
}

std::vector<std::string> WeirTransaction::TableNames(WeirSchemaEntry& schema) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (auto& place : OrThrow(catalog_.warehouse().ListTables(schema.name))) {
    auto slot = slots_.find(place.root);
    if (slot == slots_.end()) {
      names.push_back(std::move(place.name));
    } else if (!slot->second.dropped) {
      names.push_back(slot->second.place.name);
    }
  }
  for (auto& [root, slot] : slots_) {
    if (slot.schema.get() == &schema && !slot.dropped && slot.entry && !slot.state->snapshot())
      names.push_back(slot.place.name);
  }
  return names;
}

void WeirTransaction::CheckWritable() const {
  if (catalog_.is_read_only()) {
    Throw(InvalidArgument("WEIR_READ_ONLY_CATALOG",
                          "catalog \"" + catalog_.GetName() +
                              "\" was attached READ_ONLY; attach it without to write"));
  }
}

delta::Transaction& WeirTransaction::WriterFor(const WeirTableEntry& table) {
  std::lock_guard lock(mutex_);
  CheckWritable();
  if (table.is_time_travel()) {
    Throw(InvalidArgument("DELTA_CANNOT_MODIFY_OLD_VERSION",
                          "table " + table.name + " at version " +
                              std::to_string(table.state()->version()) +
                              " is history and cannot be written"));
  }
  Slot& slot = slots_.at(table.state()->log().root);
  if (!slot.writer) slot.writer = OrThrow(delta::Transaction::Begin(slot.state->snapshot()));
  return *slot.writer;
}

namespace {

// What a table that never came to be may have left, or a racing creator has just written.
bool IsLeftover(const storage::ObjectInfo& entry) {
  const std::string_view name = storage::BaseName(entry.path);
  if (name[0] == '_' || name[0] == '.') return true;
  return entry.is_directory ? name.find('=') != std::string_view::npos : StartsWith(name, "part-");
}

// VACUUM will delete what the table does not know: the folder must hold nothing that is of use.
void CheckVacant(const delta::TableLog& log) {
  for (const auto& entry : OrThrow(log.store->ListDirectory(log.root))) {
    if (IsLeftover(entry)) continue;
    Throw(AlreadyExists("DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
                        "the folder " + log.root + " is no Delta table and holds " +
                            std::string(storage::BaseName(entry.path)) +
                            "; give the table another name, or move what is there",
                        "42601"));
  }
}

}  // namespace

delta::Transaction& WeirTransaction::WriterForNew(WeirSchemaEntry& schema,
                                                  const TableFolder& place) {
  std::lock_guard lock(mutex_);
  CheckWritable();
  OrThrow(catalog_.warehouse().CheckName(place.name));
  Slot* seen = FindSlot(schema, place.name);
  if (!seen) seen = LoadSlot(schema, place.name);
  if (seen) {
    Throw(AlreadyExists(
        "DELTA_TABLE_ALREADY_EXISTS",
        "table " + schema.name + "." + place.name +
            (seen->dropped ? " was dropped in this transaction; commit first, then create it anew"
                           : " already exists at " + place.root),
        "42P07"));
  }
  const auto left = slots_.find(place.root);
  if (left != slots_.end() && left->second.renamed) {
    Throw(AlreadyExists("DELTA_TABLE_ALREADY_EXISTS",
                        "table " + schema.name + "." + place.name + " is called " +
                            left->second.place.name +
                            " since this transaction; commit first, then create it anew",
                        "42P07"));
  }
  auto log = OrThrow(catalog_.warehouse().LogAt(place.root));
  CheckVacant(log);
  Slot slot;
  slot.schema = &schema;
  slot.place = place;
  slot.writer = OrThrow(delta::Transaction::BeginCreate(std::move(log)));
  return *(slots_[place.root] = std::move(slot)).writer;
}

WeirTableEntry& WeirTransaction::Publish(const std::string& root) {
  std::lock_guard lock(mutex_);
  Slot& slot = slots_.at(root);
  auto log = OrThrow(catalog_.warehouse().LogAt(root));
  slot.state = OrThrow(TableState::Over(slot.writer->base(), log, slot.writer->actions()));
  slot.entry = &MakeEntry(slot);
  return *slot.entry;
}

void WeirTransaction::CheckNoClones(const Slot& slot, const std::string& root) {
  for (const TableFolder& clone : ClonesOf(catalog_.warehouse(), root)) {
    const auto other = slots_.find(clone.root);
    if (other != slots_.end() && other->second.dropped) continue;
    Throw(InvalidArgument("WEIR_TABLE_HAS_SHALLOW_CLONES",
                          "table " + slot.place.name + " has files that its shallow clone " +
                              clone.name +
                              " needs; drop the clone first, or replace it by a DEEP CLONE",
                          "2BP01"));
  }
}

void WeirTransaction::RenameTable(WeirSchemaEntry& schema, const WeirTableEntry& table,
                                  const std::string& name) {
  std::lock_guard lock(mutex_);
  CheckWritable();
  auto& warehouse = catalog_.warehouse();
  const std::string root = table.state()->log().root;
  Slot& slot = slots_.at(root);
  if (warehouse.is_single_table() || warehouse.root().empty() ||
      !storage::CanRenameFolders(warehouse.root())) {
    Throw(UnsupportedFeature(
        "WEIR_CANNOT_RENAME_TABLE",
        "table " + slot.place.name +
            " cannot be renamed: only tables of a warehouse folder on a local disk can, where a "
            "folder gets its new name in one step; on an object store each file would be moved by "
            "itself. CREATE TABLE ... DEEP CLONE makes a copy of another name",
        "0AKDC"));
  }
  OrThrow(warehouse.CheckName(name));
  const TableFolder place = warehouse.PlaceFor(schema.name, name);
  Slot* seen = FindSlot(schema, name);
  if (!seen) seen = LoadSlot(schema, name);
  const auto left = slots_.find(place.root);
  const bool is_left = left != slots_.end() && left->second.renamed && &left->second != &slot;
  if ((seen && seen != &slot) || is_left) {
    Throw(AlreadyExists(
        "TABLE_OR_VIEW_ALREADY_EXISTS",
        "table " + slot.place.name + " cannot be called " + name +
            (is_left || seen->dropped ? ": a table of that name was renamed or dropped in this "
                                        "transaction; commit first"
                                      : ": there is a table of that name"),
        "42P07"));
  }
  if (place.root != root && !OrThrow(slot.state->log().store->ListDirectory(place.root)).empty()) {
    Throw(AlreadyExists("DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
                        "table " + slot.place.name + " cannot be called " + name + ": the folder " +
                            place.root + " is there and holds something",
                        "42601"));
  }
  CheckNoClones(slot, root);
  slot.place.name = place.name;
  slot.renamed = place.root == root ? std::nullopt : std::optional(place);
  slot.entry = &MakeEntry(slot);
}

void WeirTransaction::DropTable(const WeirTableEntry& table) {
  std::lock_guard lock(mutex_);
  CheckWritable();
  auto it = slots_.find(table.state()->log().root);
  if (!it->second.state->snapshot()) {
    slots_.erase(it);
    return;
  }
  CheckNoClones(it->second, it->first);
  it->second.dropped = true;
  it->second.writer.reset();
}

void WeirTransaction::HandOverReads(Slot& slot) {
  auto& reads = slot.writer->reads();
  for (const auto& condition : slot.reads->conditions()) {
    if (!condition || !slot.state->snapshot()) {
      reads.whole_table = true;
      continue;
    }
    auto pruner = std::make_shared<delta::FilePruner>(*slot.state->schema(), slot.state->metadata(),
                                                      condition);
    reads.predicates.push_back([pruner](const delta::AddFile& file) {
      return pruner->Evaluate(file) != delta::FileMatch::kNever;
    });
  }
}

bool WeirTransaction::IsMultiStatement(duckdb::ClientContext& context) {
  return !context.transaction.IsAutoCommit();
}

void WeirTransaction::AnnounceFile(const std::string& root, const std::string& path) {
  std::lock_guard lock(mutex_);
  slots_.at(root).files.push_back(path);
}

void WeirTransaction::RecordStatement(const std::string& root, const std::string& operation,
                                      JsonValue parameters,
                                      const std::map<std::string, int64_t>& metrics) {
  std::lock_guard lock(mutex_);
  Slot& slot = slots_.at(root);
  const bool is_first = slot.operation.empty();
  for (const auto& [name, value] : metrics) slot.metrics[name] += value;
  slot.writer->SetMetrics(slot.metrics);
  const bool keeps_first = !is_first && StartsWith(slot.operation, "CREATE ");
  if (keeps_first) return;
  slot.operation = is_first || slot.operation == operation ? operation : "TRANSACTION";
  slot.writer->SetOperation(slot.operation, std::move(parameters));
}

namespace {

// A table that is known by its path has no catalog that could manage it.
Status CheckNotManaged(const delta::Protocol& protocol, const std::string& root) {
  if (!delta::IsSupported(protocol, delta::Feature::kCatalogManaged)) return {};
  return Fail(delta::PathBasedAccessBlocked(root));
}

}  // namespace

Status WeirTransaction::Commit() {
  const auto client = context.lock();
  const auto progress = client ? ProgressOf(*client) : std::nullopt;
  auto& warehouse = catalog_.warehouse();
  std::string committed;
  for (auto& [root, slot] : slots_) {
    if (slot.dropped) {
      WEIR_RETURN_IF_ERROR(warehouse.DeleteFolder(root));
      warehouse.Forget(root);
    }
    if (!slot.writer || slot.writer->actions().empty()) continue;
    if (warehouse.root().empty() || warehouse.is_single_table())
      WEIR_RETURN_IF_ERROR(CheckNotManaged(slot.state->protocol(), root));
    HandOverReads(slot);
    if (progress) {
      slot.writer->reads().app_ids.insert(progress->app_id);
      slot.writer->Add(*progress);
    }
    auto result = slot.writer->Commit();
    if (!result) {
      const Error& error = result.error();
      // The commit may be there: its files must stay.
      if (error.kind == ErrorKind::kStateUnknown) slot.files.clear();
      return Fail(
          committed.empty()
              ? error
              : error.WithContext("tables already committed in this transaction:" + committed));
    }
    slot.files.clear();
    if (AsksForCompaction(*slot.writer)) tables_to_compact_.push_back(root);
    slot.writer.reset();
    committed += " " + slot.place.name + " (version " + std::to_string(result->version) + ")";
  }
  auto renamed = RenameFolders();
  if (renamed || committed.empty()) return renamed;
  return Fail(
      renamed.error().WithContext("tables already committed in this transaction:" + committed));
}

// Behind all commits: a table that cannot be written keeps its name.
Status WeirTransaction::RenameFolders() {
  auto& warehouse = catalog_.warehouse();
  for (auto& [root, slot] : slots_) {
    if (!slot.renamed || slot.dropped) continue;
    WEIR_RETURN_IF_ERROR(storage::RenameFolder(root, slot.renamed->root));
    warehouse.Forget(root);
    warehouse.Forget(slot.renamed->root);
    std::replace(tables_to_compact_.begin(), tables_to_compact_.end(), root, slot.renamed->root);
  }
  return {};
}

WeirTransactionManager::WeirTransactionManager(duckdb::AttachedDatabase& db, WeirCatalog& catalog)
    : TransactionManager(db), catalog_(catalog) {}

duckdb::Transaction& WeirTransactionManager::StartTransaction(duckdb::ClientContext& context) {
  auto transaction = std::make_unique<WeirTransaction>(*this, context, catalog_);
  auto& result = *transaction;
  std::lock_guard lock(mutex_);
  running_[&result] = std::move(transaction);
  return result;
}

duckdb::ErrorData WeirTransactionManager::CommitTransaction(duckdb::ClientContext&,
                                                            duckdb::Transaction& transaction) {
  duckdb::ErrorData outcome;
  auto& committing = transaction.Cast<WeirTransaction>();
  try {
    OrThrow(committing.Commit());
  } catch (const std::exception& error) {
    outcome = duckdb::ErrorData(error);
  }
  const std::vector<std::string> tables_to_compact = committing.tables_to_compact();
  End(transaction);
  for (const std::string& root : tables_to_compact) RunAutoCompaction(db.GetDatabase(), root);
  return outcome;
}

void WeirTransactionManager::RollbackTransaction(duckdb::Transaction& transaction) {
  End(transaction);
}

void WeirTransactionManager::Checkpoint(duckdb::ClientContext&, bool) {
  if (catalog_.is_read_only()) {
    Throw(InvalidArgument("WEIR_READ_ONLY_CATALOG",
                          "catalog \"" + catalog_.GetName() + "\" was attached READ_ONLY"));
  }
  auto& warehouse = catalog_.warehouse();
  for (const auto& schema : OrThrow(warehouse.ListSchemas())) {
    for (const auto& table : OrThrow(warehouse.ListTables(schema))) {
      OrThrow(delta::WriteCheckpoint(*OrThrow(warehouse.Latest(table.root))));
    }
  }
}

void WeirTransactionManager::End(duckdb::Transaction& transaction) {
  std::unique_ptr<WeirTransaction> ended;  // destroyed outside the lock
  std::lock_guard lock(mutex_);
  auto it = running_.find(&transaction);
  ended = std::move(it->second);
  running_.erase(it);
}

}  // namespace weir::engine
