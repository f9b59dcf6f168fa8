// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "storage/object_store.h"

namespace weir::pipeline {

/// What a batch takes of each source, by the source's key.
using BatchOffsets = std::map<std::string, JsonValue>;

/// The memory of one flow: <storage>/_checkpoints/<catalog>/<database>/<table>/<flow>/<n>. A full
/// refresh begins folder n + 1 and leaves the old ones alone. In a folder:
///   metadata          {"id": the application that commits name, "reset": true until the tables are
///   emptied} offsets/<batch>   what the batch takes; written before it runs commits/<batch>
///   written when it is in the tables offsets/<batch>.compact  one offset per source that stands
///   for all up to this batch
/// Not thread-safe; the run's lock keeps other processes out.
class Checkpoint {
 public:
  /// Opens the newest folder below `flow_folder`; one that is not there yet is made by the first
  /// write. Errors: kCorruptLog WEIR_CHECKPOINT_MALFORMED; kIo.
  static Result<Checkpoint> Open(const std::string& flow_folder);

  /// Begins the next folder.
  Status BeginRefresh();
  /// Whether a full refresh has begun and no batch was finished since.
  bool refreshed() const { return generation_ > 0 && history_.empty(); }

  /// Names this flow since its last full refresh in the commits of its tables.
  const std::string& application() const { return application_; }

  /// The offsets of all finished batches in order, older ones made compact.
  const std::vector<BatchOffsets>& history() const { return history_; }
  /// The batch that was begun and not finished.
  const std::optional<BatchOffsets>& pending() const { return pending_; }
  /// The number of the pending batch, or of the next.
  int64_t batch() const { return batch_; }

  /// Makes `offsets` the pending batch. Durable when it returns.
  Status Begin(const BatchOffsets& offsets);
  /// Gives the pending batch up, which has left no trace in any table.
  Status Abandon();
  /// Finishes the pending batch. `compact`, when given, stands for the whole past.
  Status Finish(const JsonValue& summary, const std::optional<BatchOffsets>& compact);
  /// Whether the batch that is about to finish should come with a compact form of the past.
  bool WantsCompact() const { return batch_ % kCompactEvery == kCompactEvery - 1; }

 private:
  static constexpr int64_t kCompactEvery = 10;

  Status LoadFolder();
  Status SaveMetadata();
  std::string Path(const std::string& name) const { return storage::JoinPath(folder_, name); }

  std::shared_ptr<storage::ObjectStore> store_;
  std::string flow_folder_;
  std::string folder_;
  int64_t generation_ = 0;
  bool saved_ = false;
  std::string application_;
  std::vector<BatchOffsets> history_;
  std::optional<BatchOffsets> pending_;
  int64_t batch_ = 0;
};

}  // namespace weir::pipeline
