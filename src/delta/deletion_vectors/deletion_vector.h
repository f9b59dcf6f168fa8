// SPDX-License-Identifier: Apache-2.0
//
// Deletion vectors where they are stored: inline in the log, or several in one file (protocol
// sections "Deletion Vectors" and "Deletion Vector File Storage Format").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/deletion_vectors/row_bitmap.h"
#include "storage/object_store.h"

namespace weir::delta {

/// The place of a vector's file in the store, for storage types 'u' and 'p'. `root` is the table's
/// folder. A 'p' path may lie outside of the table (shallow clones); see IsWithinTable. Errors:
/// kCorruptLog DELTA_DELETION_VECTOR_MALFORMED for an unknown storage type, an inline vector, a
/// text that is no UUID or a prefix that names another folder.
Result<std::string> DeletionVectorPath(std::string_view root,
                                       const DeletionVectorDescriptor& descriptor);

/// Reads the rows of a vector and checks size, checksum, content and cardinality.
/// Errors: kCorruptLog DELTA_DELETION_VECTOR_SIZE_MISMATCH,
/// DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH, DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH,
/// DELTA_DELETION_VECTOR_MALFORMED, each naming the vector; kNotFound, kIo of the store. Any input
/// is safe.
Result<RowBitmap> ReadDeletionVector(storage::ObjectStore& store, std::string_view root,
                                     const DeletionVectorDescriptor& descriptor);

/// Collects the vectors of one commit and writes them as one file. Descriptors are final at once,
/// the file exists when Finish() has succeeded. Not thread-safe; `store` must outlive it.
class DeletionVectorWriter {
 public:
  /// `prefix`: a folder below the table for the file (delta.randomizeFilePrefixes), or empty.
  DeletionVectorWriter(storage::ObjectStore& store, std::string root, std::string prefix = {});

  /// Packs a vector. Errors: kInvalidArgument DELTA_DELETION_VECTOR_TOO_LARGE when the file would
  /// leave the 2 GiB that offsets can address.
  Result<DeletionVectorDescriptor> Add(const RowBitmap& rows);

  /// Writes the file, if there is any vector. Errors of the store.
  Status Finish();

  /// Where the file is or will be, for a clean-up after a failed commit.
  const std::string& path() const { return path_; }

 private:
  storage::ObjectStore& store_;
  std::string path_;
  std::string encoded_id_;
  std::string data_;
};

}  // namespace weir::delta
