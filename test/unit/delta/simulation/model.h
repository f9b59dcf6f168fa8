// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delta/commit/transaction.h"
#include "delta/deletion_vectors/row_bitmap.h"
#include "delta/simulation/plan.h"
#include "storage/memory_store.h"

namespace weir::delta {

/// One row of a data file: "key value id" as text, where id is -1 unless it is carried along.
struct FileRow {
  int64_t key = 0;
  int64_t value = 0;
  int64_t id = -1;
};

std::string FormatRows(const std::vector<FileRow>& rows);
std::vector<FileRow> ParseRows(const std::string& text);

/// What an operation means, whatever files it touches.
struct Intent {
  enum class Kind {
    kAppend,       ///< Blind.
    kAppendSum,    ///< One row with the sum of what a partition holds.
    kDelete,       ///< The rows of a partition with key % modulus == rest.
    kIncrement,    ///< Their values, by one.
    kRewrite,      ///< The same rows in fewer files.
    kSetProperty,  ///< sim.counter goes on by one.
    kApplication,  ///< An append that moves an application's version on by one.
    kDomain,       ///< A domain's number goes on by one.
  };
  Kind kind = Kind::kAppend;
  std::string partition;
  int64_t modulus = 1;
  int64_t rest = 0;
  std::vector<FileRow> appended;
  std::string name;  ///< Of the application or the domain.
  int64_t base = 0;  ///< The version that was read.

  bool Matches(const std::string& row_partition, int64_t key) const {
    return row_partition == partition && key % modulus == rest;
  }
};

/// Watches every commit at the moment it happens, works out what the table must be by what the
/// operations mean, and compares. Breaches are collected, the first ones are shown.
class Model {
 public:
  Model(const Plan& plan, storage::MemoryStore& objects) : plan_(plan), objects_(objects) {}

  /// To be called before a transaction with this id commits.
  void Expect(const std::string& txn_id, Intent intent) { intents_[txn_id] = std::move(intent); }
  /// A commit has been written.
  void OnCommit(int64_t version, const std::string& text);
  /// What a writer was told of its transaction.
  void OnTold(const std::string& txn_id, const Result<CommitResult>& result);
  /// A conflict was reported; is there any?
  void CheckConflict(const Intent& intent, const Error& error);
  /// What a reader sees must be a version as it was committed.
  void CheckSnapshot(const Snapshot& snapshot);
  /// When all is over.
  void CheckTold();

  void Breach(const std::string& what);
  const std::vector<std::string>& breaches() const { return breaches_; }
  int64_t latest() const { return static_cast<int64_t>(versions_.size()) - 1; }
  /// Rows of all versions together, to see that the simulation does something.
  int64_t commits() const { return latest() + 1; }

 private:
  struct Row {
    std::string partition;
    int64_t value = 0;
    int64_t id = -1;
    bool operator==(const Row&) const = default;
  };
  using Rows = std::map<int64_t, Row>;
  struct Version {
    std::map<std::string, AddFile> files;
    Rows rows;
    Metadata metadata;
    std::map<std::string, int64_t> applications;
    std::map<std::string, std::string> domains;
    std::string txn_id;
    bool is_blind = false;
    bool changes_metadata = false;
    int64_t in_commit_ms = 0;
  };

  Version Apply(const std::vector<Action>& actions, int64_t version);
  Rows ReadRows(const Version& version);
  const std::vector<FileRow>& Content(const std::string& path);
  std::optional<RowBitmap> Vector(const std::optional<DeletionVectorDescriptor>& descriptor);
  void CheckRows(const Version& before, const Version& after, const Intent& intent);
  bool WasVisible(const Intent& intent, int64_t key) const;
  void CheckRowIds(const Version& before, const Version& after);
  void CheckNumbers(const Version& before, const Version& after, const Intent& intent);
  void CheckFeed(const Version& before, const Version& after, const std::vector<Action>& actions);

  const Plan& plan_;
  storage::MemoryStore& objects_;
  std::map<std::string, Intent> intents_;
  std::vector<Version> versions_;
  std::map<std::string, std::vector<FileRow>> contents_;
  std::map<std::string, int64_t> committed_;
  std::map<std::string, int64_t> told_success_;
  std::set<std::string> told_failure_;
  std::map<int64_t, int64_t> blindly_added_;  // key -> version
  std::set<int64_t> used_ids_;
  std::vector<std::string> breaches_;
};

}  // namespace weir::delta
