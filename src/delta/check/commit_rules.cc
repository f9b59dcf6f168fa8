// SPDX-License-Identifier: Apache-2.0
#include "delta/check/commit_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "delta/commit/pending_commit.h"
#include "delta/features/features.h"
#include "delta/row_tracking/row_tracking.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

constexpr const char* kRestoreAdvice =
    "no reader can be sure what this version holds: RESTORE the table to the version before, or "
    "put "
    "the commit back from a backup";

template <typename T>
size_t Count(const std::vector<Action>& actions) {
  return static_cast<size_t>(std::count_if(actions.begin(), actions.end(), [](const Action& a) {
    return std::holds_alternative<T>(a);
  }));
}

// Protocol section "Delta Log Entries": the first version has protocol and metaData; no commit has
// either twice.
void CheckSingleActions(const CommitView& commit, Findings& findings) {
  const auto report = [&](const std::string& problem) {
    findings.Add("commit-actions", commit.version, commit.file, problem, kRestoreAdvice);
  };
  for (const auto& [name, count] : {std::pair("protocol", Count<Protocol>(commit.actions)),
                                    std::pair("metaData", Count<Metadata>(commit.actions)),
                                    std::pair("commitInfo", Count<CommitInfo>(commit.actions))}) {
    if (count > 1) report(fmt::format("found {} {} actions, expected at most one", count, name));
  }
  if (!commit.after.protocol) report("the table has no protocol action up to here");
  if (!commit.after.metadata) report("the table has no metaData action up to here");
}

// Protocol section "Add File and Remove File": a path is added once and removed once at most, and
// what is removed was there.
void CheckFiles(const CommitView& commit, Findings& findings) {
  std::set<std::string> added;
  std::set<std::string> removed;
  const auto report = [&](const std::string& problem, const std::string& remedy) {
    findings.Add("commit-files", commit.version, commit.file, problem, remedy);
  };
  for (const Action& action : commit.actions) {
    if (const auto* add = std::get_if<AddFile>(&action)) {
      if (!added.insert(CanonicalPath(add->path)).second)
        report("adds " + add->path + " twice", kRestoreAdvice);
    } else if (const auto* remove = std::get_if<RemoveFile>(&action)) {
      if (!removed.insert(CanonicalPath(remove->path)).second)
        report("removes " + remove->path + " twice", kRestoreAdvice);
    }
  }
  for (const std::string& name : commit.unknown_removes) {
    report("removes " + name + ", which is no file of the version before",
           "a file that was meant is still in the table, and its rows may be there twice: compare "
           "with the history and DELETE them");
  }
  for (const std::string& path : added) {
    if (commit.after.FilesAt(path) > 1)
      report("adds " + path + " with another deletion vector, without removing the old one",
             kRestoreAdvice);
  }
}

bool IsTrue(const std::optional<Metadata>& metadata, const std::string& property) {
  return metadata && IsPropertyTrue(*metadata, property);
}

// Protocol section "In-Commit Timestamps".
void CheckTimestamp(const CommitView& commit, Findings& findings) {
  if (!commit.after.protocol || !commit.after.metadata ||
      !UsesInCommitTimestamps(*commit.after.protocol, *commit.after.metadata))
    return;
  const auto report = [&](const std::string& problem) {
    findings.Add("in-commit-timestamps", commit.version, commit.file, problem,
                 "time travel by timestamp may give another version than meant; use versions");
  };
  const auto* info =
      commit.actions.empty() ? nullptr : std::get_if<CommitInfo>(&commit.actions.front());
  if (info == nullptr || !info->in_commit_timestamp())
    return report("the first action is no commitInfo with inCommitTimestamp");
  const auto& last = commit.timestamp_before;
  if (last && *info->in_commit_timestamp() <= *last)
    report(fmt::format("inCommitTimestamp {} is not behind the one before, {}",
                       *info->in_commit_timestamp(), *last));
}

// Protocol section "Row Tracking": new files have ids, and none above the mark.
void CheckRowIds(const CommitView& commit, Findings& findings) {
  if (!commit.after.protocol || !IsSupported(*commit.after.protocol, Feature::kRowTracking) ||
      IsTrue(commit.after.metadata, "delta.rowTrackingSuspended"))
    return;
  const auto report = [&](const std::string& problem) {
    findings.Add(
        "row-ids", commit.version, commit.file, problem,
        "row ids may be given twice: ALTER TABLE ... DROP FEATURE rowTracking and enable it "
        "again, which numbers all rows anew");
  };
  const auto domain = commit.after.domains.find("delta.rowTracking");
  int64_t mark = -1;
  if (domain != commit.after.domains.end()) {
    const auto read = ReadHighWaterMark(domain->second.configuration);
    if (!read) return report(read.error().message);
    mark = *read;
  }
  for (const Action& action : commit.actions) {
    const auto* add = std::get_if<AddFile>(&action);
    if (add == nullptr) continue;
    if (!add->base_row_id || !add->default_row_commit_version) {
      report("adds " + add->path + " without baseRowId and defaultRowCommitVersion");
      continue;
    }
    const int64_t records = add->stats ? ReadNumRecords(*add->stats).value_or(1) : 1;
    const int64_t last = *add->base_row_id + std::max<int64_t>(records, 1) - 1;
    if (last > mark && (records > 0 || *add->base_row_id > mark + 1))
      report(fmt::format("adds {} with row ids up to {}, but the high-water mark is {}", add->path,
                         last, mark));
    if (*add->default_row_commit_version > commit.version)
      report(fmt::format("adds {} with the row commit version {}, which is yet to come", add->path,
                         *add->default_row_commit_version));
  }
}

// Protocol section "Append-only Tables".
void CheckAppendOnly(const CommitView& commit, Findings& findings) {
  if (!IsTrue(commit.metadata_before, "delta.appendOnly") ||
      !IsTrue(commit.after.metadata, "delta.appendOnly") || !commit.after.protocol ||
      !IsSupported(*commit.after.protocol, Feature::kAppendOnly))
    return;
  for (const Action& action : commit.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove != nullptr && remove->data_change) {
      findings.Add("append-only", commit.version, commit.file,
                   "removes data of a table that says delta.appendOnly",
                   "RESTORE the version before, if the rows should be there");
      return;
    }
  }
}

constexpr std::array kRules{
    CommitRule{"commit-actions", CheckSingleActions},   CommitRule{"commit-files", CheckFiles},
    CommitRule{"in-commit-timestamps", CheckTimestamp}, CommitRule{"row-ids", CheckRowIds},
    CommitRule{"append-only", CheckAppendOnly},
};

}  // namespace

std::span<const CommitRule> CommitRules() { return kRules; }

}  // namespace weir::delta
