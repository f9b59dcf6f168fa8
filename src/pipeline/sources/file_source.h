// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/session.h"
#include "pipeline/sources/stream_source.h"
#include "pipeline/spec/query_text.h"

namespace weir::pipeline {

/// Files that arrive in a folder: each is taken once, known by its path. The columns come from the
/// option `schema`, else they are inferred from all files of a batch; a column keeps the type it
/// was first seen with, new columns are added, absent ones are NULL. Offset: {"files": [{"path",
/// "size"}...], "schema": [["name", "type"]...]}.
///
/// Format `debezium` is JSON whose objects are Debezium's envelopes; they come flattened, see
/// debezium.h.
///
/// Options: schema, maxFilesPerTrigger, badRecordsPath (a folder for the lines of JSON files that
/// cannot be read, which otherwise stop the batch), header (CSV, default true), delimiter or sep,
/// quote, escape, nullValue; any other is handed to DuckDB's reader under its name.
class FileSource final : public StreamSource {
 public:
  /// `root` is where relative paths start. The session must outlive the source.
  FileSource(engine::Session& session, FileSourceSpec spec, const std::string& root);

  const std::string& key() const override { return key_; }
  Status Replay(const JsonValue& offset) override;
  JsonValue Compact() const override;
  /// Errors: PATH_NOT_FOUND; WEIR_SOURCE_FORMAT_UNKNOWN for a file whose name does not tell its
  /// format; WEIR_SOURCE_TYPE_CHANGED for a column whose values no longer fit its type; what DuckDB
  /// says of a file that it cannot read, with the files that were looked at.
  Result<std::optional<JsonValue>> Plan() override;
  Result<std::vector<Column>> Columns(const std::optional<JsonValue>& planned) override;
  Result<std::string> Read(const JsonValue& offset) override;
  Result<JsonValue> Describe(const JsonValue& offset) override;
  Result<int64_t> SetAside(const JsonValue& offset, const std::string& name) override;
  int64_t CountFiles(const JsonValue& offset) const override;
  int64_t backlog() const override { return backlog_; }

 private:
  struct Group {
    std::string format;
    std::vector<std::string> paths;
  };

  Result<std::vector<Group>> GroupByFormat(const std::vector<std::string>& paths) const;
  Result<std::vector<Column>> Infer(const Group& group);
  Result<std::vector<Column>> MergeColumns(const std::vector<Group>& groups);
  Result<std::string> ReadGroup(const Group& group, const std::vector<Column>& columns);
  std::string Reader(const Group& group, const std::string& arguments) const;
  Result<std::optional<std::vector<Column>>> DeclaredColumns() const;
  std::string Option(std::string_view name) const;
  /// Whether the files hold Debezium's envelopes, which are flattened.
  bool is_debezium() const { return spec_.format == "debezium"; }

  engine::Session& session_;
  FileSourceSpec spec_;
  std::string location_;
  std::string aside_;  ///< Where unreadable lines go; empty: they stop the batch.
  std::string key_;
  std::set<std::string> seen_;
  std::vector<Column> columns_;
  int64_t backlog_ = 0;
};

}  // namespace weir::pipeline
