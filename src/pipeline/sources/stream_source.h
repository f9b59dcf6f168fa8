// SPDX-License-Identifier: Apache-2.0
//
// A stream is a source that grows. What a batch takes of it is an offset: a small JSON value that
// is written into the flow's checkpoint before the batch runs, and that says exactly what to read
// when the batch must be run again. All that a source knows of the past comes from replaying the
// offsets of the checkpoint, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "pipeline/flows/sql_type.h"

namespace weir::pipeline {

/// Not thread-safe.
class StreamSource {
 public:
  virtual ~StreamSource() = default;

  /// Names the source inside its flow's checkpoint: "files:/data/in", "table:lake.main.events".
  virtual const std::string& key() const = 0;

  /// Takes an offset of the past into account. Errors: kCorruptLog WEIR_CHECKPOINT_MALFORMED.
  virtual Status Replay(const JsonValue& offset) = 0;
  /// One offset that stands for all that were replayed.
  virtual JsonValue Compact() const = 0;

  /// The next piece of the stream, or nullopt when there is nothing new. It is not taken before it
  /// is replayed.
  virtual Result<std::optional<JsonValue>> Plan() = 0;

  /// The columns of the stream as far as they are known from the past and from the planned offset.
  /// Errors: kInvalidArgument when nothing tells.
  virtual Result<std::vector<Column>> Columns(const std::optional<JsonValue>& planned) = 0;

  /// SQL that reads one offset, with exactly the columns that Columns gives.
  virtual Result<std::string> Read(const JsonValue& offset) = 0;

  /// What another engine must know to read one offset: {"files": [{"path", "format"}...],
  /// "options": {...}, "debezium": bool}, or {"table": folder, "from", "to", "feed": bool} as in
  /// TableSource.
  virtual Result<JsonValue> Describe(const JsonValue& offset) = 0;

  /// Writes the records of an offset that cannot be read into a file called `name`, when the source
  /// has a place for them, and returns how many there are. Read leaves them out.
  virtual Result<int64_t> SetAside(const JsonValue& offset, const std::string& name) {
    (void)offset, (void)name;
    return int64_t{0};
  }

  /// How many files an offset takes; 0 for tables.
  virtual int64_t CountFiles(const JsonValue& offset) const = 0;
  /// How many files the last Plan saw and left for later; 0 for tables.
  virtual int64_t backlog() const { return 0; }
};

/// SELECT of no rows with these columns.
std::string EmptyRelation(const std::vector<Column>& columns);

}  // namespace weir::pipeline
