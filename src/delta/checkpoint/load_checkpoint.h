// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/file_replay.h"
#include "delta/snapshot/log_listing.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// What a checkpoint says of a version.
struct CheckpointState {
  std::vector<FilePart> files;
  Protocol protocol;
  Metadata metadata;
  std::vector<SetTransaction> transactions;
  std::vector<DomainMetadata> domains;
  /// Tombstones of a JSON checkpoint; those of Parquet files are still in `parquet_files`.
  std::shared_ptr<const std::vector<RemoveFile>> removes;
  /// The files that hold adds and removes: parts, or sidecars.
  std::vector<std::string> parquet_files;
};

/// Loads a checkpoint of any kind (classic, multi-part, V2 with or without sidecars, JSON or
/// Parquet). The statistics of small ones are read at once, those of large ones when they are asked
/// for. Errors: kNotFound when a file of it is gone; kCorruptLog DELTA_CHECKPOINT_UNREADABLE names
/// the file and what is wrong (unreadable, protocol or metadata missing, another version, files
/// both inline and in sidecars): in both cases an older checkpoint may serve. kIo; kInternal for
/// Parquet without a CheckpointIo.
Result<CheckpointState> LoadCheckpoint(const TableLog& log, const CheckpointFiles& checkpoint);

/// The remove actions in Parquet files of a checkpoint. Errors as LoadCheckpoint.
Result<std::vector<RemoveFile>> LoadCheckpointRemoves(
    const TableLog& log, const std::vector<std::string>& parquet_files);

}  // namespace weir::delta
