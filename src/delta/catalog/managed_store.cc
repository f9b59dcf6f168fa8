// SPDX-License-Identifier: Apache-2.0
#include "delta/catalog/managed_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/uuid.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

using storage::ObjectInfo;

bool IsGone(const Error& error) { return error.kind == ErrorKind::kNotFound; }

class ManagedStore final : public storage::ObjectStore {
 public:
  ManagedStore(std::shared_ptr<storage::ObjectStore> inner, std::string log_dir,
               std::shared_ptr<CommitCatalog> catalog)
      : inner_(std::move(inner)), log_dir_(std::move(log_dir)), catalog_(std::move(catalog)) {}

  Result<std::string> Get(const std::string& path) override {
    WEIR_ASSIGN_OR_RETURN(const std::string place, PlaceOf(path));
    return inner_->Get(place);
  }

  Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) override {
    WEIR_ASSIGN_OR_RETURN(const std::string place, PlaceOf(path));
    return inner_->GetRange(place, offset, length);
  }

  Result<ObjectInfo> Head(const std::string& path) override {
    WEIR_ASSIGN_OR_RETURN(const std::string place, PlaceOf(path));
    WEIR_ASSIGN_OR_RETURN(ObjectInfo info, inner_->Head(place));
    info.path = path;
    return info;
  }

  Result<std::vector<ObjectInfo>> List(const std::string& directory,
                                       std::string_view start_after) override {
    if (directory != log_dir_) return inner_->List(directory, start_after);
    // First the catalog: what is ratified behind it comes with the next look.
    WEIR_ASSIGN_OR_RETURN(const auto newest, catalog_->Newest());
    WEIR_ASSIGN_OR_RETURN(auto objects, inner_->List(directory, start_after));
    if (!newest) return objects;
    std::erase_if(objects, [&](const ObjectInfo& object) {
      const auto name = ParseLogFileName(storage::BaseName(object.path));
      return name && std::max(name->version, name->end_version) > newest->version;
    });
    const std::string name = CommitFileName(newest->version);
    const std::string path = storage::JoinPath(log_dir_, name);
    const auto place =
        std::lower_bound(objects.begin(), objects.end(), path,
                         [](const ObjectInfo& object, const auto& p) { return object.path < p; });
    const bool is_listed = place != objects.end() && place->path == path;
    if (is_listed || (!start_after.empty() && name <= start_after)) return objects;
    WEIR_ASSIGN_OR_RETURN(ObjectInfo info, Head(path));
    objects.insert(place, std::move(info));
    return objects;
  }

  Result<std::vector<ObjectInfo>> ListDirectory(const std::string& directory) override {
    return inner_->ListDirectory(directory);
  }

  Result<std::vector<ObjectInfo>> ListRecursive(const std::string& directory) override {
    return inner_->ListRecursive(directory);
  }

  Status Put(const std::string& path, std::string_view data) override {
    WEIR_RETURN_IF_ERROR(PublishBefore(path));
    return inner_->Put(path, data);
  }

  Status PutIfAbsent(const std::string& path, std::string_view data) override {
    if (const auto version = CommitAt(path)) return Commit(*version, data);
    WEIR_RETURN_IF_ERROR(PublishBefore(path));
    return inner_->PutIfAbsent(path, data);
  }

  Status Delete(const std::string& path) override {
    const auto version = CommitAt(path);
    if (!version) return inner_->Delete(path);
    WEIR_ASSIGN_OR_RETURN(const auto ratified, catalog_->Find(*version));
    WEIR_RETURN_IF_ERROR(inner_->Delete(path));
    if (!ratified) return {};
    WEIR_RETURN_IF_ERROR(inner_->Delete(StagedPath(*ratified)));
    return catalog_->Forget(*version);
  }

  Status DeleteRecursive(const std::string& directory) override {
    return inner_->DeleteRecursive(directory);
  }

 private:
  std::optional<LogFileName> LogFileAt(const std::string& path) const {
    const std::string_view name = storage::BaseName(path);
    if (path != storage::JoinPath(log_dir_, name)) return std::nullopt;
    return ParseLogFileName(name);
  }

  std::optional<int64_t> CommitAt(const std::string& path) const {
    const auto name = LogFileAt(path);
    if (!name || name->kind != LogFileKind::kCommit) return std::nullopt;
    return name->version;
  }

  std::string StagedPath(const RatifiedCommit& commit) const {
    return storage::JoinPath(storage::JoinPath(log_dir_, "_staged_commits"), commit.staged);
  }

  // Where what is to be read of `path` lies. A published file that the catalog does not know, of a
  // version behind those that it knows, is nobody's.
  Result<std::string> PlaceOf(const std::string& path) const {
    const auto version = CommitAt(path);
    if (!version) return path;
    WEIR_ASSIGN_OR_RETURN(const auto ratified, catalog_->Find(*version));
    if (ratified) return StagedPath(*ratified);
    WEIR_ASSIGN_OR_RETURN(const auto newest, catalog_->Newest());
    if (!newest || *version < newest->version) return path;
    return Fail(NotFound(
        "WEIR_OBJECT_NOT_FOUND",
        "version " + std::to_string(*version) + " is not ratified: no object at '" + path + "'"));
  }

  // Whoever wants version n has seen n - 1, and so has the catalog.
  Status Commit(int64_t version, std::string_view data) {
    WEIR_ASSIGN_OR_RETURN(const auto newest, catalog_->Newest());
    if (newest && newest->version >= version) return Fail(IsTaken(version));
    if (newest) {
      WEIR_RETURN_IF_ERROR(Publish(*newest));
    } else {
      // The first of the catalog's follows what was published before there was one.
      auto taken = inner_->Head(storage::JoinPath(log_dir_, CommitFileName(version)));
      if (taken) return Fail(IsTaken(version));
      if (!IsGone(taken.error())) return Fail(taken.error());
    }
    const RatifiedCommit commit{version,
                                VersionPrefix(version) + "." + Uuid::Random().ToString() + ".json"};
    WEIR_RETURN_IF_ERROR(inner_->PutIfAbsent(StagedPath(commit), data));
    auto ratified = catalog_->Ratify(commit);
    if (!ratified) {
      // One that may have been ratified stays.
      if (ratified.error().kind != ErrorKind::kStateUnknown)
        (void)inner_->Delete(StagedPath(commit));
      return ratified;
    }
    // It is a version from now on, published or not; the next writer publishes it if we cannot.
    (void)PublishText(version, data);
    return {};
  }

  Status Publish(const RatifiedCommit& commit) {
    if (published_.load() >= commit.version) return {};
    WEIR_ASSIGN_OR_RETURN(const std::string text, inner_->Get(StagedPath(commit)));
    return PublishText(commit.version, text);
  }

  // The catalog is right: a file that somebody has put there without asking it gives way.
  Status PublishText(int64_t version, std::string_view text) {
    const std::string path = storage::JoinPath(log_dir_, CommitFileName(version));
    auto put = inner_->PutIfAbsent(path, text);
    if (!put && put.error().kind == ErrorKind::kAlreadyExists) {
      WEIR_ASSIGN_OR_RETURN(const std::string published, inner_->Get(path));
      put = published == text ? Status() : inner_->Put(path, text);
    }
    if (put) published_.store(version);
    return put;
  }

  // A checkpoint or a compaction stands for commits that can be found without the catalog.
  Status PublishBefore(const std::string& path) {
    const auto name = LogFileAt(path);
    if (!name || name->kind == LogFileKind::kChecksum) return {};
    WEIR_ASSIGN_OR_RETURN(const auto newest, catalog_->Newest());
    return newest ? Publish(*newest) : Status();
  }

  Error IsTaken(int64_t version) const {
    return AlreadyExists("WEIR_OBJECT_ALREADY_EXISTS",
                         "version " + std::to_string(version) + " is ratified already");
  }

  const std::shared_ptr<storage::ObjectStore> inner_;
  const std::string log_dir_;
  const std::shared_ptr<CommitCatalog> catalog_;
  std::atomic<int64_t> published_{-1};  // what this object itself has published
};

}  // namespace

TableLog ThroughCatalog(const TableLog& log, std::shared_ptr<CommitCatalog> catalog) {
  TableLog managed = log;
  managed.store = std::make_shared<ManagedStore>(log.store, log.log_dir(), std::move(catalog));
  return managed;
}

bool GoesThroughCatalog(const TableLog& log) {
  return dynamic_cast<const ManagedStore*>(log.store.get()) != nullptr;
}

Error PathBasedAccessBlocked(const std::string& root) {
  return UnsupportedFeature(kPathBasedAccessBlocked,
                            "the table at '" + root +
                                "' is managed by a catalog, which alone knows its versions: attach "
                                "the warehouse folder that it lies in, and use its name there",
                            "KD00G");
}

}  // namespace weir::delta
