// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/json.h"
#include "delta/catalog/commit_catalog.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

constexpr const char* kStagedCommit = "stagedCommit";

class FolderCatalog final : public CommitCatalog {
 public:
  FolderCatalog(std::shared_ptr<storage::ObjectStore> store, std::string folder)
      : store_(std::move(store)), folder_(std::move(folder)) {}

  Result<std::optional<RatifiedCommit>> Newest() const override {
    WEIR_ASSIGN_OR_RETURN(const auto records, store_->List(folder_));
    for (auto it = records.rbegin(); it != records.rend(); ++it) {
      const auto name = ParseLogFileName(storage::BaseName(it->path));
      if (name && name->kind == LogFileKind::kCommit) return Find(name->version);
    }
    return std::optional<RatifiedCommit>();
  }

  Result<std::optional<RatifiedCommit>> Find(int64_t version) const override {
    const std::string path = PathOf(version);
    auto text = store_->Get(path);
    if (!text && text.error().kind == ErrorKind::kNotFound) return std::optional<RatifiedCommit>();
    if (!text) return Fail(text.error());
    const auto record = JsonValue::Parse(*text);
    const JsonValue* staged = record ? record->Find(kStagedCommit) : nullptr;
    if (!staged || !staged->is_string() || staged->text().find('/') != std::string::npos) {
      return Fail(CorruptLog("DELTA_LOG_FILE_MALFORMED",
                             path + " does not name a staged commit: found " + *text, "KD00D"));
    }
    return std::optional<RatifiedCommit>({version, staged->text()});
  }

  Status Ratify(const RatifiedCommit& commit) override {
    JsonValue record = JsonValue::Object();
    record.Set(kStagedCommit, JsonValue::String(commit.staged));
    return store_->PutIfAbsent(PathOf(commit.version), record.ToString() + "\n");
  }

  Status Forget(int64_t version) override { return store_->Delete(PathOf(version)); }

 private:
  std::string PathOf(int64_t version) const {
    return storage::JoinPath(folder_, CommitFileName(version));
  }

  const std::shared_ptr<storage::ObjectStore> store_;
  const std::string folder_;
};

}  // namespace

std::shared_ptr<CommitCatalog> MakeFolderCatalog(std::shared_ptr<storage::ObjectStore> store,
                                                 const std::string& table_root) {
  return std::make_shared<FolderCatalog>(
      std::move(store), storage::JoinPath(table_root, "_delta_log/_ratified_commits"));
}

}  // namespace weir::delta
