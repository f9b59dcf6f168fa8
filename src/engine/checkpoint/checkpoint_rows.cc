// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "base/parallel.h"
#include "delta/snapshot/file_list.h"
#include "engine/catalog/type_mapping.h"
#include "engine/checkpoint/stats_vectors.h"
#include "engine/checkpoint/vector_writer.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

using delta::CheckpointContent;
using delta::CheckpointLayout;
using duckdb::LogicalType;

constexpr const char* kFunctionName = "weir_checkpoint_rows";

LogicalType TextMap() { return LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR); }
LogicalType TextList() { return LogicalType::LIST(LogicalType::VARCHAR); }

LogicalType VectorType() {
  return LogicalType::STRUCT({{"storageType", LogicalType::VARCHAR},
                              {"pathOrInlineDv", LogicalType::VARCHAR},
                              {"offset", LogicalType::INTEGER},
                              {"sizeInBytes", LogicalType::INTEGER},
                              {"cardinality", LogicalType::BIGINT}});
}

// The order of members here is the order in which the Put functions count them.
LogicalType AddType(const CheckpointLayout& layout) {
  duckdb::child_list_t<LogicalType> members = {{"path", LogicalType::VARCHAR},
                                               {"partitionValues", TextMap()},
                                               {"size", LogicalType::BIGINT},
                                               {"modificationTime", LogicalType::BIGINT},
                                               {"dataChange", LogicalType::BOOLEAN},
                                               {"tags", TextMap()},
                                               {"deletionVector", VectorType()},
                                               {"baseRowId", LogicalType::BIGINT},
                                               {"defaultRowCommitVersion", LogicalType::BIGINT},
                                               {"clusteringProvider", LogicalType::VARCHAR}};
  if (layout.stats_as_json) members.emplace_back("stats", LogicalType::VARCHAR);
  if (layout.partition_schema) {
    members.emplace_back("partitionValues_parsed", OrThrow(ToDuckDB(*layout.partition_schema)));
  }
  if (layout.stats_schema) {
    members.emplace_back("stats_parsed", OrThrow(ToDuckDB(*layout.stats_schema)));
  }
  return LogicalType::STRUCT(std::move(members));
}

LogicalType RemoveType() {
  return LogicalType::STRUCT({{"path", LogicalType::VARCHAR},
                              {"deletionTimestamp", LogicalType::BIGINT},
                              {"dataChange", LogicalType::BOOLEAN},
                              {"extendedFileMetadata", LogicalType::BOOLEAN},
                              {"partitionValues", TextMap()},
                              {"size", LogicalType::BIGINT},
                              {"deletionVector", VectorType()},
                              {"baseRowId", LogicalType::BIGINT},
                              {"defaultRowCommitVersion", LogicalType::BIGINT}});
}

LogicalType MetadataType() {
  auto format = LogicalType::STRUCT({{"provider", LogicalType::VARCHAR}, {"options", TextMap()}});
  return LogicalType::STRUCT({{"id", LogicalType::VARCHAR},
                              {"name", LogicalType::VARCHAR},
                              {"description", LogicalType::VARCHAR},
                              {"format", std::move(format)},
                              {"schemaString", LogicalType::VARCHAR},
                              {"partitionColumns", TextList()},
                              {"configuration", TextMap()},
                              {"createdTime", LogicalType::BIGINT}});
}

LogicalType ProtocolType() {
  return LogicalType::STRUCT({{"minReaderVersion", LogicalType::INTEGER},
                              {"minWriterVersion", LogicalType::INTEGER},
                              {"readerFeatures", TextList()},
                              {"writerFeatures", TextList()}});
}

LogicalType TransactionType() {
  return LogicalType::STRUCT({{"appId", LogicalType::VARCHAR},
                              {"version", LogicalType::BIGINT},
                              {"lastUpdated", LogicalType::BIGINT}});
}

LogicalType DomainType() {
  return LogicalType::STRUCT({{"domain", LogicalType::VARCHAR},
                              {"configuration", LogicalType::VARCHAR},
                              {"removed", LogicalType::BOOLEAN}});
}

LogicalType SidecarType() {
  return LogicalType::STRUCT({{"path", LogicalType::VARCHAR},
                              {"sizeInBytes", LogicalType::BIGINT},
                              {"modificationTime", LogicalType::BIGINT},
                              {"tags", TextMap()}});
}

LogicalType CheckpointMetadataType() {
  return LogicalType::STRUCT({{"version", LogicalType::BIGINT}, {"tags", TextMap()}});
}

void PutVector(duckdb::Vector& vector, size_t row,
               const delta::DeletionVectorDescriptor& descriptor) {
  PutStruct(vector, row);
  PutText(Member(vector, 0), row, std::string_view(&descriptor.storage_type, 1));
  PutText(Member(vector, 1), row, std::string_view(descriptor.path_or_inline_dv));
  Put(Member(vector, 2), row, descriptor.offset);
  Put(Member(vector, 3), row, descriptor.size_in_bytes);
  Put(Member(vector, 4), row, descriptor.cardinality);
}

// Puts add actions; each thread has its own.
class AddWriter {
 public:
  explicit AddWriter(const CheckpointLayout& layout) : layout_(layout) {}

  void Put(duckdb::Vector& vector, size_t row, const delta::AddFile& add, std::string_view stats) {
    PutStruct(vector, row);
    PutText(Member(vector, 0), row, std::string_view(add.path));
    PutMap(Member(vector, 1), row, add.partition_values);
    engine::Put(Member(vector, 2), row, add.size);
    engine::Put(Member(vector, 3), row, add.modification_time);
    // What a checkpoint holds changes no data.
    engine::Put(Member(vector, 4), row, false);
    if (add.tags) PutMap(Member(vector, 5), row, *add.tags);
    if (add.deletion_vector) PutVector(Member(vector, 6), row, *add.deletion_vector);
    engine::Put(Member(vector, 7), row, add.base_row_id);
    engine::Put(Member(vector, 8), row, add.default_row_commit_version);
    PutText(Member(vector, 9), row, add.clustering_provider);
    size_t next = 10;
    if (layout_.stats_as_json) {
      if (!stats.empty()) PutText(Member(vector, next), row, stats);
      ++next;
    }
    if (layout_.partition_schema)
      PutPartitionValues(Member(vector, next++), row, add.partition_values);
    if (layout_.stats_schema && !stats.empty()) {
      parser_.Put(*layout_.stats_schema, stats, Member(vector, next), row);
    }
  }

 private:
  void PutPartitionValues(duckdb::Vector& vector, size_t row,
                          const delta::PartitionValues& values) {
    PutStruct(vector, row);
    const auto& fields = layout_.partition_schema->fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      auto value = values.find(fields[i].name);
      if (value == values.end() || !value->second) continue;
      PutParsed(*fields[i].type, *value->second, Member(vector, i), row);
    }
  }

  const CheckpointLayout& layout_;
  StatsParser parser_;
};

void PutRemove(duckdb::Vector& vector, size_t row, const delta::RemoveFile& remove) {
  PutStruct(vector, row);
  PutText(Member(vector, 0), row, std::string_view(remove.path));
  Put(Member(vector, 1), row, remove.deletion_timestamp);
  Put(Member(vector, 2), row, false);
  Put(Member(vector, 3), row, remove.extended_file_metadata);
  if (remove.extended_file_metadata) PutMap(Member(vector, 4), row, remove.partition_values);
  Put(Member(vector, 5), row, remove.size);
  if (remove.deletion_vector) PutVector(Member(vector, 6), row, *remove.deletion_vector);
  Put(Member(vector, 7), row, remove.base_row_id);
  Put(Member(vector, 8), row, remove.default_row_commit_version);
}

void PutMetadata(duckdb::Vector& vector, size_t row, const delta::Metadata& metadata) {
  PutStruct(vector, row);
  PutText(Member(vector, 0), row, std::string_view(metadata.id));
  PutText(Member(vector, 1), row, metadata.name);
  PutText(Member(vector, 2), row, metadata.description);
  auto& format = Member(vector, 3);
  PutStruct(format, row);
  PutText(Member(format, 0), row, std::string_view(metadata.format_provider));
  PutMap(Member(format, 1), row, metadata.format_options);
  PutText(Member(vector, 4), row, std::string_view(metadata.schema_string));
  PutList(Member(vector, 5), row, metadata.partition_columns);
  PutMap(Member(vector, 6), row, metadata.configuration);
  Put(Member(vector, 7), row, metadata.created_time);
}

void PutProtocol(duckdb::Vector& vector, size_t row, const delta::Protocol& protocol) {
  PutStruct(vector, row);
  Put(Member(vector, 0), row, protocol.min_reader_version);
  Put(Member(vector, 1), row, protocol.min_writer_version);
  if (protocol.reader_features) PutList(Member(vector, 2), row, *protocol.reader_features);
  if (protocol.writer_features) PutList(Member(vector, 3), row, *protocol.writer_features);
}

void PutTransaction(duckdb::Vector& vector, size_t row, const delta::SetTransaction& transaction) {
  PutStruct(vector, row);
  PutText(Member(vector, 0), row, std::string_view(transaction.app_id));
  Put(Member(vector, 1), row, transaction.version);
  Put(Member(vector, 2), row, transaction.last_updated);
}

void PutDomain(duckdb::Vector& vector, size_t row, const delta::DomainMetadata& domain) {
  PutStruct(vector, row);
  PutText(Member(vector, 0), row, std::string_view(domain.domain));
  PutText(Member(vector, 1), row, std::string_view(domain.configuration));
  Put(Member(vector, 2), row, domain.removed);
}

void PutSidecar(duckdb::Vector& vector, size_t row, const delta::Sidecar& sidecar) {
  PutStruct(vector, row);
  PutText(Member(vector, 0), row, std::string_view(sidecar.path));
  Put(Member(vector, 1), row, sidecar.size_in_bytes);
  Put(Member(vector, 2), row, sidecar.modification_time);
  if (sidecar.tags) PutMap(Member(vector, 3), row, *sidecar.tags);
}

void PutCheckpointMetadata(duckdb::Vector& vector, size_t row,
                           const delta::CheckpointMetadata& metadata) {
  PutStruct(vector, row);
  Put(Member(vector, 0), row, metadata.version);
  if (metadata.tags) PutMap(Member(vector, 1), row, *metadata.tags);
}

// The columns of files, and with layout.other_actions these.
constexpr size_t kAddColumn = 0;
constexpr size_t kRemoveColumn = 1;
constexpr size_t kMetadataColumn = 2;
constexpr size_t kProtocolColumn = 3;
constexpr size_t kTransactionColumn = 4;
constexpr size_t kDomainColumn = 5;
constexpr size_t kSidecarColumn = 6;
constexpr size_t kCheckpointMetadataColumn = 7;

struct RowsBindData final : public duckdb::TableFunctionData {
  RowsBindData(const CheckpointContent& content, const CheckpointLayout& layout)
      : content(content), layout(layout) {}
  const CheckpointContent& content;
  const CheckpointLayout& layout;
};

// The rows in order: the few actions that are no files, adds, removes.
class RowsState final : public duckdb::GlobalTableFunctionState {
 public:
  explicit RowsState(const RowsBindData& data) : content_(data.content) {
    if (data.content.checkpoint_metadata) others_.push_back({kCheckpointMetadataColumn, 0});
    AddOthers(kSidecarColumn, content_.sidecars.size());
    AddOthers(kProtocolColumn, content_.protocol ? 1 : 0);
    AddOthers(kMetadataColumn, content_.metadata ? 1 : 0);
    AddOthers(kTransactionColumn, content_.transactions.size());
    AddOthers(kDomainColumn, content_.domains.size());
    adds_ = content_.files ? content_.last_file - content_.first_file : 0;
    total_ = others_.size() + adds_ + content_.removes.size();
  }

  duckdb::idx_t MaxThreads() const override { return HardwareThreads(); }

  // The next rows to be written, [first, last).
  std::pair<size_t, size_t> Take() {
    size_t first = std::min(total_, next_.fetch_add(STANDARD_VECTOR_SIZE));
    return {first, std::min(total_, first + STANDARD_VECTOR_SIZE)};
  }

  void Put(size_t index, size_t row, duckdb::DataChunk& output, AddWriter& writer) const {
    if (index < others_.size()) return PutOther(others_[index], row, output);
    index -= others_.size();
    if (index < adds_) {
      size_t file = content_.first_file + index;
      writer.Put(output.data[kAddColumn], row, content_.files->GetWithoutStats(file),
                 content_.files->stats(file));
      return;
    }
    PutRemove(output.data[kRemoveColumn], row, content_.removes[index - adds_]);
  }

 private:
  struct Other {
    size_t column;
    size_t index;
  };

  void AddOthers(size_t column, size_t count) {
    for (size_t i = 0; i < count; ++i) others_.push_back({column, i});
  }

  void PutOther(const Other& other, size_t row, duckdb::DataChunk& output) const {
    auto& vector = output.data[other.column];
    switch (other.column) {
      case kCheckpointMetadataColumn:
        return PutCheckpointMetadata(vector, row, *content_.checkpoint_metadata);
      case kSidecarColumn:
        return PutSidecar(vector, row, content_.sidecars[other.index]);
      case kProtocolColumn:
        return PutProtocol(vector, row, *content_.protocol);
      case kMetadataColumn:
        return PutMetadata(vector, row, *content_.metadata);
      case kTransactionColumn:
        return PutTransaction(vector, row, *content_.transactions[other.index]);
      default:
        return PutDomain(vector, row, *content_.domains[other.index]);
    }
  }

  const CheckpointContent& content_;
  std::vector<Other> others_;
  size_t adds_ = 0;
  size_t total_ = 0;
  std::atomic<size_t> next_{0};
};

struct RowsLocalState final : public duckdb::LocalTableFunctionState {
  explicit RowsLocalState(const CheckpointLayout& layout) : writer(layout) {}
  AddWriter writer;
};

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext&,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              duckdb::vector<duckdb::string>& names) {
  auto content = reinterpret_cast<const CheckpointContent*>(input.inputs[0].GetValue<uint64_t>());
  auto layout = reinterpret_cast<const CheckpointLayout*>(input.inputs[1].GetValue<uint64_t>());
  names = {"add", "remove"};
  types = {AddType(*layout), RemoveType()};
  if (layout->other_actions) {
    for (const char* name :
         {"metaData", "protocol", "txn", "domainMetadata", "sidecar", "checkpointMetadata"}) {
      names.push_back(name);
    }
    for (auto& type : {MetadataType(), ProtocolType(), TransactionType(), DomainType(),
                       SidecarType(), CheckpointMetadataType()}) {
      types.push_back(type);
    }
  }
  return duckdb::make_uniq<RowsBindData>(*content, *layout);
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput& input) {
  return duckdb::make_uniq<RowsState>(input.bind_data->Cast<RowsBindData>());
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(duckdb::ExecutionContext&,
                                                              duckdb::TableFunctionInitInput& input,
                                                              duckdb::GlobalTableFunctionState*) {
  return duckdb::make_uniq<RowsLocalState>(input.bind_data->Cast<RowsBindData>().layout);
}

void FillRows(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
              duckdb::DataChunk& output) {
  auto& state = input.global_state->Cast<RowsState>();
  auto& local = input.local_state->Cast<RowsLocalState>();
  auto [first, last] = state.Take();
  size_t count = last - first;
  for (auto& vector : output.data) MakeNull(vector, count);
  for (size_t row = 0; row < count; ++row) state.Put(first + row, row, output, local.writer);
  output.SetCardinality(count);
}

}  // namespace

void RegisterCheckpointRows(duckdb::DatabaseInstance& instance) {
  duckdb::TableFunction function(kFunctionName, {LogicalType::UBIGINT, LogicalType::UBIGINT},
                                 FillRows, Bind, InitGlobal, InitLocal);
  duckdb::ExtensionLoader loader(instance, "weir_checkpoint");
  loader.RegisterFunction(std::move(function));
}

std::string CheckpointRowsSql(const CheckpointContent& content, const CheckpointLayout& layout) {
  return fmt::format("{}({}::UBIGINT, {}::UBIGINT)", kFunctionName,
                     reinterpret_cast<uintptr_t>(&content), reinterpret_cast<uintptr_t>(&layout));
}

}  // namespace weir::engine
