// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/default_properties.h"

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"

#include "delta/features/properties.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {
constexpr const char* kDefaultProperties = "weir_default_properties";
}

void RegisterDefaultProperties(duckdb::DBConfig& config) {
  const auto text = duckdb::LogicalType::VARCHAR;
  config.AddExtensionOption(kDefaultProperties, "Properties that every new Delta table gets",
                            duckdb::LogicalType::MAP(text, text),
                            duckdb::Value::MAP(text, text, {}, {}));
}

delta::StringMap DefaultProperties(duckdb::ClientContext& context) {
  duckdb::Value setting;
  if (!context.TryGetCurrentSetting(kDefaultProperties, setting) || setting.IsNull()) return {};
  delta::StringMap properties;
  for (const auto& entry : duckdb::MapValue::GetChildren(setting)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    if (!pair[1].IsNull()) properties[pair[0].ToString()] = pair[1].ToString();
  }
  return OrThrow(delta::NormalizeProperties(properties));
}

}  // namespace weir::engine
