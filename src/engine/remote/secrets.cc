// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/secrets.h"

#include "duckdb/catalog/catalog_transaction.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/secret/secret.hpp"
#include "duckdb/main/secret/secret_manager.hpp"

#include "base/text.h"
#include "storage/remote_store.h"
#include "storage/store_settings.h"

namespace weir::engine {
namespace {

constexpr const char* kSettings[] = {
    "key_id",       "secret",      "session_token",     "bearer_token",
    "region",       "endpoint",    "url_style",         "use_ssl",
    "account_name", "account_key", "connection_string", "sas_token",
    "access_token",
};

std::string SecretTypeOf(const std::string& url) {
  if (StartsWith(url, "s3")) return "s3";
  return StartsWith(url, "g") ? "gcs" : "azure";
}

}  // namespace

Result<std::shared_ptr<storage::ObjectStore>> OpenStore(duckdb::DatabaseInstance& db,
                                                        const std::string& url) {
  storage::StoreSettings settings;
  // Web servers are asked by nobody in particular.
  if (storage::IsRemoteLocation(url) && !StartsWith(url, "http")) {
    auto match = duckdb::SecretManager::Get(db).LookupSecret(
        duckdb::CatalogTransaction::GetSystemTransaction(db), url, SecretTypeOf(url));
    if (match.HasMatch()) {
      const auto& secret = dynamic_cast<const duckdb::KeyValueSecret&>(match.GetSecret());
      for (const char* name : kSettings) {
        const auto value = secret.TryGetValue(name);
        if (!value.IsNull() && !value.ToString().empty()) settings[name] = value.ToString();
      }
    }
  }
  return storage::OpenStore(url, settings);
}

}  // namespace weir::engine
