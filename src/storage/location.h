// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace weir::storage {

/// The scheme of a URL as it is written there: "s3" of `s3://bucket/t`, "file" of `file:/t`. Empty
/// for a plain path, also for one with a colon in a name (`/data/a:b`, `ts=12:30`).
std::string_view SchemeOf(std::string_view url);

}  // namespace weir::storage
