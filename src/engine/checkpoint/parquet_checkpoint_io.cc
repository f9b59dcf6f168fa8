// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/parquet_checkpoint_io.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "engine/checkpoint/checkpoint_database.h"
#include "engine/checkpoint/checkpoint_reader.h"
#include "engine/checkpoint/checkpoint_rows.h"

namespace weir::engine {
namespace {

// DuckDB's own complaint about a file means that the file is no good; errors of ours stay as they
// are.
Error AboutFile(Error error, const std::string& path) {
  const bool is_ours = StartsWith(error.name, "DELTA_") || StartsWith(error.name, "WEIR_");
  if (!is_ours || error.name == "WEIR_SQL_ERROR") {
    error.kind = ErrorKind::kCorruptLog;
    error.name = "DELTA_CHECKPOINT_UNREADABLE";
    // Where in our own query is nothing to the user.
    error.message.resize(std::min(error.message.find("\n\nLINE "), error.message.size()));
  }
  return error.WithContext(path);
}

class ParquetCheckpoints final : public delta::CheckpointIo {
 public:
  Status Read(storage::ObjectStore& store, const std::vector<std::string>& paths,
              const delta::CheckpointColumns& columns, delta::CheckpointVisitor& visitor) override {
    for (const auto& path : paths) {
      auto read = database_.Run([&](const CheckpointDatabase::Work& work) {
        RegisteredFile file(work.files, work.files.RegisterObject(store, path));
        CheckpointReader(work.connection, file.name()).Read(columns, visitor);
      });
      if (!read) return Fail(AboutFile(read.error(), path));
    }
    return {};
  }

  Status ReadStats(storage::ObjectStore& store, const std::vector<std::string>& paths,
                   const std::optional<std::vector<std::string>>& stats_columns,
                   const std::function<Status(size_t, std::string_view)>& receive) override {
    size_t next = 0;
    for (const auto& path : paths) {
      auto read = database_.Run([&](const CheckpointDatabase::Work& work) {
        RegisteredFile file(work.files, work.files.RegisterObject(store, path));
        next =
            CheckpointReader(work.connection, file.name()).ReadStats(stats_columns, next, receive);
      });
      if (!read) return Fail(AboutFile(read.error(), path));
    }
    return {};
  }

  Result<std::string> Write(const delta::CheckpointContent& content,
                            const delta::CheckpointLayout& layout) override {
    std::string bytes;
    WEIR_RETURN_IF_ERROR(database_.Run([&](const CheckpointDatabase::Work& work) {
      RegisteredFile file(work.files, work.files.RegisterBuffer("checkpoint.parquet"));
      // Rows come from several threads; their order means nothing.
      auto set = work.connection.Query("SET preserve_insertion_order=false");
      if (set->HasError()) set->ThrowError();
      auto result = work.connection.Query(
          "COPY (SELECT * FROM " + CheckpointRowsSql(content, layout) + ") TO " +
          QuoteLiteral(file.name()) + " (FORMAT parquet, COMPRESSION snappy, USE_TMP_FILE false)");
      if (result->HasError()) result->ThrowError();
      bytes = work.files.TakeBuffer(file.name());
    }));
    return bytes;
  }

 private:
  CheckpointDatabase database_;
};

}  // namespace

std::shared_ptr<delta::CheckpointIo> ParquetCheckpointIo() {
  // Never destroyed: at the end of the process DuckDB's own statics may go first.
  static const auto* const kShared =
      new std::shared_ptr<delta::CheckpointIo>(std::make_shared<ParquetCheckpoints>());
  return *kShared;
}

}  // namespace weir::engine
