// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/commit_info.h"

#include <algorithm>

#include "base/text.h"

namespace weir::delta {
namespace {

bool Holds(const PendingCommit& pending, bool (*test)(const Action&)) {
  return std::any_of(pending.actions.begin(), pending.actions.end(), test);
}

bool IsAdd(const Action& action) { return std::holds_alternative<AddFile>(action); }
bool IsRemove(const Action& action) { return std::holds_alternative<RemoveFile>(action); }

bool ChangesData(const Action& action) {
  if (const auto* add = std::get_if<AddFile>(&action)) return add->data_change;
  if (const auto* remove = std::get_if<RemoveFile>(&action)) return remove->data_change;
  return std::holds_alternative<AddCdcFile>(action);
}

bool IsFileOrRowMark(const Action& action) {
  const auto* domain = std::get_if<DomainMetadata>(&action);
  return IsAdd(action) || IsRemove(action) || (domain && domain->domain == "delta.rowTracking");
}

}  // namespace

std::string_view ToString(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::kSerializable:
      return "Serializable";
    case IsolationLevel::kWriteSerializable:
      return "WriteSerializable";
    case IsolationLevel::kSnapshotIsolation:
      return "SnapshotIsolation";
  }
  return "";
}

IsolationLevel IsolationOf(const PendingCommit& pending, const Metadata& metadata) {
  if (pending.isolation) return *pending.isolation;
  bool only_rearranges =
      !pending.actions.empty() && !Holds(pending, ChangesData) &&
      std::all_of(pending.actions.begin(), pending.actions.end(), IsFileOrRowMark);
  if (only_rearranges) return IsolationLevel::kSnapshotIsolation;
  auto it = metadata.configuration.find("delta.isolationLevel");
  bool is_weaker =
      it != metadata.configuration.end() && EqualsIgnoreCase(it->second, "WriteSerializable");
  return is_weaker ? IsolationLevel::kWriteSerializable : IsolationLevel::kSerializable;
}

CommitInfo BuildCommitInfo(const PendingCommit& pending, const CommitInfoFacts& facts) {
  CommitInfo info;
  auto set = [&](std::string_view key, JsonValue value) {
    info.members.Set(key, std::move(value));
  };
  if (facts.in_commit_timestamp)
    set("inCommitTimestamp", JsonValue::Int(*facts.in_commit_timestamp));
  set("timestamp", JsonValue::Int(facts.timestamp_ms));
  set("operation", JsonValue::String(pending.operation));
  set("operationParameters", pending.operation_parameters);
  if (pending.read_version) set("readVersion", JsonValue::Int(*pending.read_version));
  set("isolationLevel", JsonValue::String(std::string(ToString(facts.isolation))));
  set("isBlindAppend", JsonValue::Bool(pending.IsBlindAppend()));
  JsonValue metrics = JsonValue::Object();
  for (const auto& [name, value] : pending.metrics) {
    metrics.Set(name, JsonValue::String(std::to_string(value)));
  }
  set("operationMetrics", std::move(metrics));
  if (facts.tracks_rows && !pending.extra_info.Find("tags")) {
    // Nobody has said that ids were carried along; without copies there was nothing to carry.
    bool may_copy = Holds(pending, IsAdd) && Holds(pending, IsRemove);
    JsonValue tags = JsonValue::Object();
    tags.Set("delta.rowTracking.preserved", JsonValue::String(may_copy ? "false" : "true"));
    set("tags", std::move(tags));
  }
  set("engineInfo", JsonValue::String("Weir/" WEIR_VERSION));
  set("txnId", JsonValue::String(pending.txn_id));
  for (const auto& [key, value] : pending.extra_info.members()) {
    bool is_ours = key == "txnId" || key == "inCommitTimestamp";
    if (!is_ours) set(key, value);
  }
  return info;
}

}  // namespace weir::delta
