// SPDX-License-Identifier: Apache-2.0
//
// One seam for all input and output of the log. Delta needs little of a store: read an object, list
// a folder in order, write an object whole, and write one only if it is not there yet. The last is
// what makes a commit atomic; a store that cannot promise it cannot be written to safely.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::storage {

/// What a listing or Head tells about one object.
struct ObjectInfo {
  std::string path;           ///< The full path or URL, in the same form as the request's.
  int64_t size = 0;           ///< Bytes.
  int64_t modified_ms = 0;    ///< Last modification, milliseconds since the epoch.
  bool is_directory = false;  ///< Only ListDirectory returns these.
};

/// A store of objects named by full paths: `/data/t/_delta_log/0.json` or `s3://bucket/t/...`.
/// Paths are plain (not percent-encoded). Implementations are thread-safe.
///
/// Errors of every call: kNotFound WEIR_OBJECT_NOT_FOUND, kIo WEIR_IO_ERROR (denied, full,
/// time-out), kStateUnknown WEIR_WRITE_STATE_UNKNOWN (a write whose reply was lost: it may have
/// happened).
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// The whole object.
  virtual Result<std::string> Get(const std::string& path) = 0;

  /// `length` bytes from `offset`; a shorter object is an error (kIo), never a short answer.
  virtual Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) = 0;

  virtual Result<ObjectInfo> Head(const std::string& path) = 0;

  /// The objects directly in `directory` (no folders), sorted by name in byte order. With
  /// `start_after` (a bare name) only names greater than it. A folder that does not exist gives an
  /// empty list: object stores know no folders.
  virtual Result<std::vector<ObjectInfo>> List(const std::string& directory,
                                               std::string_view start_after = {}) = 0;

  /// Objects and folders directly in `directory`, sorted by name.
  virtual Result<std::vector<ObjectInfo>> ListDirectory(const std::string& directory) = 0;

  /// All objects below `directory`, at any depth, sorted by path. Follows no symbolic links.
  virtual Result<std::vector<ObjectInfo>> ListRecursive(const std::string& directory) = 0;

  /// Writes the object whole or not at all; replaces an old one. Missing folders are made.
  virtual Status Put(const std::string& path, std::string_view data) = 0;

  /// Writes the object only if none has this name: of any number of racing callers exactly one
  /// succeeds, the others get kAlreadyExists WEIR_OBJECT_ALREADY_EXISTS. Durable when it returns.
  virtual Status PutIfAbsent(const std::string& path, std::string_view data) = 0;

  /// Deletes an object; one that is already gone is no error.
  virtual Status Delete(const std::string& path) = 0;

  /// Deletes a folder and all below it, where the store has folders; absent is no error.
  virtual Status DeleteRecursive(const std::string& directory) = 0;
};

/// A store for the scheme of `url`: a plain path or `file:` is the local file system, `memory://`
/// one store in memory that the whole process shares. Errors: kInvalidArgument
/// WEIR_UNSUPPORTED_SCHEME names the scheme and those that are known.
Result<std::shared_ptr<ObjectStore>> OpenStore(std::string_view url);

/// The plain path or URL under which a store knows `url`: `file:///a/b/` becomes `/a/b`, a relative
/// path becomes absolute (from the working directory), trailing slashes go. A path is taken as it
/// is, as Hadoop does: no percent-decoding, also behind `file:`. Schemes become lower case.
std::string NormalizeLocation(std::string_view url);

/// `base` and `relative` with exactly one slash between.
std::string JoinPath(std::string_view base, std::string_view relative);

/// The part behind the last slash.
std::string_view BaseName(std::string_view path);

}  // namespace weir::storage
