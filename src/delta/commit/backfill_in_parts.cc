// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/backfill_in_parts.h"

#include <utility>
#include <vector>

#include "delta/commit/transaction.h"
#include "delta/features/features.h"
#include "delta/row_tracking/backfill.h"

namespace weir::delta {
namespace {

// Writers who remove files that we are about to add again make us look again.
constexpr int kMaxConflicts = 100;

Result<SnapshotPtr> UpgradeProtocol(const SnapshotPtr& base, const Protocol& protocol) {
  WEIR_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(base));
  transaction->Add(protocol);
  transaction->SetOperation("UPGRADE PROTOCOL", JsonValue::Object());
  WEIR_RETURN_IF_ERROR(transaction->Commit());
  return base->Update();
}

Status CommitBatch(const SnapshotPtr& snapshot, const std::vector<Action>& files, int64_t batch) {
  WEIR_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(snapshot));
  for (size_t i = 0; i < kFilesPerBackfill; ++i) {
    transaction->reads().files.insert(std::get<AddFile>(files[i]).path);
    transaction->Add(files[i]);
  }
  JsonValue parameters = JsonValue::Object();
  parameters.Set("batchId", JsonValue::String(std::to_string(batch)));
  transaction->SetOperation("ROW TRACKING BACKFILL", std::move(parameters));
  WEIR_RETURN_IF_ERROR(transaction->Commit());
  return {};
}

Error Changed(const char* name, const char* what) {
  return ConflictFinal(name,
                       std::string("another writer has changed the ") + what +
                           " of the table while its rows got ids; run the statement again",
                       "2D521");
}

}  // namespace

Result<SnapshotPtr> BackfillInParts(SnapshotPtr base, const Protocol& protocol) {
  SnapshotPtr snapshot = base;
  if (!IsSupported(base->protocol(), Feature::kRowTracking)) {
    WEIR_ASSIGN_OR_RETURN(snapshot, UpgradeProtocol(base, protocol));
  }
  int conflicts = 0;
  for (int64_t batch = 0;;) {
    WEIR_ASSIGN_OR_RETURN(auto files, FilesWithoutRowIds({}, snapshot->files()));
    if (files.size() <= kFilesPerBackfill) break;
    Status done = CommitBatch(snapshot, files, batch);
    const bool is_conflict = !done && done.error().name == "DELTA_CONCURRENT_DELETE_READ";
    if (!done && !(is_conflict && ++conflicts < kMaxConflicts)) return Fail(done.error());
    if (done) ++batch;
    WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
  }
  if (snapshot->protocol() != protocol) return Fail(Changed("DELTA_PROTOCOL_CHANGED", "protocol"));
  if (snapshot->metadata() != base->metadata()) {
    return Fail(Changed("DELTA_METADATA_CHANGED", "metadata"));
  }
  return snapshot;
}

}  // namespace weir::delta
