// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "base/result.h"
#include "changes/change_stream.h"
#include "engine/result/arrow_stream.h"
#include "weir/change_stream.h"

namespace weir {
namespace {

StreamStatus ToPublic(const Error& error) { return {error.name, error.message}; }

changes::StreamStart StartOf(const std::string& start) {
  using Kind = changes::StreamStart::Kind;
  if (start.empty()) return {Kind::kSnapshot, {}};
  if (start == "earliest") return {Kind::kEarliest, {}};
  if (start == "latest") return {Kind::kLatest, {}};
  return {Kind::kBound, changes::BoundSql(start)};
}

changes::FeedReading ReadingOf(ChangeStreamOptions::Source source) {
  using Kind = changes::FeedReading::Kind;
  changes::FeedReading reading;
  if (source == ChangeStreamOptions::Source::kRowIds) reading.kind = Kind::kRowIds;
  if (source == ChangeStreamOptions::Source::kAppends) reading.kind = Kind::kAppends;
  return reading;
}

class PublicChangeStream final : public ChangeStream {
 public:
  static Result<std::unique_ptr<ChangeStream>> Open(const ChangeStreamOptions& options) {
    std::unique_ptr<PublicChangeStream> stream(new PublicChangeStream);
    WEIR_ASSIGN_OR_RETURN(stream->database_, engine::Database::Open());
    WEIR_ASSIGN_OR_RETURN(stream->session_, stream->database_->Connect());
    if (!options.warehouse.empty())
      WEIR_RETURN_IF_ERROR(stream->session_->AttachWarehouse(options.warehouse, "lake"));
    stream->consumer_ = options.consumer;
    std::optional<delta::Offset> resume;
    if (!options.consumer.empty()) {
      WEIR_ASSIGN_OR_RETURN(stream->offsets_, delta::OffsetStore::Open(options.offsets));
      WEIR_ASSIGN_OR_RETURN(resume, stream->offsets_->Load(options.consumer));
    }
    changes::StreamOptions inner;
    inner.table = {options.table,
                   options.warehouse.empty() || options.table.find('/') != std::string::npos};
    inner.start = StartOf(options.start);
    inner.reading = ReadingOf(options.source);
    inner.max_files = options.max_files;
    inner.max_bytes = options.max_bytes;
    if (options.max_rows > 0) inner.max_rows = options.max_rows;
    WEIR_ASSIGN_OR_RETURN(auto opened,
                          changes::ChangeStream::Open(*stream->session_, std::move(inner), resume));
    stream->delivered_ = opened.offset();
    stream->stream_.emplace(std::move(opened));
    return std::unique_ptr<ChangeStream>(std::move(stream));
  }

  StreamStatus Next(ChangeBatch* batch, ArrowArrayStream* rows) override {
    *batch = {};
    // A batch whose query could not begin is not lost.
    if (!waiting_) {
      auto polled = stream_->Poll();
      if (!polled) return ToPublic(polled.error());
      delivered_ = stream_->offset();
      if (!*polled) return {};
      waiting_ = std::move(**polled);
    }
    const Status begun = engine::QueryArrow(*session_, waiting_->sql, rows);
    if (!begun) return ToPublic(begun.error());
    *batch = {true, waiting_->is_snapshot, waiting_->first, waiting_->last};
    waiting_.reset();
    return {};
  }

  StreamStatus Commit() override {
    if (!offsets_ || waiting_) return {};
    const Status saved = offsets_->Save(consumer_, delivered_);
    return saved ? StreamStatus() : ToPublic(saved.error());
  }

  int64_t next_version() const override {
    return waiting_ ? waiting_->first : delivered_.next_version;
  }

 private:
  PublicChangeStream() = default;

  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
  std::optional<changes::ChangeStream> stream_;
  std::string consumer_;
  std::optional<delta::OffsetStore> offsets_;
  delta::Offset delivered_;
  std::optional<changes::StreamBatch> waiting_;
};

}  // namespace

StreamStatus ChangeStream::Open(const ChangeStreamOptions& options,
                                std::unique_ptr<ChangeStream>* stream) {
  auto opened = PublicChangeStream::Open(options);
  if (!opened) return ToPublic(opened.error());
  *stream = std::move(*opened);
  return {};
}

}  // namespace weir
