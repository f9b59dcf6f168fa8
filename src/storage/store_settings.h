// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/object_store.h"

namespace weir::storage {

/// What a caller knows about the access to a store, by the names that DuckDB's secrets use:
///
///   S3 and GCS: key_id, secret, session_token, bearer_token, region, endpoint, url_style (path or
///               vhost), use_ssl (true or false)
///   Azure:      account_name, account_key, sas_token, bearer_token, endpoint, connection_string
///
/// What is not given comes from the environment (see OpenS3Store, OpenAzureStore). Values are
/// secrets: they are never put into a message.
using StoreSettings = std::map<std::string, std::string>;

/// The setting, or empty where it is not given.
std::string SettingOf(const StoreSettings& settings, const std::string& name);

/// As OpenStore(url), with what the caller knows. Settings for a local store are ignored. Errors
/// also: kInvalidArgument WEIR_INVALID_STORE_SETTING for a bad value, WEIR_INVALID_LOCATION for a
/// URL without a bucket or container.
Result<std::shared_ptr<ObjectStore>> OpenStore(std::string_view url, const StoreSettings& settings);

}  // namespace weir::storage
