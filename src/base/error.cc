// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace weir {

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return "invalid-argument";
    case ErrorKind::kNotFound:
      return "not-found";
    case ErrorKind::kAlreadyExists:
      return "already-exists";
    case ErrorKind::kConflictRetryable:
      return "conflict-retryable";
    case ErrorKind::kConflictFinal:
      return "conflict-final";
    case ErrorKind::kStateUnknown:
      return "state-unknown";
    case ErrorKind::kUnsupportedFeature:
      return "unsupported-feature";
    case ErrorKind::kConstraintViolated:
      return "constraint-violated";
    case ErrorKind::kCorruptLog:
      return "corrupt-log";
    case ErrorKind::kIo:
      return "io";
    case ErrorKind::kInternal:
      return "internal";
  }
  return "internal";
}

std::string Error::ToString() const {
  std::string text = "[" + name + "] " + message;
  if (!sqlstate.empty()) text += " (SQLSTATE: " + sqlstate + ")";
  return text;
}

Error Error::WithContext(std::string_view context) const {
  Error result = *this;
  result.message = std::string(context) + ": " + message;
  return result;
}

}  // namespace weir
