// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "delta/simulation/world.h"

namespace weir::delta {

/// One process that works on the table: it runs operations of every kind one after the other, as
/// Weir's engine would, with texts in place of Parquet files.
class Client {
 public:
  explicit Client(World& world);

  void Run();

 private:
  struct File {
    AddFile add;
    std::vector<FileRow> rows;  ///< All of the file, with their ids.
    std::vector<bool> is_live;  ///< By the deletion vector.
  };

  void RunOne();
  void Write(const SnapshotPtr& snapshot);
  void Maintain(const SnapshotPtr& snapshot);
  /// The newest snapshot, fresh or brought forward; null when the store failed.
  SnapshotPtr LoadTable();

  bool Append(Transaction& transaction, Intent& intent);
  bool AppendSum(Transaction& transaction, Intent& intent);
  bool Change(Transaction& transaction, Intent& intent);
  bool Rewrite(Transaction& transaction, Intent& intent);
  bool SetProperty(Transaction& transaction);
  bool MoveApplication(Transaction& transaction, Intent& intent);
  bool MoveDomain(Transaction& transaction, Intent& intent);

  Result<std::vector<File>> ReadPartition(Transaction& transaction, const std::string& partition);
  /// Deletes or increments by a deletion vector, or by writing the file anew.
  Status ChangeFile(Transaction& transaction, const Intent& intent, const File& file);
  Status MarkRows(Transaction& transaction, const File& file, const std::vector<bool>& goes);
  Result<AddFile> WriteFile(const std::string& partition, const std::vector<FileRow>& rows,
                            const std::string& folder = "data");

  void Pause();
  uint64_t Random(uint64_t below) { return world_.plan.random() % below; }
  bool Coin() { return Random(2) == 0; }

  World& world_;
  std::shared_ptr<ClientStore> store_;
  TableLog log_;
  SnapshotPtr kept_;
  int64_t started_ms_ = 0;
};

}  // namespace weir::delta
