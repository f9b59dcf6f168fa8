// SPDX-License-Identifier: Apache-2.0
#include "engine/register.h"

#include "duckdb/main/database.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "engine/catalog/catalog.h"
#include "engine/catalog/default_properties.h"
#include "engine/catalog/progress.h"
#include "engine/functions/change_files.h"
#include "engine/functions/change_lag.h"
#include "engine/functions/row_hash.h"
#include "engine/functions/table_changes.h"
#include "engine/functions/weir_scan.h"
#include "engine/remote/remote_file_system.h"
#include "engine/scan/scan_copy.h"
#include "engine/scan/table_scan.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/parser_extension.h"
#include "engine/write/store_assignment.h"

namespace weir::engine {

void Register(duckdb::DatabaseInstance& db) {
  auto& config = duckdb::DBConfig::GetConfig(db);
  config.AddExtensionOption(
      kAllowExternalFiles, "Whether a table may name data files outside of its warehouse",
      duckdb::LogicalType(duckdb::LogicalTypeId::BOOLEAN), duckdb::Value::BOOLEAN(false));
  RegisterRemoteFiles(db);
  RegisterProgressSettings(db);
  RegisterDefaultProperties(config);
  RegisterStorage(config);
  RegisterStatements(config);
  RegisterStoreAssignment(config);
  duckdb::ExtensionLoader loader(db, "weir");
  RegisterCommands(loader);
  RegisterTableScan(db);
  RegisterRowHash(loader);
  RegisterChangeFiles(loader);
  RegisterChangeLag(loader);
  RegisterWeirScan(db);
  RegisterTableChanges(db);
  AttachPathCatalog(db);
}

}  // namespace weir::engine
