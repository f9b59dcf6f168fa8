// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint/write_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/uuid.h"
#include "delta/checkpoint/checkpoint_io.h"
#include "delta/checkpoint/checkpoint_schema.h"
#include "delta/checkpoint/last_checkpoint.h"
#include "delta/features/features.h"
#include "delta/features/properties.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

// How many files one sidecar holds, at most.
constexpr size_t kFilesPerSidecar = 50'000;

// One checkpoint in the making.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(const Snapshot& snapshot) : snapshot_(snapshot), log_(snapshot.log()) {}

  Status Write() {
    if (!log_.checkpoint_io) {
      return Fail(InternalError(log_.root + ": nothing here can write Parquet checkpoints"));
    }
    WEIR_RETURN_IF_ERROR(Prepare());
    bool v2 = properties_.checkpoint_policy == CheckpointPolicy::kV2 &&
              IsSupported(snapshot_.protocol(), Feature::kV2Checkpoint);
    WEIR_RETURN_IF_ERROR(v2 ? WriteV2() : WriteClassic());
    return PointAtIt();
  }

 private:
  Status Prepare() {
    WEIR_ASSIGN_OR_RETURN(properties_, ParseTableProperties(snapshot_.metadata().configuration));
    // What is missing in memory would be missing in the table from here on.
    WEIR_RETURN_IF_ERROR(snapshot_.files().LoadStats());
    WEIR_ASSIGN_OR_RETURN(auto tombstones, snapshot_.Tombstones());
    int64_t oldest = log_.clock->NowMillis() - properties_.deleted_file_retention.count();
    for (const auto& tombstone : *tombstones) {
      if (tombstone.deletion_timestamp.value_or(0) > oldest) tombstones_.push_back(tombstone);
    }
    for (const auto& [app_id, transaction] : snapshot_.transactions()) {
      if (!IsExpired(transaction)) transactions_.push_back(&transaction);
    }
    for (const auto& [name, domain] : snapshot_.domains()) domains_.push_back(&domain);

    const DataType& schema = *snapshot_.schema();
    layout_.stats_as_json = properties_.checkpoint_stats_as_json;
    if (properties_.checkpoint_stats_as_struct) {
      WEIR_ASSIGN_OR_RETURN(layout_.stats_schema,
                            StatsParsedSchema(schema, snapshot_.metadata(), snapshot_.protocol()));
      layout_.partition_schema = PartitionValuesSchema(schema, snapshot_.metadata());
    }
    return {};
  }

  bool IsExpired(const SetTransaction& transaction) const {
    const auto& retention = properties_.set_transaction_retention;
    if (!retention || !transaction.last_updated) return false;
    return *transaction.last_updated <= log_.clock->NowMillis() - retention->count();
  }

  // Everything but files.
  CheckpointContent OtherActions() const {
    CheckpointContent content;
    content.protocol = &snapshot_.protocol();
    content.metadata = &snapshot_.metadata();
    content.transactions = transactions_;
    content.domains = domains_;
    return content;
  }

  Status WriteClassic() {
    CheckpointContent content = OtherActions();
    content.files = &snapshot_.files();
    content.last_file = snapshot_.files().size();
    content.removes = tombstones_;
    return Put(storage::JoinPath(log_.log_dir(), ClassicCheckpointFileName(snapshot_.version())),
               content, layout_)
        .map([](int64_t) {});
  }

  Status WriteV2() {
    CheckpointContent top = OtherActions();
    size_t count = snapshot_.files().size();
    size_t pieces = std::max<size_t>(1, (count + kFilesPerSidecar - 1) / kFilesPerSidecar);
    for (size_t piece = 0; piece < pieces; ++piece) {
      WEIR_ASSIGN_OR_RETURN(auto sidecar, WriteSidecar(count * piece / pieces,
                                                       count * (piece + 1) / pieces, piece == 0));
      top.sidecars.push_back(std::move(sidecar));
    }
    top.checkpoint_metadata = CheckpointMetadata{snapshot_.version(), std::nullopt};
    std::string name = UuidCheckpointFileName(snapshot_.version(), Uuid::Random().ToString());
    return Put(storage::JoinPath(log_.log_dir(), name), top, layout_).map([](int64_t) {});
  }

  Result<Sidecar> WriteSidecar(size_t first_file, size_t last_file, bool with_removes) {
    CheckpointContent content;
    content.files = &snapshot_.files();
    content.first_file = first_file;
    content.last_file = last_file;
    if (with_removes) content.removes = tombstones_;
    CheckpointLayout layout = layout_;
    layout.other_actions = false;
    Sidecar sidecar;
    sidecar.path = Uuid::Random().ToString() + ".parquet";
    sidecar.modification_time = log_.clock->NowMillis();
    std::string folder = storage::JoinPath(log_.log_dir(), kSidecarFolder);
    WEIR_ASSIGN_OR_RETURN(sidecar.size_in_bytes,
                          Put(storage::JoinPath(folder, sidecar.path), content, layout));
    return sidecar;
  }

  // Writes one file and returns its size.
  Result<int64_t> Put(const std::string& path, const CheckpointContent& content,
                      const CheckpointLayout& layout) {
    WEIR_ASSIGN_OR_RETURN(auto bytes, log_.checkpoint_io->Write(content, layout));
    WEIR_RETURN_IF_ERROR(log_.store->Put(path, bytes));
    auto size = static_cast<int64_t>(bytes.size());
    size_in_bytes_ += size;
    actions_ += static_cast<int64_t>(content.transactions.size() + content.domains.size() +
                                     content.sidecars.size() + content.removes.size() +
                                     (content.last_file - content.first_file));
    actions_ += (content.protocol ? 1 : 0) + (content.metadata ? 1 : 0) +
                (content.checkpoint_metadata ? 1 : 0);
    return size;
  }

  Status PointAtIt() {
    auto present = ReadLastCheckpoint(log_);
    if (present && present->version > snapshot_.version()) return {};
    LastCheckpoint hint;
    hint.version = snapshot_.version();
    hint.size = actions_;
    hint.size_in_bytes = size_in_bytes_;
    hint.num_of_add_files = static_cast<int64_t>(snapshot_.files().size());
    return log_.store->Put(storage::JoinPath(log_.log_dir(), kLastCheckpointName),
                           SerializeLastCheckpoint(hint));
  }

  const Snapshot& snapshot_;
  const TableLog& log_;
  TableProperties properties_;
  CheckpointLayout layout_;
  std::vector<RemoveFile> tombstones_;
  std::vector<const SetTransaction*> transactions_;
  std::vector<const DomainMetadata*> domains_;
  int64_t actions_ = 0;
  int64_t size_in_bytes_ = 0;
};

}  // namespace

Status WriteCheckpoint(const Snapshot& snapshot) { return CheckpointWriter(snapshot).Write(); }

}  // namespace weir::delta
