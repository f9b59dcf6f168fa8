// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/commit_timestamps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/arithmetic.h"
#include "base/text.h"
#include "delta/snapshot/snapshot_impl.h"

namespace weir::delta {
namespace {

constexpr int64_t kHeadBytes = int64_t{1} << 16;

Result<std::optional<CommitInfo>> FindCommitInfo(const std::string& path, std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(auto actions, ParseActions(path, text));
  for (auto& action : actions) {
    if (auto* info = std::get_if<CommitInfo>(&action)) return std::move(*info);
  }
  return std::nullopt;
}

}  // namespace

int64_t ContinueTimestamps(int64_t previous_ms, const std::vector<DeltaFile>& commits) {
  for (const auto& commit : commits)
    previous_ms = std::max(commit.info.modified_ms, SaturatingAdd(previous_ms, 1));
  return previous_ms;
}

std::vector<int64_t> MonotonicTimes(const std::vector<DeltaFile>& commits) {
  std::vector<int64_t> times;
  for (const auto& commit : commits) {
    int64_t time = commit.info.modified_ms;
    times.push_back(times.empty() ? time : std::max(time, SaturatingAdd(times.back(), 1)));
  }
  return times;
}

Result<std::optional<CommitInfo>> ReadCommitInfo(const TableLog& log,
                                                 const storage::ObjectInfo& commit) {
  if (commit.size > kHeadBytes) {
    WEIR_ASSIGN_OR_RETURN(auto head, log.store->GetRange(commit.path, 0, kHeadBytes));
    size_t end = head.find('\n');
    if (end != std::string::npos && StartsWith(head, "{\"commitInfo\"")) {
      return FindCommitInfo(commit.path, std::string_view(head).substr(0, end));
    }
  }
  WEIR_ASSIGN_OR_RETURN(auto text, log.store->Get(commit.path));
  size_t start = StartsWith(text, "{\"commitInfo\"") ? 0 : text.find("\n{\"commitInfo\"");
  if (start == std::string::npos) return FindCommitInfo(commit.path, text);
  if (start > 0) ++start;
  size_t end = std::min(text.find('\n', start), text.size());
  return FindCommitInfo(commit.path, std::string_view(text).substr(start, end - start));
}

bool HasInCommitTimestamps(const Metadata& metadata) {
  auto it = metadata.configuration.find("delta.enableInCommitTimestamps");
  return it != metadata.configuration.end() && EqualsIgnoreCase(it->second, "true");
}

Result<int64_t> StateTimestamp(SnapshotState& state) {
  if (!HasInCommitTimestamps(*state.metadata)) return state.timestamp_ms;
  if (!state.commit_info && state.commit_file) {
    auto info = ReadCommitInfo(state.log, *state.commit_file);
    // A time that could not be asked for is not one that there is not: a commit on this state must
    // be later, whatever the clocks of machines say.
    const bool is_absent = !info && (info.error().kind == ErrorKind::kNotFound ||
                                     info.error().kind == ErrorKind::kCorruptLog);
    if (!info && !is_absent) return Fail(info.error());
    if (info && *info) state.commit_info = std::make_shared<const CommitInfo>(std::move(**info));
  }
  if (state.commit_info && state.commit_info->in_commit_timestamp()) {
    return *state.commit_info->in_commit_timestamp();
  }
  state.warnings.push_back(fmt::format(
      "version {} has no in-commit timestamp though the table's commits must have one; the "
      "modification time of its file stands in",
      state.version));
  return state.timestamp_ms;
}

}  // namespace weir::delta
