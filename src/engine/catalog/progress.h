// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "delta/actions/actions.h"

namespace duckdb {
class ClientContext;
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Settings by which an application records its progress in the commits it makes: each holds a
/// `txn` action with this application id and version, and a commit conflicts with another writer's
/// for the same id. An empty id (the default) records nothing.
constexpr const char* kTxnAppId = "weir_txn_app_id";
constexpr const char* kTxnVersion = "weir_txn_version";

void RegisterProgressSettings(duckdb::DatabaseInstance& db);

/// What the settings of a session ask to be recorded.
std::optional<delta::SetTransaction> ProgressOf(duckdb::ClientContext& context);

}  // namespace weir::engine
