// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/http/http_client.h"

namespace weir::storage {

/// Adds the Authorization header of Azure's "Shared Key" scheme, over all headers that `request`
/// has: it must carry x-ms-date and x-ms-version. `account_key` is base64 as Azure shows it; one
/// that is no base64 gives a signature that the service refuses.
void SignSharedKey(HttpRequest& request, const std::string& account,
                   const std::string& account_key);

std::string Base64Encode(std::string_view bytes);
/// The bytes, or as many as are base64.
std::string Base64Decode(std::string_view text);

}  // namespace weir::storage
