// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint/load_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/checkpoint/checkpoint_io.h"
#include "delta/snapshot/delta_reader.h"
#include "delta/snapshot/lazy_statistics.h"

namespace weir::delta {
namespace {

// Up to this size of its files a checkpoint is read whole; beyond, its statistics wait.
constexpr int64_t kReadWholeBytes = int64_t{1} << 20;

Error Unreadable(const CheckpointFiles& checkpoint, std::string_view what) {
  return CorruptLog("DELTA_CHECKPOINT_UNREADABLE",
                    fmt::format("{}: {}", checkpoint.files.front().path, what));
}

// Collects the rows of Parquet files.
class Collector final : public CheckpointVisitor {
 public:
  Status OnAdd(const AddView& add) override { return adds.Append(add); }
  Status OnRemove(RemoveFile remove) override {
    removes.push_back(std::move(remove));
    return {};
  }
  Status OnAction(Action action) override {
    actions.push_back(std::move(action));
    return {};
  }

  FileSegmentBuilder adds;
  std::vector<RemoveFile> removes;
  std::vector<Action> actions;
};

class CheckpointLoader {
 public:
  CheckpointLoader(const TableLog& log, const CheckpointFiles& checkpoint)
      : log_(log), checkpoint_(checkpoint) {}

  Result<CheckpointState> Load() {
    WEIR_RETURN_IF_ERROR(checkpoint_.json ? LoadJson() : LoadParquet());
    WEIR_RETURN_IF_ERROR(CheckContent());
    state_.protocol = std::move(*protocol_);
    state_.metadata = std::move(*metadata_);
    if (!sidecars_.empty()) {
      WEIR_RETURN_IF_ERROR(LoadSidecars());
    }
    WEIR_RETURN_IF_ERROR(CheckFileCount());
    return std::move(state_);
  }

 private:
  Status LoadJson() {
    const std::string& path = checkpoint_.files.front().path;
    WEIR_ASSIGN_OR_RETURN(auto text, log_.store->Get(path));
    WEIR_ASSIGN_OR_RETURN(auto content, ReadDelta(path, std::move(text)));
    std::vector<RemoveFile> removes;
    for (auto& piece : content.files) {
      removes.insert(removes.end(), piece.removes->begin(), piece.removes->end());
      AddPart(std::move(piece.adds));
    }
    state_.removes = std::make_shared<const std::vector<RemoveFile>>(std::move(removes));
    protocol_ = std::move(content.protocol);
    metadata_ = std::move(content.metadata);
    state_.transactions = std::move(content.transactions);
    state_.domains = std::move(content.domains);
    markers_ = std::move(content.checkpoint_metadata);
    sidecars_ = std::move(content.sidecars);
    return {};
  }

  Status LoadParquet() {
    std::vector<std::string> paths;
    for (const auto& file : checkpoint_.files) paths.push_back(file.path);
    WEIR_ASSIGN_OR_RETURN(auto actions, LoadParquetFiles(paths, checkpoint_.total_bytes(), true));
    for (auto& action : actions) {
      if (auto* protocol = std::get_if<Protocol>(&action)) {
        protocol_ = std::move(*protocol);
      } else if (auto* metadata = std::get_if<Metadata>(&action)) {
        metadata_ = std::move(*metadata);
      } else if (auto* transaction = std::get_if<SetTransaction>(&action)) {
        state_.transactions.push_back(std::move(*transaction));
      } else if (auto* domain = std::get_if<DomainMetadata>(&action)) {
        state_.domains.push_back(std::move(*domain));
      } else if (auto* marker = std::get_if<CheckpointMetadata>(&action)) {
        markers_.push_back(std::move(*marker));
      } else if (auto* sidecar = std::get_if<Sidecar>(&action)) {
        sidecars_.push_back(std::move(*sidecar));
      }
    }
    return {};
  }

  Status CheckContent() const {
    auto fail = [this](std::string_view what) { return Fail(Unreadable(checkpoint_, what)); };
    if (!protocol_) return fail("found no protocol action, expected one");
    if (!metadata_) return fail("found no metaData action, expected one");
    auto name = ParseLogFileName(storage::BaseName(checkpoint_.files.front().path));
    if (markers_.empty() && name && name->kind == LogFileKind::kUuidCheckpoint) {
      return fail("found no checkpointMetadata action, expected one in a UUID-named checkpoint");
    }
    if (markers_.size() > 1) return fail("found several checkpointMetadata actions, expected one");
    if (!markers_.empty() && markers_.front().version != checkpoint_.version) {
      return fail(fmt::format("its checkpointMetadata is of version {}", markers_.front().version));
    }
    bool inline_files = !state_.files.empty() || (state_.removes && !state_.removes->empty());
    if (!sidecars_.empty() && inline_files) {
      return fail("found file actions both in it and in its sidecars, expected one of the two");
    }
    return {};
  }

  Status LoadSidecars() {
    std::vector<std::string> paths;
    int64_t bytes = 0;
    for (const auto& sidecar : sidecars_) {
      WEIR_ASSIGN_OR_RETURN(auto path, SidecarPath(sidecar.path));
      paths.push_back(std::move(path));
      bytes += std::clamp<int64_t>(sidecar.size_in_bytes, 0, kReadWholeBytes + 1);
    }
    auto read = LoadParquetFiles(paths, bytes, false);
    if (!read) return Fail(read.error().WithContext(checkpoint_.files.front().path));
    return {};
  }

  // A JSON checkpoint that was cut at a line's end shows only in the count its writer noted.
  Status CheckFileCount() const {
    if (markers_.empty() || !markers_.front().tags) return {};
    auto noted = markers_.front().tags->find("numOfAddFiles");
    if (noted == markers_.front().tags->end()) return {};
    size_t found = 0;
    for (const auto& part : state_.files) found += part.size();
    if (noted->second == std::to_string(found)) return {};
    return Fail(Unreadable(
        checkpoint_,
        fmt::format("found {} add actions, its tag numOfAddFiles says {}", found, noted->second)));
  }

  Result<std::string> SidecarPath(const std::string& encoded) const {
    auto path = PercentDecode(encoded);
    if (!path) return Fail(Unreadable(checkpoint_, "a sidecar's path is no URI: " + encoded));
    const std::string folder = storage::JoinPath(log_.log_dir(), kSidecarFolder);
    bool absolute = StartsWith(*path, "/") || path->find(":/") != std::string::npos;
    std::string full =
        absolute ? storage::NormalizeLocation(*path) : storage::JoinPath(folder, *path);
    if (IsWithinTable(folder, full)) return full;
    return Fail(Unreadable(
        checkpoint_, "the sidecar " + full + " is outside of " + folder + ", where all must be"));
  }

  // Reads the live files, and with `other_actions` everything else, of Parquet files.
  Result<std::vector<Action>> LoadParquetFiles(const std::vector<std::string>& paths, int64_t bytes,
                                               bool other_actions) {
    if (!log_.checkpoint_io) {
      return Fail(InternalError(paths.front() + ": nothing here can read Parquet checkpoints"));
    }
    bool whole = bytes <= kReadWholeBytes;
    Collector collector;
    CheckpointColumns columns;
    columns.adds = true;
    columns.stats = whole;
    columns.other_actions = other_actions;
    WEIR_RETURN_IF_ERROR(log_.checkpoint_io->Read(*log_.store, paths, columns, collector));
    size_t count = collector.adds.size();
    if (!whole && count > 0) {
      auto read = [store = log_.store, io = log_.checkpoint_io, paths](
                      const auto& names, const LazyStatistics::Receive& receive) {
        return io->ReadStats(*store, paths, names, receive);
      };
      collector.adds.SetLazyStatistics(std::make_shared<LazyStatistics>(count, std::move(read)));
    }
    AddPart(collector.adds.Finish());
    state_.parquet_files = paths;
    return std::move(collector.actions);
  }

  void AddPart(std::shared_ptr<const FileSegment> segment) {
    if (segment->size() > 0) state_.files.push_back({std::move(segment), nullptr});
  }

  const TableLog& log_;
  const CheckpointFiles& checkpoint_;
  std::optional<Protocol> protocol_;
  std::optional<Metadata> metadata_;
  std::vector<CheckpointMetadata> markers_;
  std::vector<Sidecar> sidecars_;
  CheckpointState state_;
};

}  // namespace

Result<CheckpointState> LoadCheckpoint(const TableLog& log, const CheckpointFiles& checkpoint) {
  return CheckpointLoader(log, checkpoint).Load();
}

Result<std::vector<RemoveFile>> LoadCheckpointRemoves(
    const TableLog& log, const std::vector<std::string>& parquet_files) {
  Collector collector;
  CheckpointColumns columns;
  columns.removes = true;
  WEIR_RETURN_IF_ERROR(log.checkpoint_io->Read(*log.store, parquet_files, columns, collector));
  return std::move(collector.removes);
}

}  // namespace weir::delta
