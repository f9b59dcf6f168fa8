// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/log_compaction.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/actions/actions.h"
#include "delta/commit/pending_commit.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {
namespace {

// The last word on everything that a few commits speak of.
class Reconciliation {
 public:
  void Apply(std::vector<Action> actions) {
    // What a commit removes was there before it, whatever the order of its lines.
    for (Action& action : actions) {
      if (auto* remove = std::get_if<RemoveFile>(&action)) Keep(*remove, std::move(action));
    }
    for (Action& action : actions) {
      if (auto* add = std::get_if<AddFile>(&action)) {
        Keep(*add, std::move(action));
      } else if (std::holds_alternative<Protocol>(action)) {
        protocol_ = std::move(action);
      } else if (std::holds_alternative<Metadata>(action)) {
        metadata_ = std::move(action);
      } else if (auto* transaction = std::get_if<SetTransaction>(&action)) {
        others_["txn " + transaction->app_id] = std::move(action);
      } else if (auto* domain = std::get_if<DomainMetadata>(&action)) {
        others_["domain " + domain->domain] = std::move(action);
      }
    }
  }

  std::string Text() const {
    std::string text;
    const auto append = [&](const Action& action) {
      AppendAction(action, text);
      text += '\n';
    };
    if (protocol_) append(*protocol_);
    if (metadata_) append(*metadata_);
    for (const auto& [name, action] : others_) append(action);
    for (const auto& [name, action] : files_) append(action);
    return text;
  }

 private:
  template <typename File>
  void Keep(const File& file, Action&& action) {
    std::string name = CanonicalPath(file.path);
    if (file.deletion_vector) name += '\n' + file.deletion_vector->UniqueId();
    files_.insert_or_assign(std::move(name), std::move(action));
  }

  std::optional<Action> protocol_;
  std::optional<Action> metadata_;
  std::map<std::string, Action> others_;
  std::map<std::string, Action> files_;  // by path and deletion vector
};

}  // namespace

Status WriteLogCompaction(const TableLog& log, int64_t first, int64_t last) {
  if (first < 0 || first >= last) {
    return Fail(InvalidArgument("WEIR_INVALID_COMPACTION_RANGE",
                                "a log compaction stands for two commits at least, not for " +
                                    std::to_string(first) + " to " + std::to_string(last)));
  }
  Reconciliation reconciliation;
  for (int64_t version = first; version <= last; ++version) {
    WEIR_ASSIGN_OR_RETURN(auto actions, ReadCommit(log, version));
    reconciliation.Apply(std::move(actions));
  }
  const std::string name = VersionPrefix(first) + "." + VersionPrefix(last) + ".compacted.json";
  const Status written =
      log.store->PutIfAbsent(storage::JoinPath(log.log_dir(), name), reconciliation.Text());
  if (!written && written.error().kind != ErrorKind::kAlreadyExists) return written;
  return {};
}

}  // namespace weir::delta
