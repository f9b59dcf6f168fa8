// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace weir::storage {

/// The scheme of a URL as it is written there: "s3" of `s3://bucket/t`, "file" of `file:/t`. Empty
/// for a plain path, also for one with a colon in a name (`/data/a:b`, `ts=12:30`).
std::string_view SchemeOf(std::string_view url);

/// What of `path` is below `root`, without slashes at its start; empty when nothing is.
std::string KeyBelow(std::string_view root, std::string_view path);

/// The error of a path that a store with this root does not hold.
Error NotInStore(std::string_view root, std::string_view path);

/// Whether `path` is `root` or below it.
bool IsBelow(std::string_view root, std::string_view path);

}  // namespace weir::storage
