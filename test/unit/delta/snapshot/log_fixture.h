// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "delta/checkpoint/checkpoint_io.h"
#include "delta/snapshot/file_list.h"
#include "delta/snapshot/file_segment.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/snapshot.h"
#include "storage/memory_store.h"

namespace weir::delta {

/// Stands in for Parquet: a file is the line "PARQUET", the lines of its actions, and the line
/// "END".
class FakeCheckpointIo final : public CheckpointIo {
 public:
  Status Read(storage::ObjectStore& store, const std::vector<std::string>& paths,
              const CheckpointColumns& columns, CheckpointVisitor& visitor) override {
    ++reads;
    for (const auto& path : paths) {
      WEIR_ASSIGN_OR_RETURN(auto actions, Actions(store, path));
      for (auto& action : actions) {
        std::vector<MapEntryView> entries;
        if (auto* add = std::get_if<AddFile>(&action)) {
          if (!columns.stats) add->stats.reset();
          if (columns.adds) WEIR_RETURN_IF_ERROR(visitor.OnAdd(ViewOf(*add, entries)));
        } else if (auto* remove = std::get_if<RemoveFile>(&action)) {
          if (columns.removes) WEIR_RETURN_IF_ERROR(visitor.OnRemove(*remove));
        } else if (columns.other_actions) {
          WEIR_RETURN_IF_ERROR(visitor.OnAction(action));
        }
      }
    }
    return {};
  }

  Status ReadStats(storage::ObjectStore& store, const std::vector<std::string>& paths,
                   const std::optional<std::vector<std::string>>& stats_columns,
                   const std::function<Status(size_t, std::string_view)>& receive) override {
    ++stats_reads;
    last_stats_columns = stats_columns;
    size_t next = 0;
    for (const auto& path : paths) {
      WEIR_ASSIGN_OR_RETURN(auto actions, Actions(store, path));
      for (const auto& action : actions) {
        const auto* add = std::get_if<AddFile>(&action);
        if (add) WEIR_RETURN_IF_ERROR(receive(next++, add->stats.value_or("")));
      }
    }
    return {};
  }

  Result<std::string> Write(const CheckpointContent& content,
                            const CheckpointLayout& layout) override {
    layouts.push_back(layout);
    std::string text = "PARQUET\n";
    auto put = [&](const Action& action) { text += SerializeAction(action) + "\n"; };
    if (content.checkpoint_metadata) put(*content.checkpoint_metadata);
    for (const auto& sidecar : content.sidecars) put(sidecar);
    if (content.protocol) put(*content.protocol);
    if (content.metadata) put(*content.metadata);
    for (const auto* transaction : content.transactions) put(*transaction);
    for (const auto* domain : content.domains) put(*domain);
    for (size_t i = content.first_file; i < content.last_file; ++i) put(content.files->Get(i));
    for (const auto& remove : content.removes) put(remove);
    return text + "END\n";
  }

  int reads = 0;
  int stats_reads = 0;
  std::optional<std::vector<std::string>> last_stats_columns;
  std::vector<CheckpointLayout> layouts;

 private:
  static Result<std::vector<Action>> Actions(storage::ObjectStore& store, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(auto text, store.Get(path));
    std::string_view body = Trim(text);
    if (!StartsWith(body, "PARQUET\n") || !EndsWith(body, "END")) {
      return Fail(CorruptLog("DELTA_CHECKPOINT_UNREADABLE", path + ": no Parquet file"));
    }
    body.remove_prefix(8);
    body.remove_suffix(3);
    return ParseActions(path, body);
  }
};

/// A log in memory that is written line by line.
class LogTest : public ::testing::Test {
 protected:
  static constexpr const char* kProtocol =
      R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})";

  LogTest() {
    log.store = store;
    log.root = "/t";
    log.checkpoint_io = io;
    log.clock = &clock;
  }

  static std::string MetadataLine(const std::string& configuration = "",
                                  const std::string& partition_columns = "") {
    return fmt::format(
        R"({{"metaData":{{"id":"m","format":{{"provider":"parquet","options":{{}}}},"schemaString":"{{\"type\":\"struct\",\"fields\":[{{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{{}}}},{{\"name\":\"p\",\"type\":\"string\",\"nullable\":true,\"metadata\":{{}}}}]}}","partitionColumns":[{}],"configuration":{{{}}}}}}})",
        partition_columns, configuration);
  }
  static std::string AddLine(const std::string& path, int64_t size = 10,
                             const std::string& more = "") {
    return fmt::format(
        R"({{"add":{{"path":"{}","partitionValues":{{}},"size":{},"modificationTime":1,"dataChange":true{}}}}})",
        path, size, more);
  }
  static std::string RemoveLine(const std::string& path, const std::string& more = "",
                                int64_t time = 1) {
    return fmt::format(R"({{"remove":{{"path":"{}","deletionTimestamp":{},"dataChange":true{}}}}})",
                       path, time, more);
  }
  static std::string Vector(const std::string& id, const std::string& offset = "") {
    return fmt::format(
        R"(,"deletionVector":{{"storageType":"u","pathOrInlineDv":"{}"{},"sizeInBytes":3,"cardinality":2}})",
        id, offset);
  }

  std::string PathOf(const std::string& name) const { return log.log_dir() + "/" + name; }

  void Write(const std::string& name, const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    ASSERT_TRUE(store->Put(PathOf(name), text));
  }
  void Commit(int64_t version, const std::vector<std::string>& lines) {
    Write(CommitFileName(version), lines);
  }
  void Checkpoint(const std::string& name, std::vector<std::string> lines) {
    lines.insert(lines.begin(), "PARQUET");
    lines.push_back("END");
    Write(name, lines);
  }
  void Delete(const std::string& name) { ASSERT_TRUE(store->Delete(PathOf(name))); }

  SnapshotPtr Load(const TimeTravel& at = {}) {
    auto snapshot = Snapshot::Load(log, at);
    EXPECT_TRUE(snapshot) << (snapshot ? "" : snapshot.error().ToString());
    return snapshot ? *snapshot : nullptr;
  }
  Error LoadError(const TimeTravel& at = {}) {
    auto snapshot = Snapshot::Load(log, at);
    EXPECT_FALSE(snapshot);
    return snapshot ? Error{} : snapshot.error();
  }

  static std::vector<std::string> Paths(const Snapshot& snapshot) {
    std::vector<std::string> paths;
    for (size_t i = 0; i < snapshot.files().size(); ++i)
      paths.emplace_back(snapshot.files().path(i));
    return paths;
  }

  FixedClock clock{1'000'000};
  std::shared_ptr<storage::MemoryStore> store = std::make_shared<storage::MemoryStore>(&clock);
  std::shared_ptr<FakeCheckpointIo> io = std::make_shared<FakeCheckpointIo>();
  TableLog log;
};

}  // namespace weir::delta
