// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/scan_copy.h"

#include <string>
#include <utility>

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/common/serializer/deserializer.hpp"
#include "duckdb/common/serializer/serializer.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "engine/catalog/catalog.h"
#include "engine/catalog/table_entry.h"
#include "engine/catalog/transaction.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/multi_file_reader.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

constexpr const char* kName = "weir_table_scan";

void Serialize(duckdb::Serializer& serializer,
               const duckdb::optional_ptr<duckdb::FunctionData> bind_data,
               const duckdb::TableFunction&) {
  const auto& reader = bind_data->Cast<duckdb::MultiFileBindData>().multi_file_reader;
  auto& entry = *reader->Cast<WeirMultiFileReader>().source().entry;
  serializer.WriteProperty(100, "catalog", entry.ParentCatalog().GetName());
  serializer.WriteProperty(101, "schema", entry.ParentSchema().name);
  serializer.WriteProperty(102, "table", entry.name);
  // -1: the version that the transaction is at.
  const int64_t version = entry.is_time_travel() ? entry.state()->version() : -1;
  serializer.WriteProperty(103, "version", version);
}

duckdb::unique_ptr<duckdb::FunctionData> Deserialize(duckdb::Deserializer& deserializer,
                                                     duckdb::TableFunction& function) {
  const auto catalog_name = deserializer.ReadProperty<std::string>(100, "catalog");
  const auto schema_name = deserializer.ReadProperty<std::string>(101, "schema");
  const auto table = deserializer.ReadProperty<std::string>(102, "table");
  const auto version = deserializer.ReadProperty<int64_t>(103, "version");

  auto& context = deserializer.Get<duckdb::ClientContext&>();
  auto& catalog = duckdb::Catalog::GetCatalog(context, catalog_name);
  auto& schema = catalog.GetSchema(context, schema_name).Cast<WeirSchemaEntry>();
  auto& transaction = WeirTransaction::Get(context, catalog);
  delta::TimeTravel at;
  at.version = version;
  auto entry = version < 0 ? transaction.FindTable(schema, table)
                           : transaction.FindTableAt(schema, table, at);
  if (!entry) {
    Throw(NotFound("DELTA_TABLE_NOT_FOUND",
                   "table " + schema_name + "." + table + " is gone from " + catalog_name,
                   "42P01"));
  }
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  function = MakeTableScan(context, entry->state(), entry->name, entry, bind_data);
  return bind_data;
}

duckdb::unique_ptr<duckdb::FunctionData> RefuseCall(duckdb::ClientContext&,
                                                    duckdb::TableFunctionBindInput&,
                                                    duckdb::vector<duckdb::LogicalType>&,
                                                    duckdb::vector<duckdb::string>&) {
  Throw(InvalidArgument("WEIR_INTERNAL_FUNCTION",
                        std::string(kName) + " cannot be called; weir_scan reads a table by path"));
}

}  // namespace

void MakeCopyable(duckdb::TableFunction& function) {
  function.name = kName;
  function.serialize = Serialize;
  function.deserialize = Deserialize;
}

void RegisterTableScan(duckdb::DatabaseInstance& db) {
  duckdb::Connection connection(db);
  connection.BeginTransaction();
  auto function = ScanFunction(*connection.context);
  connection.Commit();
  MakeCopyable(function);
  function.bind = RefuseCall;
  duckdb::ExtensionLoader(db, "weir").RegisterFunction(std::move(function));
}

}  // namespace weir::engine
