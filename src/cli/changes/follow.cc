// SPDX-License-Identifier: Apache-2.0
#include "cli/changes/follow.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "changes/arrow_ipc/ipc_writer.h"
#include "changes/change_stream.h"
#include "changes/debezium.h"
#include "changes/parquet_folder.h"
#include "changes/table_sink.h"
#include "cli/interrupt.h"
#include "cli/output/result_writer.h"
#include "delta/changes/offset_store.h"
#include "engine/result/arrow_stream.h"

namespace weir::cli {

using changes::ChangeStream;
using changes::ParquetFolder;
using changes::StreamBatch;
using changes::StreamStart;
using delta::Offset;
using delta::OffsetStore;

namespace {

// Where batches go.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Everything of the batch has left the process when this returns.
  virtual Status Write(engine::Session& session, const StreamBatch& batch) = 0;
  /// The stream has come to its end, not to an error.
  virtual void Finish() {}
  /// Where the stream goes on behind what is there, where the sink itself knows, else the
  /// beginning; nullopt when the sink is not there, so that a stream into it begins anew.
  virtual Result<std::optional<Offset>> Next() const { return Offset(); }
};

// Lines on stdout. One writer for the whole stream, so that CSV has one header.
class CsvSink final : public Sink {
 public:
  explicit CsvSink(Output& out) : out_(out), writer_(MakeResultWriter(OutputFormat::kCsv, out)) {}

  Status Write(engine::Session& session, const StreamBatch& batch) override {
    WEIR_ASSIGN_OR_RETURN(const auto result, session.Query(batch.sql));
    if (!begun_) writer_->Begin(result->columns());
    begun_ = true;
    while (!out_.failed()) {
      WEIR_ASSIGN_OR_RETURN(const bool more, result->NextBatch());
      if (!more) break;
      writer_->Batch(*result);
    }
    out_.Flush();
    return out_.status();
  }

 private:
  Output& out_;
  const std::unique_ptr<ResultWriter> writer_;
  bool begun_ = false;
};

class JsonLinesSink final : public Sink {
 public:
  JsonLinesSink(const FollowOptions& options, Output& out) : options_(options), out_(out) {}

  Status Write(engine::Session& session, const StreamBatch& batch) override {
    std::string sql = batch.sql;
    if (options_.format == "debezium") {
      WEIR_ASSIGN_OR_RETURN(sql, changes::DebeziumQuery(session, batch.sql, options_.table.text,
                                                        options_.keys, batch.is_snapshot));
    }
    WEIR_ASSIGN_OR_RETURN(const auto result, session.Query(sql));
    WEIR_RETURN_IF_ERROR(WriteResult(*result, OutputFormat::kJsonl, out_));
    return out_.status();
  }

 private:
  const FollowOptions& options_;
  Output& out_;
};

// One stream of Arrow IPC on stdout, for as long as the columns stay.
class ArrowSink final : public Sink {
 public:
  explicit ArrowSink(Output& out)
      : out_(out), writer_([this](std::string_view bytes) { out_.Write(bytes); }) {}

  Status Write(engine::Session& session, const StreamBatch& batch) override {
    ArrowArrayStream rows;
    WEIR_RETURN_IF_ERROR(engine::QueryArrow(session, batch.sql, &rows));
    const Status written = writer_.Write(rows);
    rows.release(&rows);
    out_.Flush();
    return written ? out_.status() : written;
  }
  void Finish() override { writer_.End(); }

 private:
  Output& out_;
  changes::ArrowIpcWriter writer_;
};

class ParquetSink final : public Sink {
 public:
  explicit ParquetSink(ParquetFolder folder) : folder_(std::move(folder)) {}

  Status Write(engine::Session& session, const StreamBatch& batch) override {
    return folder_.Write(session, batch);
  }
  Result<std::optional<Offset>> Next() const override {
    WEIR_ASSIGN_OR_RETURN(auto next, folder_.Next());
    return next;
  }

 private:
  ParquetFolder folder_;
};

class TableOutput final : public Sink {
 public:
  TableOutput(engine::Session& session, const FollowOptions& options)
      : options_(options), sink_(session, *options.into, options.consumer, options.keys) {}

  Status Write(engine::Session&, const StreamBatch& batch) override {
    return sink_.Write(options_.table, batch);
  }
  Result<std::optional<Offset>> Next() const override { return sink_.Next(); }
  Status CheckSource() const { return sink_.CheckSource(options_.table); }

 private:
  const FollowOptions& options_;
  changes::TableSink sink_;
};

Result<std::unique_ptr<Sink>> MakeSink(engine::Session& session, const FollowOptions& options,
                                       Output& out) {
  if (options.into) {
    auto table = std::make_unique<TableOutput>(session, options);
    WEIR_RETURN_IF_ERROR(table->CheckSource());
    return table;
  }
  if (options.format == "parquet") {
    WEIR_ASSIGN_OR_RETURN(auto folder, ParquetFolder::Open(options.output));
    return std::make_unique<ParquetSink>(std::move(folder));
  }
  if (options.format == "arrow") return std::make_unique<ArrowSink>(out);
  if (options.format == "csv") return std::make_unique<CsvSink>(out);
  return std::make_unique<JsonLinesSink>(options, out);
}

StreamStart StartOf(const std::string& from) {
  if (from.empty()) return {StreamStart::Kind::kSnapshot, {}};
  if (from == "earliest") return {StreamStart::Kind::kEarliest, {}};
  if (from == "latest") return {StreamStart::Kind::kLatest, {}};
  return {StreamStart::Kind::kBound, changes::BoundSql(from)};
}

// The offsets of one consumer; without a name nothing is kept.
class Consumer {
 public:
  static Result<Consumer> Open(const FollowOptions& options) {
    Consumer consumer;
    // A folder of Parquet files keeps its own.
    const bool is_folder = !options.into && options.format == "parquet";
    consumer.name_ = is_folder && options.consumer.empty() ? "follower" : options.consumer;
    if (consumer.name_.empty()) return consumer;
    const std::string place =
        is_folder ? storage::JoinPath(options.output, "_offsets") : options.offsets;
    WEIR_ASSIGN_OR_RETURN(consumer.store_, OffsetStore::Open(place));
    return consumer;
  }

  Result<std::optional<Offset>> Load() const {
    if (!store_) return std::nullopt;
    return store_->Load(name_);
  }
  Status Save(const Offset& offset) const {
    return store_ ? store_->Save(name_, offset) : Status();
  }

 private:
  std::string name_;
  std::optional<OffsetStore> store_;
};

// Ctrl-C ends a wait as well as a statement.
class StopSignal {
 public:
  void Stop() {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool stopped() const {
    std::lock_guard lock(mutex_);
    return stopped_;
  }
  void Wait(double seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return stopped_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

// The consumer's offset, or behind what the sink already holds: it was killed before it could save.
Result<std::optional<Offset>> ResumeAt(const Consumer& consumer, const Sink& sink) {
  WEIR_ASSIGN_OR_RETURN(auto offset, consumer.Load());
  WEIR_ASSIGN_OR_RETURN(auto next, sink.Next());
  if (!next || (!offset && *next == Offset())) return std::nullopt;
  if (offset && !offset->IsBefore(*next)) return offset;
  if (offset) next->table_id = offset->table_id;
  return next;
}

}  // namespace

Status Follow(const FollowOptions& options, engine::Session& session, Output& out) {
  StopSignal stop;
  const InterruptScope interrupt([&] {
    stop.Stop();
    session.Interrupt();
  });
  WEIR_ASSIGN_OR_RETURN(const auto sink, MakeSink(session, options, out));
  WEIR_ASSIGN_OR_RETURN(const Consumer consumer, Consumer::Open(options));
  WEIR_ASSIGN_OR_RETURN(const auto resume, ResumeAt(consumer, *sink));
  WEIR_ASSIGN_OR_RETURN(ChangeStream stream,
                        ChangeStream::Open(session,
                                           {options.table, StartOf(options.from), options.reading,
                                            options.max_files, options.max_bytes, options.max_rows},
                                           resume));
  std::optional<Offset> saved = resume;
  while (!stop.stopped()) {
    const auto batch = stream.Poll();
    if (!batch) return stop.stopped() ? Status() : Fail(batch.error());
    if (*batch) {
      const Status written = sink->Write(session, **batch);
      if (!written) return stop.stopped() ? Status() : written;
    }
    // Where a stream begins, and commits without changes, are remembered without a batch, too.
    if (saved != stream.offset()) WEIR_RETURN_IF_ERROR(consumer.Save(stream.offset()));
    saved = stream.offset();
    if (*batch) continue;
    if (options.available_now) break;
    stop.Wait(options.poll_seconds);
  }
  sink->Finish();
  return {};
}

}  // namespace weir::cli
