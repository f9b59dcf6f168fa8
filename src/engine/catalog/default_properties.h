// SPDX-License-Identifier: Apache-2.0
//
// Properties that every new table gets: the setting `weir_default_properties`, a map of text to
// text. Spark's `SET spark.databricks.delta.properties.defaults.<key> = <value>` adds to it.
#pragma once

#include "delta/actions/actions.h"

namespace duckdb {
class ClientContext;
struct DBConfig;
}  // namespace duckdb

namespace weir::engine {

/// Makes the setting known.
void RegisterDefaultProperties(duckdb::DBConfig& config);

/// The setting's value, normalised. Throws as delta::NormalizeProperties.
delta::StringMap DefaultProperties(duckdb::ClientContext& context);

}  // namespace weir::engine
