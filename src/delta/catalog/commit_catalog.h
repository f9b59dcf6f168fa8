// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "storage/object_store.h"

namespace weir::delta {

/// A commit that a catalog has made a version of its table.
struct RatifiedCommit {
  int64_t version = 0;
  std::string staged;  ///< The name of its file in `_delta_log/_staged_commits`.
};

/// Who decides which commits are versions of a catalog-managed table (protocol section "Catalog
/// Responsibilities"). Any store that can record one thing once will do: a service, a database, a
/// folder. Thread-safe; the same table may be known to many of these, in many processes.
class CommitCatalog {
 public:
  virtual ~CommitCatalog() = default;

  /// The newest commit that the catalog has ratified and still knows; nullopt when it has ratified
  /// none yet: the published ones are then all there are. Errors: kIo.
  virtual Result<std::optional<RatifiedCommit>> Newest() const = 0;

  /// The ratified commit of a version, or nullopt when the catalog does not know one. Errors: kIo.
  virtual Result<std::optional<RatifiedCommit>> Find(int64_t version) const = 0;

  /// Makes a staged commit a version. Of any number of racing callers exactly one succeeds, the
  /// others get kAlreadyExists. Durable when it returns. Errors: kIo: it has not happened;
  /// kStateUnknown: Find tells whether it has.
  virtual Status Ratify(const RatifiedCommit& commit) = 0;

  /// What was published and is now cleaned up need not be known any more. Errors: kIo.
  virtual Status Forget(int64_t version) = 0;
};

/// The embedded catalog: one file for each ratified version, `_delta_log/_ratified_commits/
/// <version>.json`, put where none was. It lies in the table's own folder, so that it is moved,
/// copied and deleted with it.
std::shared_ptr<CommitCatalog> MakeFolderCatalog(std::shared_ptr<storage::ObjectStore> store,
                                                 const std::string& table_root);

}  // namespace weir::delta
