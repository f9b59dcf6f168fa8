// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/session.h"
#include "pipeline/flows/table_store.h"

namespace weir::pipeline {

/// The Delta tables of a warehouse that is attached to a session, which must outlive the store.
class WeirStore final : public TableStore {
 public:
  explicit WeirStore(engine::Session& session) : session_(session) {}

  Result<std::optional<std::vector<Column>>> Columns(const QualifiedName& table) override;
  Result<std::map<std::string, std::string>> Properties(const QualifiedName& table) override;
  Result<std::string> Location(const QualifiedName& table) override;
  Status Create(const QualifiedName& table, const TableShape& shape, bool replace) override;
  Result<int64_t> Replace(const QualifiedName& table, const TableShape& shape,
                          const std::string& query) override;
  Status Empty(const QualifiedName& table) override;
  Status AddColumns(const QualifiedName& table, const std::vector<Column>& columns) override;
  Status WidenColumn(const QualifiedName& table, const Column& column) override;
  Status SetProperty(const QualifiedName& table, const std::string& key,
                     const std::string& value) override;
  Result<std::optional<int64_t>> LastBatch(const QualifiedName& table,
                                           const std::string& application) override;
  Result<std::optional<int64_t>> VersionBefore(const QualifiedName& table,
                                               int64_t time_us) override;
  Status Commit(const QualifiedName& table, const std::string& application, int64_t batch,
                const std::string& statement) override;

 private:
  Status MakeSchema(const QualifiedName& table);

  engine::Session& session_;
};

}  // namespace weir::pipeline
