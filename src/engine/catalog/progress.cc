// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/progress.h"

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"

namespace weir::engine {

void RegisterProgressSettings(duckdb::DatabaseInstance& db) {
  auto& config = duckdb::DBConfig::GetConfig(db);
  config.AddExtensionOption(kTxnAppId,
                            "Application id that commits record with weir_txn_version; empty: none",
                            duckdb::LogicalType(duckdb::LogicalTypeId::VARCHAR), duckdb::Value(""));
  config.AddExtensionOption(kTxnVersion, "The application's version that commits record",
                            duckdb::LogicalType(duckdb::LogicalTypeId::BIGINT),
                            duckdb::Value::BIGINT(0));
}

std::optional<delta::SetTransaction> ProgressOf(duckdb::ClientContext& context) {
  duckdb::Value app_id;
  duckdb::Value version;
  if (!context.TryGetCurrentSetting(kTxnAppId, app_id) || app_id.IsNull()) return std::nullopt;
  const auto& id = duckdb::StringValue::Get(app_id);
  if (id.empty() || !context.TryGetCurrentSetting(kTxnVersion, version)) return std::nullopt;
  return delta::SetTransaction{id, version.GetValue<int64_t>(), std::nullopt};
}

}  // namespace weir::engine
