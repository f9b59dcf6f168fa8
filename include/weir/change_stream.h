// SPDX-License-Identifier: Apache-2.0
//
// What changed in a Delta table, as a stream of Arrow record batches.
//
//   weir::ChangeStreamOptions options;
//   options.table = "/data/lake/orders";
//   options.consumer = "audit";
//   std::unique_ptr<weir::ChangeStream> stream;
//   weir::StreamStatus status = weir::ChangeStream::Open(options, &stream);
//   while (status.ok()) {
//     ArrowArrayStream rows;
//     weir::ChangeBatch batch;
//     status = stream->Next(&batch, &rows);
//     if (!status.ok() || !batch.has_rows) break;  // nothing new: ask again later
//     ... read rows, then rows.release(&rows) ...
//     status = stream->Commit();
//   }
//
// The table may be written by anyone (Spark, delta-rs, Weir) at the same time. Batches consist of
// commits in their order; large commits that only add rows, and the rows that a stream begins with,
// come in parts. The columns are the table's, then `_change_type` (insert, delete,
// update_preimage, update_postimage), `_commit_version` (int64) and `_commit_timestamp` (timestamp
// in microseconds, UTC).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "weir/export.h"

struct ArrowArrayStream;

namespace weir {

/// The outcome of a call. Copyable.
class StreamStatus {
 public:
  /// It went well.
  StreamStatus() = default;
  StreamStatus(std::string name, std::string message)
      : name_(std::move(name)), message_(std::move(message)) {}

  bool ok() const { return name_.empty(); }
  /// The error's name as Delta and Spark call it, e.g. "DELTA_TABLE_NOT_FOUND"; empty when ok.
  const std::string& name() const { return name_; }
  /// What was found, what was expected, what to do.
  const std::string& message() const { return message_; }

 private:
  std::string name_;
  std::string message_;
};

struct ChangeStreamOptions {
  /// How changes are found.
  enum class Source {
    kChangeDataFeed,  ///< delta.enableChangeDataFeed must be on.
    kRowIds,          ///< delta.enableRowTracking must be on.
    kAppends,         ///< The rows of added files; a commit that takes rows away is an error.
  };

  /// A path or URL; with a warehouse, the name of a table in it ("orders", "shop.orders").
  std::string table;
  /// A folder of Delta tables; empty for none.
  std::string warehouse;
  /// Where a stream begins that has no offset: empty for the rows that are there as inserts and
  /// then what changes, "earliest", "latest", a version, or a timestamp ("2024-01-31 12:00:00",
  /// UTC).
  std::string start;
  Source source = Source::kChangeDataFeed;

  /// The name under which Commit keeps how far the stream has come; empty: nothing is kept.
  std::string consumer;
  /// The folder of the consumers' offsets, a path or URL.
  std::string offsets = ".weir/offsets";

  /// A batch ends before the commit (or file, where a commit comes in parts) with which it would
  /// read more; it has at least one.
  int64_t max_files = 1000;
  int64_t max_bytes = int64_t{1} << 30;
  /// 0: no bound. Where the log does not tell how many rows changed, they are counted.
  int64_t max_rows = 0;
};

/// What Next found.
struct ChangeBatch {
  bool has_rows = false;     ///< False: there is nothing new.
  bool is_snapshot = false;  ///< The table's rows at last_version, as inserts.
  int64_t first_version = 0;
  int64_t last_version = 0;
};

/// Pulls batches. One thread at a time.
class WEIR_EXPORT ChangeStream {
 public:
  /// Opens a stream where its consumer left off, else at `options.start`. On success `*stream` is
  /// the caller's; else it is untouched. Errors, among others: DELTA_TABLE_NOT_FOUND,
  /// DELTA_CDC_START_VERSION_AFTER_LATEST, DELTA_TIMESTAMP_INVALID, WEIR_CONSUMER_NAME_INVALID,
  /// WEIR_OFFSET_MALFORMED, DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE for the offset of a
  /// table that was made anew.
  static StreamStatus Open(const ChangeStreamOptions& options,
                           std::unique_ptr<ChangeStream>* stream);

  virtual ~ChangeStream() = default;
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  /// Finds the next batch with changes. With one, `rows` is filled: the caller reads it, and
  /// releases it before the next call on this stream; it may outlive the stream. Without one,
  /// `rows` is untouched. Looking costs one question to the store. Errors, all before the first
  /// row: DELTA_MISSING_CHANGE_DATA, DELTA_CHANGE_DATA_FILE_NOT_FOUND, DELTA_VERSION_NOT_FOUND;
  /// DELTA_SCHEMA_CHANGED_WITH_VERSION when the columns have changed: a stream that is opened anew
  /// goes on with the new ones. After an error the same batch comes again.
  virtual StreamStatus Next(ChangeBatch* batch, ArrowArrayStream* rows) = 0;

  /// Keeps, for the consumer, that all batches so far were delivered; does nothing without one.
  /// Whoever stops before it gets them again. Errors: WEIR_IO_ERROR.
  virtual StreamStatus Commit() = 0;

  /// The first version that no batch has given yet, or not wholly.
  virtual int64_t next_version() const = 0;

 protected:
  ChangeStream() = default;
};

}  // namespace weir
