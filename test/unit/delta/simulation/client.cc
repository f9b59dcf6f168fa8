// SPDX-License-Identifier: Apache-2.0
#include "delta/simulation/client.h"

#include "delta/actions/removal.h"
#include "delta/checkpoint/write_checkpoint.h"
#include "delta/commit/log_cleanup.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/maintenance/log_compaction.h"
#include "delta/maintenance/vacuum.h"
#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

using Kind = Intent::Kind;

constexpr int64_t kHour = 3'600'000;
constexpr int64_t kDay = 24 * kHour;

// While one lives, time makes no jump.
class Busy {
 public:
  explicit Busy(World& world) : world_(world) { ++world_.busy; }
  ~Busy() { --world_.busy; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  World& world_;
};

}  // namespace

Client::Client(World& world) : world_(world) {
  store_ = std::make_shared<ClientStore>(world);
  log_.store = store_;
  log_.root = "/t";
  log_.clock = &world.clock;
  log_.checkpoint_io = std::make_shared<FakeCheckpointIo>();
}

void Client::Run() {
  for (int i = 0; i < world_.plan.operations; ++i) {
    Pause();
    RunOne();
    if (store_->is_dead()) {
      store_->Restart();
      kept_ = nullptr;
    }
  }
}

// Others may do much, and days may pass (a log is cleaned up by days), but not while a call is
// under way.
void Client::Pause() {
  for (uint64_t i = Random(6); i > 0; --i) world_.turns.Yield();
  if (world_.plan.jumps && Random(12) == 0) world_.is_jump_wanted = true;
  while (world_.is_jump_wanted && world_.busy > 0) world_.turns.Yield();
  if (!world_.is_jump_wanted) return;
  world_.is_jump_wanted = false;
  world_.DeliverLate(true);
  world_.clock.Advance(static_cast<int64_t>(4 + Random(36)) * kHour);
}

void Client::RunOne() {
  SnapshotPtr snapshot;
  {
    Busy busy(world_);
    snapshot = LoadTable();
  }
  if (!snapshot || store_->is_dead()) return;
  if (Random(5) == 0) return Maintain(snapshot);
  Write(snapshot);
}

SnapshotPtr Client::LoadTable() {
  const int64_t faults = store_->faults();
  auto loaded = kept_ && Coin() ? kept_->Update() : Snapshot::Load(log_);
  if (!loaded) {
    if (store_->faults() == faults)
      world_.model.Breach("the table cannot be read: " + loaded.error().ToString());
    if (loaded.error().kind != ErrorKind::kIo)
      world_.model.Breach("a failing store is no broken table: " + loaded.error().ToString());
    return nullptr;
  }
  world_.model.CheckSnapshot(**loaded);
  kept_ = *loaded;
  return kept_;
}

void Client::Maintain(const SnapshotPtr& snapshot) {
  Busy busy(world_);
  Status status;
  switch (Random(4)) {
    case 0:
      status = WriteCheckpoint(*snapshot);
      break;
    case 1:
      status = CleanUpLog(*snapshot, {.millis = 0}).map([](int64_t) {});
      break;
    case 2:
      if (snapshot->version() < 1) return;
      status = WriteLogCompaction(
          log_, static_cast<int64_t>(Random(static_cast<uint64_t>(snapshot->version()))),
          snapshot->version());
      break;
    default: {
      VacuumOptions options;
      options.retention_ms = 7 * kDay;
      status = Vacuum(snapshot, options).map([](const VacuumResult&) {});
    }
  }
  if (!status && status.error().kind == ErrorKind::kInternal)
    world_.model.Breach(status.error().ToString());
}

void Client::Write(const SnapshotPtr& snapshot) {
  auto begun = Transaction::Begin(snapshot);
  if (!begun) return world_.model.Breach(begun.error().ToString());
  Transaction& transaction = **begun;
  Intent intent;
  intent.base = snapshot->version();
  intent.partition = std::string(1, static_cast<char>('a' + Random(2)));
  started_ms_ = world_.clock.NowMillis();
  constexpr Kind kKinds[] = {
      Kind::kAppend,      Kind::kAppend,    Kind::kAppendSum,  Kind::kDelete,  Kind::kDelete,
      Kind::kIncrement,   Kind::kIncrement, Kind::kIncrement,  Kind::kRewrite, Kind::kRewrite,
      Kind::kApplication, Kind::kDomain,    Kind::kSetProperty};
  intent.kind = kKinds[Random(std::size(kKinds))];
  bool is_ready = false;
  {
    Busy busy(world_);
    switch (intent.kind) {
      case Kind::kAppend:
        is_ready = Append(transaction, intent);
        break;
      case Kind::kAppendSum:
        is_ready = AppendSum(transaction, intent);
        break;
      case Kind::kDelete:
      case Kind::kIncrement:
        is_ready = Change(transaction, intent);
        break;
      case Kind::kRewrite:
        is_ready = Rewrite(transaction, intent);
        break;
      case Kind::kSetProperty:
        is_ready = SetProperty(transaction);
        break;
      case Kind::kApplication:
        is_ready = MoveApplication(transaction, intent);
        break;
      case Kind::kDomain:
        is_ready = MoveDomain(transaction, intent);
        break;
    }
  }
  if (!is_ready || store_->is_dead()) return;
  Pause();
  // What is older may be vacuumed by now, files of ours too.
  if (world_.clock.NowMillis() - started_ms_ > 6 * kDay) return;
  world_.model.Expect(transaction.id(), intent);
  const int64_t faults = store_->faults();
  Result<CommitResult> result;
  {
    Busy busy(world_);
    result = transaction.Commit();
  }
  if (!store_->is_dead() || result) world_.model.OnTold(transaction.id(), result);
  if (result) return;
  if (result.error().kind == ErrorKind::kConflictFinal) {
    world_.model.CheckConflict(intent, result.error());
  } else if (store_->faults() == faults) {
    world_.model.Breach("a commit failed: " + result.error().ToString());
  }
}

bool Client::Append(Transaction& transaction, Intent& intent) {
  for (uint64_t file = 1 + Random(2); file > 0; --file) {
    std::vector<FileRow> rows;
    for (uint64_t row = 1 + Random(3); row > 0; --row) rows.push_back({world_.next_key++, 0, -1});
    intent.appended.insert(intent.appended.end(), rows.begin(), rows.end());
    auto add = WriteFile(intent.partition, rows);
    if (!add) return false;
    transaction.Add(std::move(*add));
  }
  intent.modulus = 1;
  return true;
}

bool Client::AppendSum(Transaction& transaction, Intent& intent) {
  auto files = ReadPartition(transaction, intent.partition);
  if (!files) return false;
  FileRow row{world_.next_key++, 0, -1};
  for (const auto& file : *files) {
    for (size_t i = 0; i < file.rows.size(); ++i) {
      if (file.is_live[i]) row.value += file.rows[i].value;
    }
  }
  intent.appended.push_back(row);
  auto add = WriteFile(intent.partition, {row});
  if (!add) return false;
  transaction.Add(std::move(*add));
  return true;
}

bool Client::Change(Transaction& transaction, Intent& intent) {
  intent.modulus = static_cast<int64_t>(1 + Random(3));
  intent.rest = static_cast<int64_t>(Random(static_cast<uint64_t>(intent.modulus)));
  auto files = ReadPartition(transaction, intent.partition);
  if (!files) return false;
  for (const auto& file : *files) {
    if (!ChangeFile(transaction, intent, file)) return false;
  }
  return !transaction.actions().empty();
}

Status Client::ChangeFile(Transaction& transaction, const Intent& intent, const File& file) {
  std::vector<bool> is_hit(file.rows.size());
  std::vector<FileRow> changed;
  std::vector<FileRow> stays;
  std::vector<FileRow> feed;
  for (size_t i = 0; i < file.rows.size(); ++i) {
    if (!file.is_live[i]) continue;
    FileRow row = file.rows[i];
    is_hit[i] = intent.Matches(intent.partition, row.key);
    if (!is_hit[i]) {
      stays.push_back(row);
      continue;
    }
    feed.push_back({row.key, row.value, -1});
    if (intent.kind == Kind::kDelete) continue;
    changed.push_back({row.key, row.value + 1, row.id});
    feed.push_back({row.key, row.value + 1, 1});
  }
  if (feed.empty()) return {};
  if (Coin()) {
    WEIR_RETURN_IF_ERROR(MarkRows(transaction, file, is_hit));
  } else {
    transaction.Add(RemovalOf(file.add, world_.clock.NowMillis()));
    changed.insert(changed.end(), stays.begin(), stays.end());
  }
  if (!changed.empty()) {
    WEIR_ASSIGN_OR_RETURN(AddFile add, WriteFile(intent.partition, changed));
    transaction.Add(std::move(add));
  }
  if (!world_.plan.has_feed) return {};
  WEIR_ASSIGN_OR_RETURN(AddFile add, WriteFile(intent.partition, feed, "_change_data"));
  AddCdcFile cdc;
  cdc.path = add.path;
  cdc.partition_values = add.partition_values;
  cdc.size = add.size;
  transaction.Add(std::move(cdc));
  return {};
}

Status Client::MarkRows(Transaction& transaction, const File& file, const std::vector<bool>& goes) {
  RowBitmap deleted;
  for (size_t i = 0; i < goes.size(); ++i) {
    if (goes[i] || !file.is_live[i]) deleted.Add(i);
  }
  DeletionVectorWriter writer(*store_, log_.root);
  AddFile marked = file.add;
  marked.data_change = true;
  WEIR_ASSIGN_OR_RETURN(marked.deletion_vector, writer.Add(deleted));
  WEIR_RETURN_IF_ERROR(writer.Finish());
  transaction.Add(RemovalOf(file.add, world_.clock.NowMillis()));
  transaction.Add(std::move(marked));
  return {};
}

bool Client::Rewrite(Transaction& transaction, Intent& intent) {
  auto files = ReadPartition(transaction, intent.partition);
  if (!files || files->size() < 2) return false;
  transaction.reads().predicates.clear();
  transaction.SetIsolationLevel(IsolationLevel::kSnapshotIsolation);
  std::vector<FileRow> rows;
  for (const auto& file : *files) {
    RemoveFile remove = RemovalOf(file.add, world_.clock.NowMillis());
    remove.data_change = false;
    transaction.Add(std::move(remove));
    for (size_t i = 0; i < file.rows.size(); ++i) {
      if (file.is_live[i]) rows.push_back(file.rows[i]);
    }
  }
  if (rows.empty()) return true;
  auto add = WriteFile(intent.partition, rows);
  if (!add) return false;
  add->data_change = false;
  transaction.Add(std::move(*add));
  intent.modulus = 1;
  return true;
}

bool Client::SetProperty(Transaction& transaction) {
  Metadata metadata = transaction.base()->metadata();
  std::string& counter = metadata.configuration["sim.counter"];
  counter = std::to_string(std::stoll(counter) + 1);
  transaction.Add(std::move(metadata));
  return true;
}

bool Client::MoveApplication(Transaction& transaction, Intent& intent) {
  intent.name = Coin() ? "x" : "y";
  transaction.reads().app_ids.insert(intent.name);
  auto known = transaction.base()->transactions().find(intent.name);
  SetTransaction next;
  next.app_id = intent.name;
  next.version = known == transaction.base()->transactions().end() ? 1 : known->second.version + 1;
  transaction.Add(std::move(next));
  return Append(transaction, intent);
}

bool Client::MoveDomain(Transaction& transaction, Intent& intent) {
  intent.name = Coin() ? "north" : "south";
  auto known = transaction.base()->domains().find(intent.name);
  const int64_t last =
      known == transaction.base()->domains().end() ? 0 : std::stoll(known->second.configuration);
  transaction.Add(DomainMetadata{intent.name, std::to_string(last + 1), false});
  return true;
}

Result<std::vector<Client::File>> Client::ReadPartition(Transaction& transaction,
                                                        const std::string& partition) {
  std::vector<File> files;
  const FileList& list = transaction.base()->files();
  transaction.reads().predicates.push_back(ReadsPartition(partition));
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.partition_value(i, 0) != partition) continue;
    File file;
    file.add = list.Get(i);
    transaction.reads().files.insert(file.add.path);
    WEIR_ASSIGN_OR_RETURN(const auto text, store_->Get("/t/" + file.add.path));
    file.rows = ParseRows(text);
    RowBitmap deleted;
    if (file.add.deletion_vector) {
      WEIR_ASSIGN_OR_RETURN(deleted, ReadDeletionVector(*store_, "/t", *file.add.deletion_vector));
    }
    for (size_t position = 0; position < file.rows.size(); ++position) {
      file.is_live.push_back(!deleted.Contains(position));
      FileRow& row = file.rows[position];
      if (row.id < 0 && file.add.base_row_id)
        row.id = *file.add.base_row_id + static_cast<int64_t>(position);
    }
    files.push_back(std::move(file));
  }
  return files;
}

Result<AddFile> Client::WriteFile(const std::string& partition, const std::vector<FileRow>& rows,
                                  const std::string& folder) {
  const std::string path = folder + "/" + std::to_string(world_.next_file++);
  const std::string text = FormatRows(rows);
  WEIR_RETURN_IF_ERROR(store_->Put("/t/" + path, text));
  AddFile add = TestFile(path, partition, static_cast<int64_t>(rows.size()));
  add.size = static_cast<int64_t>(text.size());
  add.modification_time = world_.clock.NowMillis();
  return add;
}

}  // namespace weir::delta
