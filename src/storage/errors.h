// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weir::storage {

/// The errors that every store raises, so that all stores word them alike.

inline Error ObjectNotFound(std::string_view path) {
  return NotFound("WEIR_OBJECT_NOT_FOUND", "no object at '" + std::string(path) + "'");
}

inline Error ObjectAlreadyExists(std::string_view path) {
  return AlreadyExists("WEIR_OBJECT_ALREADY_EXISTS",
                       "an object is already at '" + std::string(path) + "'");
}

/// `action` is what was tried ("read", "write"), `reason` what the system says.
inline Error StoreFailed(std::string_view action, std::string_view path, std::string_view reason) {
  return IoError("WEIR_IO_ERROR", "cannot " + std::string(action) + " '" + std::string(path) +
                                      "': " + std::string(reason));
}

inline Error WriteStateUnknown(std::string_view path, std::string_view reason) {
  return StateUnknown("WEIR_WRITE_STATE_UNKNOWN",
                      "the write of '" + std::string(path) +
                          "' may or may not have happened: " + std::string(reason));
}

/// What a store without listings answers; readers that can do without one look for this name.
inline constexpr std::string_view kListingUnsupported = "WEIR_LISTING_UNSUPPORTED";

/// A range that the object does not hold.
inline Error RangeNotSatisfiable(std::string_view path, int64_t offset, int64_t length,
                                 int64_t available) {
  return StoreFailed("read", path,
                     "wanted " + std::to_string(length) + " bytes from offset " +
                         std::to_string(offset) + ", but the object ends after " +
                         std::to_string(available) + " bytes");
}

}  // namespace weir::storage
