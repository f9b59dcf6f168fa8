// SPDX-License-Identifier: Apache-2.0
#include "engine/session.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "duckdb/main/config.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/materialized_query_result.hpp"
#include "duckdb/parser/sql_statement.hpp"
#include "duckdb/transaction/meta_transaction.hpp"

#include "base/text.h"
#include "base/uuid.h"
#include "engine/catalog/warehouse_access.h"
#include "engine/duckdb_errors.h"
#include "engine/register.h"
#include "engine/result/arrow_result.h"
#include "engine/result/arrow_stream.h"
#include "engine/result/duckdb_result.h"
#include "engine/statement_splitter.h"
#include "engine/statements/prepare_write.h"
#include "engine/statements/spark/translate.h"

namespace weir::engine {
namespace {

// The only statement whose rows are worth streaming; all others do their work before they return.
// An ALTER that became a SELECT is run at once, not when its rows are asked for.
bool MayStream(const duckdb::SQLStatement& statement, std::string_view written) {
  return statement.type == duckdb::StatementType::SELECT_STATEMENT &&
         !StartsWith(ToLowerAscii(Trim(written)), "alter ");
}

class DuckDBSession final : public Session {
 public:
  DuckDBSession(std::shared_ptr<duckdb::DuckDB> database,
                std::shared_ptr<duckdb::Connection> connection)
      : database_(std::move(database)), connection_(std::move(connection)) {}

  Result<std::unique_ptr<QueryResult>> Query(std::string_view sql) override {
    WEIR_ASSIGN_OR_RETURN(auto last, RunAll(sql));
    return WrapResult(connection_, std::move(last));
  }

  Status QueryArrow(std::string_view sql, ArrowArrayStream* out) {
    WEIR_ASSIGN_OR_RETURN(auto last, RunAll(sql));
    MakeArrowStream(connection_, std::move(last), out);
    return {};
  }

  Status Execute(std::string_view sql) override {
    if (SplitSqlText(sql).statements.empty()) return {};
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<QueryResult> result, Query(sql));
    while (true) {
      WEIR_ASSIGN_OR_RETURN(const bool more, result->NextBatch());
      if (!more) return {};
    }
  }

  Result<std::vector<std::string>> SplitStatements(std::string_view sql) override {
    return SplitSqlText(sql).statements;
  }

  Result<std::optional<int64_t>> QueryInt64(std::string_view sql) override {
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<QueryResult> result, Query(sql));
    WEIR_ASSIGN_OR_RETURN(const bool any, result->NextBatch());
    if (!any || result->IsNull(0, 0)) return std::nullopt;
    return result->Int64(0, 0);
  }

  Status AttachWarehouse(const std::string& directory, const std::string& name) override {
    const std::string catalog = QuoteIdentifier(name);
    return Execute("ATTACH " + QuoteLiteral(kAttachPrefix + directory) + " AS " + catalog +
                   " (TYPE weir); USE " + catalog);
  }

  bool HasUncommittedChanges() override {
    auto& transaction = connection_->context->transaction;
    return transaction.HasActiveTransaction() && !transaction.IsAutoCommit() &&
           transaction.ActiveTransaction().ModifiedDatabase();
  }

  void Interrupt() override { connection_->Interrupt(); }

  double ProgressPercent() override { return connection_->GetQueryProgress(); }

  Status TrackProgress() override {
    return Execute(
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET "
        "progress_bar_time = 0");
  }

 private:
  // The result of the last statement.
  Result<duckdb::unique_ptr<duckdb::QueryResult>> RunAll(std::string_view sql) {
    const SplitSql split = SplitSqlText(sql);
    if (split.statements.empty()) {
      return Fail(InvalidArgument("WEIR_SQL_ERROR", "there is no statement to run", "42601"));
    }
    try {
      duckdb::unique_ptr<duckdb::QueryResult> last;
      for (size_t i = 0; i < split.statements.size(); ++i) {
        last.reset();
        WEIR_ASSIGN_OR_RETURN(last, Run(split.statements[i], i + 1 == split.statements.size()));
      }
      return last;
    } catch (const std::exception& exception) {
      return Fail(FromDuckDB(exception));
    }
  }

  // Runs one statement of ours, which DuckDB may expand to several (PRAGMA).
  Result<duckdb::unique_ptr<duckdb::QueryResult>> Run(const std::string& sql, bool is_last) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<std::string> translated,
                          TranslateStatement(sql, EvolvesSchema()));
    duckdb::unique_ptr<duckdb::QueryResult> result;
    for (auto& statement : connection_->ExtractStatements(translated.value_or(sql))) {
      result.reset();
      const bool stream = is_last && MayStream(*statement, sql);
      result = connection_->SendQuery(std::move(statement),
                                      stream ? duckdb::QueryResultOutputType::ALLOW_STREAMING
                                             : duckdb::QueryResultOutputType::FORCE_MATERIALIZED);
      if (result->HasError()) return Fail(FromDuckDB(result->GetErrorObject()));
    }
    if (!result) return Fail(InternalError("DuckDB made no statement of: " + sql));
    return result;
  }

  bool EvolvesSchema() const {
    duckdb::Value value;
    return connection_->context->TryGetCurrentSetting(kSchemaAutoMerge, value) &&
           value.GetValue<bool>();
  }

  std::shared_ptr<duckdb::DuckDB> database_;
  std::shared_ptr<duckdb::Connection> connection_;
};

class DuckDBDatabase final : public Database {
 public:
  explicit DuckDBDatabase(std::shared_ptr<duckdb::DuckDB> database)
      : database_(std::move(database)) {}

  Result<std::unique_ptr<Session>> Connect() override {
    try {
      return std::make_unique<DuckDBSession>(database_,
                                             std::make_shared<duckdb::Connection>(*database_));
    } catch (const std::exception& exception) {
      return Fail(FromDuckDB(exception));
    }
  }

 private:
  std::shared_ptr<duckdb::DuckDB> database_;
};

// DuckDB's own default is `.tmp` in the working directory, where a user does not look for it. It
// makes the folder when it first spills and removes it at the end.
std::string DefaultTempDirectory() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  return (folder /
          ("weir-" + std::to_string(getpid()) + "-" + Uuid::Random().ToString().substr(0, 8)))
      .string();
}

}  // namespace

Status QueryArrow(Session& session, std::string_view sql, ArrowArrayStream* out) {
  return static_cast<DuckDBSession&>(session).QueryArrow(sql, out);
}

Result<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  try {
    duckdb::DBConfig config;
    if (options.memory_limit)
      config.SetOptionByName("memory_limit", duckdb::Value(*options.memory_limit));
    if (options.threads) config.SetOptionByName("threads", duckdb::Value::BIGINT(*options.threads));
    config.SetOptionByName("temp_directory",
                           duckdb::Value(options.temp_directory.value_or(DefaultTempDirectory())));
    auto database = std::make_shared<duckdb::DuckDB>(nullptr, &config);
    Register(*database->instance);
    auto result = duckdb::Connection(*database).Query("SET GLOBAL TimeZone = 'UTC'");
    if (result->HasError()) return Fail(FromDuckDB(result->GetErrorObject()));
    return std::make_unique<DuckDBDatabase>(std::move(database));
  } catch (const std::exception& exception) {
    return Fail(FromDuckDB(exception));
  }
}

}  // namespace weir::engine
