// SPDX-License-Identifier: Apache-2.0
//
// Rows into data files (and change data files): routed by partition, cut at the target size, with
// statistics. One writer serves all threads of a statement; a partition has one open file, to which
// threads add row groups that they encode in parallel, so a statement makes no more files than its
// data needs.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "duckdb/common/types/column/column_data_collection.hpp"

#include "delta/actions/actions.h"
#include "engine/write/parquet_file.h"
#include "engine/write/statistics_collector.h"
#include "engine/write/table_layout.h"
#include "engine/write/variant_encoding.h"

namespace weir::engine {

/// A file that is complete on the store.
struct WrittenFile {
  std::string path;  ///< As in the log: relative, percent-encoded.
  delta::PartitionValues partition_values;
  int64_t size = 0;
  int64_t rows = 0;
  std::string stats;  ///< JSON; empty for change data files.
};

enum class FileKind {
  kData,
  kChange,  ///< Under _change_data/, without statistics.
};

/// The extra columns in which files of a table that tracks rows carry row ids and commit versions;
/// none for others.
std::vector<FileColumn> TrackingColumns(const TableLayout& layout);

class DataWriter {
 public:
  /// Called with the full path before each file is created, so that a rollback can delete it. May
  /// be called by any thread.
  using Announce = std::function<void(const std::string& path)>;

  /// `extra` are columns behind the table's own. `root` is the table's folder. Throws, as all
  /// below.
  DataWriter(duckdb::ClientContext& context, std::shared_ptr<const TableLayout> layout,
             std::string root, FileKind kind, std::vector<FileColumn> extra, Announce announce);
  ~DataWriter();

  struct Buffer;
  struct Partition;
  /// What one thread has buffered; begins empty.
  class Local {
   public:
    Local();
    ~Local();

   private:
    friend class DataWriter;
    std::unordered_map<Partition*, std::unique_ptr<Buffer>> buffers;
    std::unique_ptr<VariantEncoder> variants;  // where there are any
  };

  /// Takes rows whose columns are the table's, in order, then the extra ones.
  void Append(Local& local, duckdb::DataChunk& rows);
  /// Hands over what is still buffered. Once per thread, after its last Append.
  void Combine(Local& local);
  /// Writes what is left and closes all files. Once, after every Combine; single-threaded.
  std::vector<WrittenFile> Finish();

  /// The partitions that rows were written into, as texts of the log. After every Combine.
  std::set<std::vector<std::optional<std::string>>> Partitions() const;

  const duckdb::vector<duckdb::LogicalType>& row_types() const { return row_types_; }

 private:
  struct OpenFile;
  struct Group;

  Partition& FindPartition(const std::vector<std::optional<std::string>>& values);
  void AppendTo(Local& local, Partition& partition, duckdb::DataChunk& rows);
  void Route(Local& local, duckdb::DataChunk& rows);
  std::vector<Group> GroupByPartition(duckdb::DataChunk& rows) const;
  std::vector<std::optional<std::string>> PartitionTexts(duckdb::DataChunk& rows, size_t row) const;
  std::unique_ptr<Buffer> NewBuffer() const;
  void WriteGroup(Partition& partition, std::unique_ptr<Buffer> buffer);
  std::unique_ptr<OpenFile> CreateFile(const Partition& partition);
  void Close(OpenFile& file, const Partition& partition);

  duckdb::ClientContext& context_;
  const std::shared_ptr<const TableLayout> layout_;
  const std::string root_;
  const FileKind kind_;
  const Announce announce_;
  std::vector<size_t> file_columns_;  // places in a row of what is written
  duckdb::vector<duckdb::LogicalType> row_types_;
  std::vector<bool> encodes_;  // per column of the file: its variants become groups of bytes
  std::unique_ptr<ParquetFormat> format_;
  std::atomic<int> next_file_{0};

  std::mutex mutex_;  // over the two below
  std::map<std::vector<std::optional<std::string>>, std::unique_ptr<Partition>> partitions_;
  std::vector<WrittenFile> finished_;
};

}  // namespace weir::engine
