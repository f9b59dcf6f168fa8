// SPDX-License-Identifier: Apache-2.0
//
// A warehouse of plain DuckDB tables, so that the rules of the flows are tested without the Delta
// catalog.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "engine/session.h"
#include "pipeline/flows/sql_text.h"
#include "pipeline/flows/table_store.h"

namespace weir::pipeline::testing {

class NativeStore final : public TableStore {
 public:
  explicit NativeStore(engine::Session& session) : session_(session) {}

  Result<std::optional<std::vector<Column>>> Columns(const QualifiedName& table) override {
    if (!properties_.contains(table.ToString())) return std::optional<std::vector<Column>>();
    WEIR_ASSIGN_OR_RETURN(std::vector<Column> columns,
                          DescribeQuery(session_, "SELECT * FROM " + table.ToSql()));
    return std::optional(std::move(columns));
  }

  Result<std::map<std::string, std::string>> Properties(const QualifiedName& table) override {
    return properties_[table.ToString()];
  }

  Result<std::string> Location(const QualifiedName& table) override { return table.ToString(); }

  Status Create(const QualifiedName& table, const TableShape& shape, bool replace) override {
    auto& properties = properties_[table.ToString()];
    properties.clear();
    properties.insert(shape.properties.begin(), shape.properties.end());
    return session_.Execute(std::string("CREATE ") + (replace ? "OR REPLACE " : "") + "TABLE " +
                            table.ToSql() + " (" +
                            Join(shape.columns, ", ",
                                 [](const Column& column) {
                                   return QuoteIdentifier(column.name) + " " + column.type;
                                 }) +
                            ")");
  }

  Result<int64_t> Replace(const QualifiedName& table, const TableShape& shape,
                          const std::string& query) override {
    WEIR_RETURN_IF_ERROR(Create(table, shape, true));
    WEIR_RETURN_IF_ERROR(session_.Execute("INSERT INTO " + table.ToSql() + " " + query));
    WEIR_ASSIGN_OR_RETURN(const auto rows,
                          session_.QueryInt64("SELECT count(*) FROM " + table.ToSql()));
    return rows.value_or(0);
  }

  Status Empty(const QualifiedName& table) override {
    if (!properties_.contains(table.ToString())) return {};
    return session_.Execute("DELETE FROM " + table.ToSql());
  }

  Status AddColumns(const QualifiedName& table, const std::vector<Column>& columns) override {
    for (const Column& column : columns) {
      WEIR_RETURN_IF_ERROR(session_.Execute("ALTER TABLE " + table.ToSql() + " ADD COLUMN " +
                                            QuoteIdentifier(column.name) + " " + column.type));
    }
    return {};
  }

  Status WidenColumn(const QualifiedName& table, const Column& column) override {
    return session_.Execute("ALTER TABLE " + table.ToSql() + " ALTER COLUMN " +
                            QuoteIdentifier(column.name) + " TYPE " + column.type);
  }

  Status SetProperty(const QualifiedName& table, const std::string& key,
                     const std::string& value) override {
    properties_[table.ToString()][key] = value;
    return {};
  }

  Result<std::optional<int64_t>> LastBatch(const QualifiedName& table,
                                           const std::string& application) override {
    const auto found = batches_.find({table.ToString(), application});
    return found == batches_.end() ? std::optional<int64_t>() : found->second;
  }

  Result<std::optional<int64_t>> VersionBefore(const QualifiedName&, int64_t) override {
    return std::optional<int64_t>();
  }

  Status Commit(const QualifiedName& table, const std::string& application, int64_t batch,
                const std::string& statement) override {
    ++commits;
    if (commits == fail_at) return Fail(IoError("TEST_CRASH", "as asked"));
    WEIR_RETURN_IF_ERROR(session_.Execute(statement));
    batches_[{table.ToString(), application}] = batch;
    return {};
  }

  /// Makes the store see that a table was dropped behind its back.
  void Forget(const QualifiedName& table) { properties_.erase(table.ToString()); }

  void Unset(const QualifiedName& table, const std::string& key) {
    properties_[table.ToString()].erase(key);
  }

  int commits = 0;
  int fail_at = -1;  ///< This commit fails before it does anything.

 private:
  engine::Session& session_;
  std::map<std::string, std::map<std::string, std::string>> properties_;
  std::map<std::pair<std::string, std::string>, int64_t> batches_;
};

}  // namespace weir::pipeline::testing
