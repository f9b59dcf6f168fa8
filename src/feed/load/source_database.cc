// SPDX-License-Identifier: Apache-2.0
#include "feed/load/source_database.h"

#include <filesystem>

#include "base/text.h"

namespace weir::feed {
namespace {

Error Missing(const UsedTable& table, const std::string& message) {
  return NotFound("WEIR_FEED_SOURCE_MISSING", "table " + table.display() + ": its source (" +
                                                  SourceName(table.from) + ") " + message);
}

}  // namespace

SourceDatabase::~SourceDatabase() {
  if (attached_) (void)session_.Execute("DETACH " + QuoteIdentifier(name()));
}

std::string SourceDatabase::name() const { return "source of " + table_.id(); }

Status SourceDatabase::Attach() {
  const TableSource& from = table_.from;
  if (!from.is_database() || attached_) return {};
  std::error_code failure;
  if (from.kind == TableSource::Kind::kSqlite && !std::filesystem::exists(from.text, failure))
    return Fail(Missing(table_, "is not there: no file " + from.text));
  const std::string kind(ToString(from.kind));
  const Status attached =
      session_.Execute("ATTACH " + QuoteLiteral(from.text) + " AS " + QuoteIdentifier(name()) +
                       " (TYPE " + kind + ", READ_ONLY)");
  attached_ = attached.has_value();
  if (attached) return {};
  const std::string message = WithoutConnection(from, attached.error().message);
  if (message.find("_scanner.duckdb_extension") == std::string::npos)
    return Fail(Missing(table_, "cannot be opened: " + message));
  return Fail(UnsupportedFeature(
      "WEIR_FEED_SOURCE_EXTENSION",
      "table " + table_.display() + ": reading " + kind +
          " needs DuckDB's extension for it, which is not installed; run `weir sql -c \"INSTALL " +
          kind + "\"` once, or name its file in `setup`: LOAD '/path/" + kind +
          "_scanner.duckdb_extension'. DuckDB says: " + message));
}

std::string SourceDatabase::Relation() const {
  const TableSource& from = table_.from;
  if (!from.server_query.empty()) {
    return std::string(ToString(from.kind)) + "_query(" + QuoteLiteral(name()) + ", " +
           QuoteLiteral(from.server_query) + ")";
  }
  std::string relation = QuoteIdentifier(name());
  const size_t dot = from.table.find('.');
  if (dot != std::string::npos) relation += "." + QuoteIdentifier(from.table.substr(0, dot));
  return relation + "." +
         QuoteIdentifier(dot == std::string::npos ? from.table : from.table.substr(dot + 1));
}

std::string SourceName(const TableSource& from) {
  if (!from.is_database()) return from.text;
  return std::string(ToString(from.kind)) + " " +
         (from.table.empty() ? from.server_query : "table " + from.table);
}

std::string WithoutConnection(const TableSource& from, std::string message) {
  if (!from.is_database() || from.kind == TableSource::Kind::kSqlite) return message;
  for (size_t at = message.find(from.text); at != std::string::npos;
       at = message.find(from.text, at))
    message.replace(at, from.text.size(), "...");
  return message;
}

}  // namespace weir::feed
