// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/compaction.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"
#include "duckdb/parallel/task_executor.hpp"
#include "duckdb/parallel/thread_context.hpp"

#include "delta/actions/removal.h"
#include "delta/clustering/clustering_columns.h"
#include "delta/commit/transaction.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/scan_files.h"
#include "engine/sink/file_reader.h"
#include "engine/write/data_writer.h"
#include "engine/write/file_actions.h"
#include "engine/write/table_layout.h"

namespace weir::engine {
namespace {

// A ratio of deleted rows that every file has more of.
constexpr double kEveryFile = -1;

bool IsWorthWriting(const CompactionBin& bin, double max_deleted_ratio) {
  return bin.files.size() > 1 ||
         (bin.files.size() == 1 && DeletedRatio(bin.files[0]) > max_deleted_ratio);
}

// First fit over files of growing size, as few bins as that gives.
void PackPartition(std::vector<delta::AddFile> files, int64_t target_size, double max_deleted_ratio,
                   std::vector<CompactionBin>& bins) {
  std::sort(files.begin(), files.end(), [](const delta::AddFile& a, const delta::AddFile& b) {
    return std::tie(a.size, a.path) < std::tie(b.size, b.path);
  });
  CompactionBin bin;
  for (delta::AddFile& file : files) {
    if (!bin.files.empty() && bin.size + file.size > target_size) {
      if (IsWorthWriting(bin, max_deleted_ratio)) bins.push_back(std::move(bin));
      bin = {};
    }
    bin.size += file.size;
    bin.files.push_back(std::move(file));
  }
  if (IsWorthWriting(bin, max_deleted_ratio)) bins.push_back(std::move(bin));
}

// The rewriting of all bins; tasks share it.
class Rewrite {
 public:
  Rewrite(duckdb::ClientContext& context, const ResolvedTable& table,
          std::shared_ptr<const TableLayout> layout, const CompactionLayout& files)
      : context_(context),
        table_(table),
        entry_(table.entry),
        layout_(std::move(layout)),
        files_(files) {}

  // Thread-safe. Throws.
  void Run(const CompactionBin& bin) {
    DataWriter writer(context_, layout_, table_.state->log().root, FileKind::kData,
                      TrackingColumns(*layout_),
                      [this](const std::string& path) { Announce(path); });
    DataWriter::Local local;
    if (files_.order) {
      CopyOrdered(bin, writer, local);
    } else {
      CopyAsTheyAre(bin, writer, local);
    }
    writer.Combine(local);
    Keep(writer.Finish());
  }

  std::vector<delta::AddFile> TakeWritten() { return std::move(written_); }

  void DeleteWritten() {
    for (const std::string& path : announced_) {
      // Best effort: VACUUM finds what stays.
      static_cast<void>(table_.state->log().store->Delete(path));
    }
  }

 private:
  void CopyAsTheyAre(const CompactionBin& bin, DataWriter& writer, DataWriter::Local& local) {
    FileReader reader(context_, *entry_, bin.files, layout_->tracks_rows(), {});
    duckdb::ThreadContext thread(context_);
    duckdb::ExecutionContext execution(context_, thread, nullptr);
    FileReader::Local scan = reader.NewLocal(execution);
    duckdb::DataChunk rows;
    rows.InitializeEmpty(reader.types());
    while (reader.Next(scan, rows)) {
      if (context_.interrupted) throw duckdb::InterruptException();
      // Behind the columns stand the file and the row in it.
      Copy(writer, local, rows, layout_->columns.size() + 2);
    }
  }

  void CopyOrdered(const CompactionBin& bin, DataWriter& writer, DataWriter::Local& local) {
    OrderedRows rows(context_, *table_.state, bin.files, *files_.order, layout_->tracks_rows());
    while (auto chunk = rows.Next()) {
      if (context_.interrupted) throw duckdb::InterruptException();
      if (chunk->size() == 0) break;
      Copy(writer, local, *chunk, layout_->columns.size());
    }
  }

  // Row ids and commit versions stand at `ids` and behind it.
  void Copy(DataWriter& writer, DataWriter::Local& local, duckdb::DataChunk& rows,
            size_t ids) const {
    const size_t columns = layout_->columns.size();
    duckdb::DataChunk out;
    out.InitializeEmpty(writer.row_types());
    for (size_t i = 0; i < columns; ++i) out.data[i].Reference(rows.data[i]);
    if (layout_->tracks_rows()) {
      out.data[columns].Reference(rows.data[ids]);
      out.data[columns + 1].Reference(rows.data[ids + 1]);
    }
    out.SetCardinality(rows.size());
    writer.Append(local, out);
  }

  void Announce(const std::string& path) {
    const std::lock_guard lock(mutex_);
    announced_.push_back(path);
  }

  void Keep(std::vector<WrittenFile> files) {
    std::optional<delta::StringMap> tags;
    if (files_.tags) tags = files_.tags();
    const int64_t now_ms = table_.state->log().clock->NowMillis();
    const std::lock_guard lock(mutex_);
    for (WrittenFile& file : files) {
      delta::AddFile add = MakeAdd(std::move(file), now_ms);
      add.data_change = false;
      add.tags = tags;
      add.clustering_provider = files_.clustering_provider;
      written_.push_back(std::move(add));
    }
  }

  duckdb::ClientContext& context_;
  const ResolvedTable& table_;
  duckdb::optional_ptr<WeirTableEntry> entry_;
  const std::shared_ptr<const TableLayout> layout_;
  const CompactionLayout& files_;
  std::mutex mutex_;  // over the two below
  std::vector<std::string> announced_;
  std::vector<delta::AddFile> written_;
};

class BinTask final : public duckdb::BaseExecutorTask {
 public:
  BinTask(duckdb::TaskExecutor& executor, Rewrite& rewrite, const CompactionBin& bin)
      : BaseExecutorTask(executor), rewrite_(rewrite), bin_(bin) {}
  void ExecuteTask() override { rewrite_.Run(bin_); }

 private:
  Rewrite& rewrite_;
  const CompactionBin& bin_;
};

void RewriteAll(duckdb::ClientContext& context, Rewrite& rewrite,
                const std::vector<CompactionBin>& bins, bool ordered) {
  if (ordered) {  // A sort is parallel itself.
    for (const CompactionBin& bin : bins) rewrite.Run(bin);
    return;
  }
  duckdb::TaskExecutor executor(context);
  for (const CompactionBin& bin : bins)
    executor.ScheduleTask(duckdb::make_uniq<BinTask>(executor, rewrite, bin));
  executor.WorkOnTasks();
}

CompactionResult AddActions(delta::Transaction& transaction, const std::vector<CompactionBin>& bins,
                            std::vector<delta::AddFile> written, int64_t now_ms) {
  CompactionResult result;
  for (const CompactionBin& bin : bins) {
    for (const delta::AddFile& file : bin.files) {
      delta::RemoveFile remove = delta::RemovalOf(file, now_ms);
      remove.data_change = false;
      transaction.reads().files.insert(file.path);
      transaction.Add(std::move(remove));
      ++result.files_removed;
      result.bytes_removed += file.size;
      result.vectors_removed += file.deletion_vector ? 1 : 0;
    }
  }
  for (delta::AddFile& add : written) {
    ++result.files_added;
    result.bytes_added += add.size;
    transaction.Add(std::move(add));
  }
  return result;
}

Status CommitCompaction(delta::Transaction& transaction, CompactionResult& result) {
  transaction.SetMetrics({{"numAddedFiles", result.files_added},
                          {"numRemovedFiles", result.files_removed},
                          {"numAddedBytes", result.bytes_added},
                          {"numRemovedBytes", result.bytes_removed},
                          {"numDeletionVectorsRemoved", result.vectors_removed}});
  JsonValue tags = JsonValue::Object();
  tags.Set("delta.rowTracking.preserved", JsonValue::String("true"));
  transaction.SetCommitInfo("tags", std::move(tags));
  WEIR_ASSIGN_OR_RETURN(const delta::CommitResult commit, transaction.Commit());
  result.version = commit.version;
  return {};
}

// Rewrites the bins as `layout` and `files` say and commits that with what is in the transaction
// already.
Result<CompactionResult> RewriteAndCommit(duckdb::ClientContext& context,
                                          const ResolvedTable& table,
                                          std::shared_ptr<const TableLayout> layout,
                                          const CompactionLayout& files,
                                          const std::vector<CompactionBin>& bins,
                                          delta::Transaction& transaction) {
  Rewrite rewrite(context, table, std::move(layout), files);
  try {
    RewriteAll(context, rewrite, bins, files.order.has_value());
  } catch (const std::exception& exception) {
    rewrite.DeleteWritten();
    return Fail(FromDuckDB(exception));
  }
  CompactionResult result =
      AddActions(transaction, bins, rewrite.TakeWritten(), table.state->log().clock->NowMillis());
  const Status committed = CommitCompaction(transaction, result);
  if (!committed) {
    if (committed.error().kind != ErrorKind::kStateUnknown) rewrite.DeleteWritten();
    return Fail(committed.error());
  }
  return result;
}

}  // namespace

double DeletedRatio(const delta::AddFile& file) {
  if (!file.deletion_vector) return 0;
  const auto stats = JsonValue::Parse(file.stats.value_or(""));
  const JsonValue* records = stats ? stats->Find("numRecords") : nullptr;
  const auto count = records != nullptr ? records->AsInt64() : std::nullopt;
  if (!count || *count <= 0) return 1;
  return static_cast<double>(file.deletion_vector->cardinality) / static_cast<double>(*count);
}

Result<std::vector<CompactionBin>> PlanCompaction(const TableState& state, int64_t target_size,
                                                  double max_deleted_ratio,
                                                  const FileFilter& filter) {
  const ScanFiles files(TableState::Of(state.snapshot()));
  std::map<delta::PartitionValues, std::vector<delta::AddFile>> partitions;
  for (size_t i = 0; i < files.size(); ++i) {
    const bool has_vector = files.deletion_vector(i).has_value();
    if (files.file_size(i) >= target_size && !has_vector) continue;
    WEIR_ASSIGN_OR_RETURN(delta::AddFile file, has_vector ? files.GetWithStats(i)
                                                          : Result<delta::AddFile>(files.Get(i)));
    if (file.size >= target_size && DeletedRatio(file) <= max_deleted_ratio) continue;
    if (filter && !filter(file)) continue;
    partitions[file.partition_values].push_back(std::move(file));
  }
  std::vector<CompactionBin> bins;
  for (auto& [values, members] : partitions)
    PackPartition(std::move(members), target_size, max_deleted_ratio, bins);
  return bins;
}

Result<CompactionResult> Compact(duckdb::ClientContext& context, const ResolvedTable& table,
                                 const std::vector<CompactionBin>& bins,
                                 const std::string& operation, JsonValue parameters,
                                 const CompactionLayout& layout) {
  WEIR_ASSIGN_OR_RETURN(const auto transaction, delta::Transaction::Begin(table.state->snapshot()));
  if (bins.empty()) return CompactionResult{};
  transaction->SetOperation(operation, std::move(parameters));
  transaction->SetIsolationLevel(delta::IsolationLevel::kSnapshotIsolation);
  return RewriteAndCommit(context, table, TableLayout::Of(*table.state), layout, bins,
                          *transaction);
}

namespace {

// The domain names columns as files do, which is what a rewrite may change (column mapping
// removed).
Status CarryClustering(const delta::Snapshot& from, const TableState& to,
                       delta::Transaction& transaction) {
  WEIR_ASSIGN_OR_RETURN(const auto before, delta::ClusteringColumnsOf(from.domains()));
  if (before.empty()) return {};
  const auto named = delta::LogicalClusteringColumns(*from.schema(), before);
  WEIR_ASSIGN_OR_RETURN(const auto after,
                        delta::ResolveClusteringColumns(*to.schema(), to.metadata(), named));
  if (after != before) transaction.Add(delta::MakeClusteringDomain(after));
  return {};
}

}  // namespace

Result<CompactionResult> RewriteTable(duckdb::ClientContext& context, const ResolvedTable& table,
                                      const delta::Metadata& target, const std::string& operation) {
  const TableState& state = *table.state;
  WEIR_ASSIGN_OR_RETURN(const auto transaction, delta::Transaction::Begin(state.snapshot()));
  const ScanFiles files(TableState::Of(state.snapshot()));
  std::map<delta::PartitionValues, std::vector<delta::AddFile>> partitions;
  for (size_t i = 0; i < files.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(delta::AddFile file, files.GetWithStats(i));
    partitions[file.partition_values].push_back(std::move(file));
  }
  WEIR_ASSIGN_OR_RETURN(const auto target_state,
                        TableState::Over(state.snapshot(), state.log(), {target}));
  const auto layout = TableLayout::Of(*target_state);
  std::vector<CompactionBin> bins;
  for (auto& [values, members] : partitions)
    PackPartition(std::move(members), layout->target_file_size, kEveryFile, bins);
  transaction->SetOperation(operation, JsonValue::Object());
  transaction->reads().whole_table = true;
  transaction->Add(target);
  WEIR_RETURN_IF_ERROR(CarryClustering(*state.snapshot(), *target_state, *transaction));
  return RewriteAndCommit(context, table, layout, CompactionLayout(), bins, *transaction);
}

}  // namespace weir::engine
