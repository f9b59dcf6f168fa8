// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/clone.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "base/uuid.h"
#include "delta/actions/file_path.h"
#include "delta/actions/removal.h"
#include "delta/commit/transaction.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/features/protocol_for.h"
#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

constexpr size_t kCopyThreads = 8;

// What is true of the source's log alone.
constexpr const char* kOwnProperties[] = {"delta.inCommitTimestampEnablementVersion",
                                          "delta.inCommitTimestampEnablementTimestamp",
                                          "delta.requireCheckpointProtectionBeforeVersion"};

// A full path as it stands in a log.
std::string PathInLog(const std::string& path) {
  return (StartsWith(path, "/") ? "file:" : "") + UriEncodePath(path);
}

class Cloning {
 public:
  Cloning(const CloneSource& source, const TableLog& target, const SnapshotPtr& existing,
          const CloneOptions& options)
      : source_(source), target_(target), existing_(existing), options_(options) {}

  Result<CloneResult> Run() {
    if (source_.root == target_.root) {
      return Fail(InvalidArgument("DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
                                  target_.root +
                                      " cannot be replaced by a clone of itself; RESTORE brings "
                                      "an older version back, or clone to another place",
                                  "0AKDC"));
    }
    WEIR_ASSIGN_OR_RETURN(auto transaction, existing_ ? Transaction::Begin(existing_)
                                                      : Transaction::BeginCreate(target_));
    WEIR_RETURN_IF_ERROR(TakeFiles());
    const Status committed = Commit(*transaction);
    if (!committed) {
      if (committed.error().kind != ErrorKind::kStateUnknown) DeleteCopies();
      return Fail(committed.error());
    }
    return std::move(result_);
  }

 private:
  // The clone's files, in files_.
  Status TakeFiles() {
    files_ = source_.files;
    if (options_.shallow) return TakeByFullPath();
    IndexExisting();
    const Status copied = CopyAll();
    const Status vectors = copied ? CopyVectors() : copied;
    if (!vectors) DeleteCopies();
    return vectors;
  }

  Status TakeByFullPath() {
    for (AddFile& file : files_) {
      WEIR_ASSIGN_OR_RETURN(const std::string path, ResolveFilePath(source_.root, file.path));
      file.path = PathInLog(path);
      if (!file.deletion_vector || file.deletion_vector->storage_type != 'u') continue;
      WEIR_ASSIGN_OR_RETURN(const std::string vector,
                            DeletionVectorPath(source_.root, *file.deletion_vector));
      file.deletion_vector->storage_type = 'p';
      file.deletion_vector->path_or_inline_dv = PathInLog(vector);
    }
    return {};
  }

  void IndexExisting() {
    if (!existing_) return;
    for (size_t i = 0; i < existing_->files().size(); ++i)
      present_.emplace(existing_->files().path(i), i);
  }

  // A file that an older clone has copied already: names are made of random ids.
  bool IsPresent(const AddFile& file) const {
    const auto it = present_.find(file.path);
    return it != present_.end() && existing_->files().file_size(it->second) == file.size;
  }

  Status CopyAll() {
    std::optional<Error> error;
    ParallelFor(files_.size(), kCopyThreads, [&](size_t i) {
      if (failed_) return;
      const Status copied = Copy(files_[i]);
      if (copied) return;
      const std::lock_guard lock(mutex_);
      failed_ = true;
      if (!error) error = copied.error();
    });
    if (error) return Fail(*error);
    return {};
  }

  Error MissingFile(const std::string& path) const {
    return NotFound("DELTA_FILE_NOT_FOUND",
                    source_.root + " at version " + std::to_string(source_.version) +
                        " cannot be cloned: its file " + path +
                        " is gone (VACUUM deletes files that newer versions do not need); choose a "
                        "newer version",
                    "42K03");
  }

  // Below the clone a file has the path that it has below the source; one from elsewhere (the
  // source is a shallow clone itself) goes into its partition's folder.
  Status Copy(AddFile& file) {
    WEIR_ASSIGN_OR_RETURN(const std::string from, ResolveFilePath(source_.root, file.path));
    if (IsWithinTable(source_.root, from)) {
      file.path = UriEncodePath(from.substr(source_.root.size() + 1));
    } else {
      std::vector<std::pair<std::string, std::optional<std::string>>> values(
          file.partition_values.begin(), file.partition_values.end());
      const std::string folder = values.empty() ? "" : PartitionDirectory(values) + "/";
      file.path = UriEncodePath(folder + std::string(storage::BaseName(from)));
    }
    if (IsPresent(file)) return {};
    WEIR_ASSIGN_OR_RETURN(const std::string to, ResolveFilePath(target_.root, file.path));
    const auto read = source_.store->Get(from);
    if (!read) {
      return Fail(read.error().kind == ErrorKind::kNotFound ? MissingFile(from) : read.error());
    }
    const std::string& bytes = *read;
    {
      const std::lock_guard lock(mutex_);
      copies_.push_back(to);
      ++copied_files_;
      copied_bytes_ += static_cast<int64_t>(bytes.size());
    }
    return target_.store->Put(to, bytes);
  }

  // Vectors go into one new file; those inside of the log stay there.
  Status CopyVectors() {
    DeletionVectorWriter writer(*target_.store, target_.root);
    bool any = false;
    for (AddFile& file : files_) {
      if (!file.deletion_vector || file.deletion_vector->storage_type == 'i') continue;
      WEIR_ASSIGN_OR_RETURN(const RowBitmap rows, ReadDeletionVector(*source_.store, source_.root,
                                                                     *file.deletion_vector));
      WEIR_ASSIGN_OR_RETURN(file.deletion_vector, writer.Add(rows));
      any = true;
    }
    if (any) copies_.push_back(writer.path());
    return writer.Finish();
  }

  // Best effort: VACUUM finds what stays.
  void DeleteCopies() {
    for (const std::string& path : copies_) static_cast<void>(target_.store->Delete(path));
  }

  Result<Metadata> TargetMetadata() const {
    Metadata metadata = source_.metadata;
    metadata.id = existing_ ? existing_->metadata().id : Uuid::Random().ToString();
    metadata.name.reset();
    for (const char* property : kOwnProperties) metadata.configuration.erase(property);
    for (const auto& [key, value] : options_.properties) metadata.configuration[key] = value;
    return metadata;
  }

  Status AddDescription(Transaction& transaction) {
    WEIR_ASSIGN_OR_RETURN(Metadata metadata, TargetMetadata());
    WEIR_ASSIGN_OR_RETURN(const TypePtr schema, ParseSchema(metadata.schema_string));
    WEIR_ASSIGN_OR_RETURN(Protocol protocol, ProtocolFor(metadata, *schema, &source_.protocol));
    // A clone has no catalog.
    if (FeatureSet features = SupportedFeatures(protocol);
        features.Contains(Feature::kCatalogManaged)) {
      features.Remove(Feature::kCatalogManaged);
      protocol = WeakestProtocol(features);
    }
    if (existing_) {
      // History stays readable: a replaced table keeps what its protocol has.
      Metadata asking = metadata;
      for (const auto* list : {&protocol.reader_features, &protocol.writer_features}) {
        if (!*list) continue;
        for (const std::string& feature : **list)
          asking.configuration["delta.feature." + feature] = "supported";
      }
      WEIR_ASSIGN_OR_RETURN(protocol, ProtocolFor(asking, *schema, &existing_->protocol()));
    }
    RemoveProtocolProperties(metadata.configuration);
    transaction.Add(protocol);
    transaction.Add(std::move(metadata));
    for (const DomainMetadata& domain : source_.domains) transaction.Add(domain);
    return {};
  }

  // What the clone does not have is removed, what it has already is left alone.
  void AddFiles(Transaction& transaction, int64_t now_ms) {
    std::unordered_map<std::string, const AddFile*> wanted;
    for (const AddFile& file : files_) wanted.emplace(file.path, &file);
    for (size_t i = 0; existing_ && i < existing_->files().size(); ++i) {
      const AddFile old = existing_->files().GetWithoutStats(i);
      const auto it = wanted.find(old.path);
      if (it != wanted.end() && it->second->deletion_vector == old.deletion_vector) {
        wanted.erase(it);
        continue;
      }
      transaction.Add(RemovalOf(old, now_ms));
      ++removed_files_;
      removed_bytes_ += old.size;
    }
    for (AddFile& file : files_) {
      if (wanted.count(file.path) == 0) continue;
      file.data_change = true;
      // Rows keep their ids; the clone's versions count anew.
      file.default_row_commit_version.reset();
      transaction.Add(std::move(file));
    }
  }

  Status Commit(Transaction& transaction) {
    transaction.reads().whole_table = existing_ != nullptr;
    JsonValue parameters = JsonValue::Object();
    parameters.Set("source", JsonValue::String(source_.name));
    parameters.Set("sourceVersion", JsonValue::Int(source_.version));
    transaction.SetOperation("CLONE", std::move(parameters));
    WEIR_RETURN_IF_ERROR(AddDescription(transaction));
    const auto count = static_cast<int64_t>(source_.files.size());
    int64_t size = 0;
    for (const AddFile& file : source_.files) size += file.size;
    AddFiles(transaction, target_.clock->NowMillis());
    result_.metrics = {{"sourceTableSize", size},           {"sourceNumOfFiles", count},
                       {"numRemovedFiles", removed_files_}, {"removedFilesSize", removed_bytes_},
                       {"numCopiedFiles", copied_files_},   {"copiedFilesSize", copied_bytes_}};
    transaction.SetMetrics(result_.metrics);
    WEIR_ASSIGN_OR_RETURN(const CommitResult commit, transaction.Commit());
    result_.version = commit.version;
    return {};
  }

  const CloneSource& source_;
  const TableLog& target_;
  const SnapshotPtr& existing_;
  const CloneOptions& options_;
  std::vector<AddFile> files_;
  std::unordered_map<std::string, size_t> present_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // over the three below, while files are copied
  std::vector<std::string> copies_;
  int64_t copied_files_ = 0;
  int64_t copied_bytes_ = 0;
  int64_t removed_files_ = 0;
  int64_t removed_bytes_ = 0;
  CloneResult result_;
};

}  // namespace

Result<CloneSource> CloneSource::Of(const Snapshot& snapshot) {
  WEIR_RETURN_IF_ERROR(snapshot.files().LoadStats());
  CloneSource source;
  source.name = "delta.`" + (StartsWith(snapshot.log().root, "/") ? "file:" : std::string()) +
                snapshot.log().root + "`";
  source.root = snapshot.log().root;
  source.store = snapshot.log().store;
  source.version = snapshot.version();
  source.protocol = snapshot.protocol();
  source.metadata = snapshot.metadata();
  for (const auto& [name, domain] : snapshot.domains()) source.domains.push_back(domain);
  for (size_t i = 0; i < snapshot.files().size(); ++i)
    source.files.push_back(snapshot.files().Get(i));
  return source;
}

Result<CloneResult> Clone(const CloneSource& source, const TableLog& target,
                          const SnapshotPtr& existing, const CloneOptions& options) {
  return Cloning(source, target, existing, options).Run();
}

}  // namespace weir::delta
