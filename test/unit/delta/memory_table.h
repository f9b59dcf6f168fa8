// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "delta/commit/transaction.h"
#include "delta/snapshot/snapshot.h"
#include "storage/memory_store.h"

namespace weir::delta {

inline constexpr const char* kTestSchema =
    R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"p","type":"string","nullable":true,"metadata":{}}]})";

inline Protocol TestProtocol(std::vector<std::string> writer_features = {}) {
  Protocol protocol;
  if (!writer_features.empty()) {
    protocol.min_writer_version = 7;
    protocol.writer_features = std::move(writer_features);
  }
  return protocol;
}

/// A file of ten rows, in partition `p` of a table that is partitioned by it.
inline AddFile TestFile(std::string path, std::string partition = "a", int64_t rows = 10) {
  AddFile add;
  add.path = std::move(path);
  add.partition_values["p"] = std::move(partition);
  add.size = 100;
  add.modification_time = 1;
  add.stats = "{\"numRecords\":" + std::to_string(rows) + "}";
  return add;
}

inline RemoveFile TestRemove(std::string path) {
  RemoveFile remove;
  remove.path = std::move(path);
  remove.deletion_timestamp = 1;
  return remove;
}

/// A table in a store, with columns id and p, partitioned by p.
class MemoryTable {
 public:
  explicit MemoryTable(
      std::shared_ptr<storage::ObjectStore> store = std::make_shared<storage::MemoryStore>()) {
    log_.store = std::move(store);
    log_.root = "/t";
  }

  TableLog& log() { return log_; }

  Result<CommitResult> TryCreate(Protocol protocol = TestProtocol(), StringMap properties = {}) {
    WEIR_ASSIGN_OR_RETURN(auto transaction, Transaction::BeginCreate(log_));
    transaction->Add(std::move(protocol));
    transaction->Add(TestMetadata(std::move(properties)));
    transaction->SetOperation("CREATE TABLE", JsonValue::Object());
    return transaction->Commit();
  }

  void Create(Protocol protocol = TestProtocol(), StringMap properties = {}) {
    auto result = TryCreate(std::move(protocol), std::move(properties));
    ASSERT_TRUE(result) << result.error().ToString();
  }

  static Metadata TestMetadata(StringMap properties = {}) {
    Metadata metadata;
    metadata.id = "11111111-2222-3333-4444-555555555555";
    metadata.schema_string = kTestSchema;
    metadata.partition_columns = {"p"};
    metadata.configuration = std::move(properties);
    return metadata;
  }

  SnapshotPtr Load() {
    auto snapshot = Snapshot::Load(log_);
    EXPECT_TRUE(snapshot) << snapshot.error().ToString();
    return snapshot.value_or(nullptr);
  }

  std::unique_ptr<Transaction> Begin() {
    auto transaction = Transaction::Begin(Load());
    EXPECT_TRUE(transaction) << transaction.error().ToString();
    return std::move(*transaction);
  }

  Result<CommitResult> Append(AddFile file) {
    auto transaction = Begin();
    transaction->Add(std::move(file));
    return transaction->Commit();
  }

  std::vector<Action> Actions(int64_t version) {
    auto actions = ReadCommit(log_, version);
    EXPECT_TRUE(actions) << actions.error().ToString();
    return actions.value_or(std::vector<Action>());
  }

  /// The actions of one kind in a version.
  template <typename T>
  std::vector<T> All(int64_t version) {
    std::vector<T> found;
    for (auto& action : Actions(version)) {
      if (auto* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }

 private:
  TableLog log_;
};

/// Reads every file of one partition.
inline std::function<bool(const AddFile&)> ReadsPartition(std::string partition) {
  return [partition = std::move(partition)](const AddFile& file) {
    auto it = file.partition_values.find("p");
    return it != file.partition_values.end() && it->second == partition;
  };
}

}  // namespace weir::delta
