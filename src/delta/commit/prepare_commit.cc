// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/prepare_commit.h"

#include <algorithm>

#include "delta/commit/commit_info.h"
#include "delta/row_tracking/row_tracking.h"

namespace weir::delta {
namespace {

// A table that gets in-commit timestamps in mid-life must say from which version on it has them.
void RecordEnablement(std::vector<Action>& actions, int64_t version, int64_t timestamp_ms) {
  for (auto& action : actions) {
    auto* metadata = std::get_if<Metadata>(&action);
    if (!metadata) continue;
    metadata->configuration["delta.inCommitTimestampEnablementVersion"] = std::to_string(version);
    metadata->configuration["delta.inCommitTimestampEnablementTimestamp"] =
        std::to_string(timestamp_ms);
  }
}

// Gives row ids and replaces whatever mark the caller has brought (a clone brings one) by the final
// one.
Status TrackRows(std::vector<Action>& actions, int64_t version, const TableTip& tip) {
  int64_t mark = tip.row_id_high_water_mark;
  for (const auto& action : actions) {
    const auto* domain = std::get_if<DomainMetadata>(&action);
    if (!domain || domain->domain != kRowTrackingDomain || domain->removed) continue;
    WEIR_ASSIGN_OR_RETURN(int64_t brought, ReadHighWaterMark(domain->configuration));
    mark = std::max(mark, brought);
  }
  std::erase_if(actions, [](const Action& action) {
    const auto* domain = std::get_if<DomainMetadata>(&action);
    return domain && domain->domain == kRowTrackingDomain;
  });
  WEIR_RETURN_IF_ERROR(AssignRowIds(actions, version, mark));
  if (mark > tip.row_id_high_water_mark) actions.emplace_back(MakeHighWaterMark(mark));
  return {};
}

}  // namespace

Result<PreparedCommit> PrepareCommit(const PendingCommit& pending, const TableTip& tip,
                                     int64_t now_ms) {
  PreparedCommit commit;
  commit.version = tip.version + 1;
  commit.timestamp_ms = now_ms;
  commit.actions = pending.actions;
  const auto* new_protocol = pending.FindLast<Protocol>();
  const auto* new_metadata = pending.FindLast<Metadata>();
  const Protocol& protocol = new_protocol ? *new_protocol : tip.protocol;
  const Metadata& metadata = new_metadata ? *new_metadata : tip.metadata;

  CommitInfoFacts facts;
  facts.timestamp_ms = now_ms;
  facts.isolation = IsolationOf(pending, metadata);
  if (UsesInCommitTimestamps(protocol, metadata)) {
    commit.timestamp_ms = tip.version < 0 ? now_ms : std::max(now_ms, tip.timestamp_ms + 1);
    facts.in_commit_timestamp = commit.timestamp_ms;
    if (tip.version >= 0 && !UsesInCommitTimestamps(tip.protocol, tip.metadata)) {
      RecordEnablement(commit.actions, commit.version, commit.timestamp_ms);
    }
  }
  facts.tracks_rows = IsRowTrackingSupported(protocol, metadata);
  if (facts.tracks_rows) WEIR_RETURN_IF_ERROR(TrackRows(commit.actions, commit.version, tip));

  commit.actions.insert(commit.actions.begin(), BuildCommitInfo(pending, facts));
  for (const auto& action : commit.actions) {
    AppendAction(action, commit.text);
    commit.text += '\n';
  }
  return commit;
}

}  // namespace weir::delta
