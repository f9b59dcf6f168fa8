// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "changes/change_stream.h"
#include "storage/object_store.h"

namespace weir::changes {

/// A folder of Parquet files, one for each batch of a stream, named for its versions:
/// `changes-FIRST-LAST.parquet`, `snapshot-VERSION.parquet`, and where a batch is a part of its
/// version, with `-files-FIRST-LAST` before the ending. On a disk a file is written in the
/// folder `_unfinished`; it appears whole or not at all, and the names say how far the stream has
/// come, so that each change is in the folder exactly once wherever its writer was killed.
class ParquetFolder {
 public:
  /// A folder, made when it is not there, or the URL of one on an object store. Errors:
  /// kInvalidArgument WEIR_UNSUPPORTED_SCHEME, kIo WEIR_OUTPUT_FAILED.
  static Result<ParquetFolder> Open(const std::string& directory);

  /// Where the stream goes on behind the last file; the beginning when there is none.
  Result<Offset> Next() const;

  Status Write(engine::Session& session, const StreamBatch& batch) const;

 private:
  ParquetFolder(std::shared_ptr<storage::ObjectStore> store, std::string directory, bool is_remote)
      : store_(std::move(store)), directory_(std::move(directory)), is_remote_(is_remote) {}

  std::shared_ptr<storage::ObjectStore> store_;
  std::string directory_;
  bool is_remote_;
};

}  // namespace weir::changes
