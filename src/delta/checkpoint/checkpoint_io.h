// SPDX-License-Identifier: Apache-2.0
//
// How the Parquet files of a log (checkpoints and their sidecars) are read and written. `delta/`
// knows what they mean, `engine/` knows Parquet; this is all they say to each other. Reading goes
// by columns: only what is asked for is decoded, and rows reach the visitor as views into the
// decoded vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"
#include "storage/object_store.h"

namespace weir::delta {

class FileList;

/// A string pair of a map column; the value may be NULL.
struct MapEntryView {
  std::string_view key;
  std::optional<std::string_view> value;
};

struct DeletionVectorView {
  char storage_type = 'u';
  std::string_view path_or_inline_dv;
  std::optional<int32_t> offset;
  int32_t size_in_bytes = 0;
  int64_t cardinality = 0;
};

/// An add action as views: valid only during the call that hands it over.
struct AddView {
  std::string_view path;
  std::span<const MapEntryView> partition_values;  ///< "" stands for NULL too, as in the log.
  int64_t size = 0;
  int64_t modification_time = 0;
  bool data_change = true;
  std::string_view stats;  ///< JSON text; empty: none, or not asked for.
  std::optional<std::span<const MapEntryView>> tags;
  std::optional<DeletionVectorView> deletion_vector;
  std::optional<int64_t> base_row_id;
  std::optional<int64_t> default_row_commit_version;
  std::optional<std::string_view> clustering_provider;
};

/// Receives the rows of checkpoint files. A failure ends the reading and is handed on.
class CheckpointVisitor {
 public:
  virtual ~CheckpointVisitor() = default;
  virtual Status OnAdd(const AddView& add) = 0;
  virtual Status OnRemove(RemoveFile remove) = 0;
  /// Protocol, Metadata, SetTransaction, DomainMetadata, CheckpointMetadata or Sidecar.
  virtual Status OnAction(Action action) = 0;
};

/// Which rows and columns of a checkpoint are wanted.
struct CheckpointColumns {
  bool adds = false;
  /// With adds: the statistics as JSON text, made from stats_parsed where the file has no `stats`.
  bool stats = false;
  bool removes = false;
  bool other_actions = false;
};

/// What goes into one file. Pointers are not owned; null leaves the action out.
struct CheckpointContent {
  const Protocol* protocol = nullptr;
  const Metadata* metadata = nullptr;
  std::vector<const SetTransaction*> transactions;
  std::vector<const DomainMetadata*> domains;
  std::vector<Sidecar> sidecars;
  std::optional<CheckpointMetadata> checkpoint_metadata;
  /// The live files [first_file, last_file) of the list; its statistics are loaded if they go in.
  const FileList* files = nullptr;
  size_t first_file = 0;
  size_t last_file = 0;
  std::span<const RemoveFile> removes;
};

/// Which forms of the statistics and partition values a file holds.
struct CheckpointLayout {
  bool stats_as_json = true;
  /// The struct of `add.stats_parsed` (numRecords, minValues, ... with real types and physical
  /// names); null leaves it out.
  TypePtr stats_schema;
  /// The struct of `add.partitionValues_parsed`; null leaves it out. Its fields are in the order of
  /// the partition columns.
  TypePtr partition_schema;
  /// Whether the columns of protocol, metadata, txn, ... are in the file at all; a sidecar has
  /// none.
  bool other_actions = true;
};

/// Implementations are thread-safe.
class CheckpointIo {
 public:
  virtual ~CheckpointIo() = default;

  /// Reads Parquet files (parts of one checkpoint, or its sidecars) one after the other, rows in
  /// the files' order. A column that a file lacks
  /// reads as NULL. Partition values come from the map, else from partitionValues_parsed.
  /// Errors: kNotFound when a file is gone; kCorruptLog DELTA_CHECKPOINT_UNREADABLE names the file
  /// for anything that is no such Parquet file, is cut short, or lacks a required column; kIo.
  virtual Status Read(storage::ObjectStore& store, const std::vector<std::string>& paths,
                      const CheckpointColumns& columns, CheckpointVisitor& visitor) = 0;

  /// Reads the statistics alone, with the same order of adds as Read: `receive(n, json)` for the
  /// n-th add (json empty: none). With `stats_columns` only the members of those top-level columns
  /// (physical names) and numRecords need be in the text, which is much cheaper where the file has
  /// stats_parsed. Errors as Read.
  virtual Status ReadStats(storage::ObjectStore& store, const std::vector<std::string>& paths,
                           const std::optional<std::vector<std::string>>& stats_columns,
                           const std::function<Status(size_t, std::string_view)>& receive) = 0;

  /// The bytes of a Parquet file with these actions, in a form that Spark and delta-rs read.
  /// Errors: kIo, kInternal; those of loading the statistics.
  virtual Result<std::string> Write(const CheckpointContent& content,
                                    const CheckpointLayout& layout) = 0;
};

}  // namespace weir::delta
