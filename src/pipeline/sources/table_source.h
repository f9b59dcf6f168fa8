// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/session.h"
#include "pipeline/sources/stream_source.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// A Delta table that grows: first all rows of its newest version, then what each later version
/// adds. Of a table whose change feed is on this is read from the feed, else by comparing two
/// versions. As a change feed (`feed`) the columns are the table's and _change_type,
/// _commit_version and _commit_timestamp, and changed and deleted rows come too. Columns that Auto
/// CDC has added (__spark_autocdc_...) are left out. Offset: {"from": last version that was read or
/// -1, "to": version}.
class TableSource final : public StreamSource {
 public:
  /// `columns` are those that the table is going to have when it does not exist yet; else empty.
  /// The session must outlive the source.
  TableSource(engine::Session& session, QualifiedName table, std::vector<Column> columns,
              bool feed);

  const std::string& key() const override { return key_; }
  Status Replay(const JsonValue& offset) override;
  JsonValue Compact() const override;
  /// Errors: those of reading the table's log.
  Result<std::optional<JsonValue>> Plan() override;
  Result<std::vector<Column>> Columns(const std::optional<JsonValue>& planned) override;
  /// Errors: DELTA_SOURCE_TABLE_IGNORE_CHANGES when a version changed or removed rows, which a
  /// stream of appends cannot express.
  Result<std::string> Read(const JsonValue& offset) override;
  Result<JsonValue> Describe(const JsonValue& offset) override;
  int64_t CountFiles(const JsonValue&) const override { return 0; }

 private:
  Result<std::optional<int64_t>> LatestVersion();
  Result<bool> HasFeed();
  Result<std::string> ReadRange(int64_t from, int64_t to);
  Result<std::string> Compare(int64_t from, int64_t to);
  /// Fails when `count`, a query, gives more than 0.
  Status RefuseChanges(const std::string& count, int64_t from, int64_t to);
  std::string At(int64_t version) const;

  engine::Session& session_;
  QualifiedName table_;
  std::vector<Column> columns_;
  std::string key_;
  bool feed_;
  int64_t version_ = -1;
};

}  // namespace weir::pipeline
