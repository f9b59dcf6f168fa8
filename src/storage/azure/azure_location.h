// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/store_settings.h"

namespace weir::storage {

/// Where requests for a container go, and what `settings` and the environment say of the access.
struct AzureEndpoint {
  std::string account;
  std::string container;
  std::string root;      ///< "abfss://container@account.dfs.core.windows.net", as callers write it.
  std::string base_url;  ///< With the container, without a slash at the end.
  std::string account_key;  ///< Base64; empty: another way in.
  std::string sas_token;    ///< Without a question mark.
  std::string bearer_token;

  /// `abfss://container@account.dfs.core.windows.net`, `wasbs://...`, or `az://container`, whose
  /// account is in the settings or the environment: AZURE_STORAGE_CONNECTION_STRING,
  /// AZURE_STORAGE_ACCOUNT, AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_ENDPOINT (of
  /// an emulator: with the account as the first part of the path). Errors: kInvalidArgument
  /// WEIR_INVALID_LOCATION without a container or an account.
  static Result<AzureEndpoint> Resolve(std::string_view url, const StoreSettings& settings);

  std::string KeyOf(std::string_view path) const;
  std::string PathOf(std::string_view key) const;
  /// The URL of a key (the container itself: empty), with `query` and the SAS token.
  std::string UrlOf(std::string_view key,
                    const std::map<std::string, std::string>& query = {}) const;
};

}  // namespace weir::storage
