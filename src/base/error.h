// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// What a caller may do about an error. The kind, never the text, decides behaviour.
enum class ErrorKind {
  kInvalidArgument,    ///< The request is wrong: bad SQL, bad option, unknown column. Do not retry.
  kNotFound,           ///< A table, version, file or object is absent.
  kAlreadyExists,      ///< Put-if-absent lost, or a table is already there.
  kConflictRetryable,  ///< Another writer won, and this transaction may rebase and try again.
  kConflictFinal,      ///< Another writer's commit contradicts what this transaction has read.
  kStateUnknown,  ///< The reply was lost: the write may or may not have happened. Never clean up.
  kUnsupportedFeature,  ///< The table needs a feature that this build does not honour.
  kConstraintViolated,  ///< A row breaks NOT NULL, CHECK, an invariant or the append-only rule.
  kCorruptLog,  ///< The log, a checkpoint, a vector or a data file contradicts the protocol.
  kIo,          ///< The store failed: full disk, denied, time-out.
  kInternal,    ///< A fault of Weir itself.
};

/// The stable spelling of a kind, e.g. "conflict-retryable", for logs and tests.
std::string_view ToString(ErrorKind kind);

/// A failure as a value. `name` is the class that Delta and Spark users search for
/// (`DELTA_TABLE_NOT_FOUND`, `AUTOCDC_EMPTY_KEYS`), or a `WEIR_...` name where the peers have none.
/// `message` says which table, version, file and column, what was found, what was expected and what
/// to do. Copyable and thread-compatible.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string name;
  std::string message;
  /// Five-character SQLSTATE, or empty where none is defined.
  std::string sqlstate;

  /// "[NAME] message", with " (SQLSTATE: x)" behind it where one is known.
  std::string ToString() const;

  /// The same error with `context` and ": " before its message.
  Error WithContext(std::string_view context) const;
};

inline Error InvalidArgument(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kInvalidArgument, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error NotFound(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kNotFound, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error AlreadyExists(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kAlreadyExists, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error ConflictRetryable(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kConflictRetryable, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error ConflictFinal(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kConflictFinal, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error StateUnknown(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kStateUnknown, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error UnsupportedFeature(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kUnsupportedFeature, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error ConstraintViolated(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kConstraintViolated, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error CorruptLog(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kCorruptLog, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error IoError(std::string name, std::string message, std::string sqlstate = {}) {
  return {ErrorKind::kIo, std::move(name), std::move(message), std::move(sqlstate)};
}
inline Error InternalError(std::string message) {
  return {ErrorKind::kInternal, "WEIR_INTERNAL_ERROR", std::move(message), "XX000"};
}

}  // namespace weir
