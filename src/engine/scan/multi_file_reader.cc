// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/multi_file_reader.h"

#include <exception>
#include <new>
#include <utility>

#include "duckdb/common/exception.hpp"
#include "duckdb/planner/table_filter.hpp"

#include "delta/partitions/partition_values.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/deletion_filter.h"
#include "engine/scan/file_filters.h"
#include "engine/scan/file_list.h"
#include "engine/scan/file_types.h"
#include "engine/scan/row_metadata.h"
#include "engine/values.h"

namespace weir::engine {

using duckdb::MultiFileGlobalIndex;
using duckdb::Value;

namespace {

Error DamagedFile(const std::string& file, const std::string& why) {
  return CorruptLog("FAILED_READ_FILE",
                    "the file " + file + " is damaged (" + why +
                        "): put it back from a backup; weir check tells of the whole table",
                    "KD001");
}

}  // namespace

void RethrowOfFile(const std::string& file) {
  try {
    throw;
  } catch (const duckdb::Exception&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    Throw(DamagedFile(file, error.what()));
  }
}

WeirMultiFileReader::WeirMultiFileReader(ScanSourcePtr source) : source_(std::move(source)) {
  function_name = "weir_scan";
}

duckdb::unique_ptr<duckdb::MultiFileReader> WeirMultiFileReader::Create(
    const duckdb::TableFunction& function) {
  return duckdb::make_uniq<WeirMultiFileReader>(
      function.function_info->Cast<ScanFunctionInfo>().source);
}

duckdb::unique_ptr<duckdb::MultiFileReader> WeirMultiFileReader::Copy() const {
  return duckdb::make_uniq<WeirMultiFileReader>(source_);
}

duckdb::shared_ptr<duckdb::MultiFileList> WeirMultiFileReader::CreateFileList(
    duckdb::ClientContext&, const duckdb::vector<duckdb::string>&, const duckdb::FileGlobInput&) {
  return duckdb::make_shared_ptr<WeirFileList>(source_);
}

bool WeirMultiFileReader::Bind(duckdb::MultiFileOptions&, duckdb::MultiFileList&,
                               duckdb::vector<duckdb::LogicalType>& return_types,
                               duckdb::vector<duckdb::string>& names,
                               duckdb::MultiFileReaderBindData& bind_data) {
  for (const auto& column : source_->columns) {
    names.push_back(column.name);
    return_types.push_back(column.type);
  }
  bind_data.schema = source_->columns;
  bind_data.mapping = duckdb::MultiFileColumnMappingMode::BY_NAME;
  return true;
}

void WeirMultiFileReader::BindOptions(duckdb::MultiFileOptions&, duckdb::MultiFileList&,
                                      duckdb::vector<duckdb::LogicalType>&,
                                      duckdb::vector<duckdb::string>&,
                                      duckdb::MultiFileReaderBindData&) {}

duckdb::shared_ptr<duckdb::BaseFileReader> WeirMultiFileReader::CreateReader(
    duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& gstate,
    const duckdb::OpenFileInfo& file, duckdb::idx_t file_idx,
    const duckdb::MultiFileBindData& bind_data) {
  try {
    return MultiFileReader::CreateReader(context, gstate, file, file_idx, bind_data);
  } catch (const duckdb::IOException&) {
    if (duckdb::FileSystem::GetFileSystem(context).FileExists(file.path)) throw;
  } catch (const duckdb::InvalidInputException& error) {
    // The footer is none.
    Throw(DamagedFile(file.path, duckdb::ErrorData(error).RawMessage()));
  } catch (const duckdb::Exception& error) {
    // An object store's own word for it.
    if (FromDuckDB(error).kind != ErrorKind::kNotFound) throw;
  } catch (...) {
    RethrowOfFile(file.path);
  }
  if (source_->changes) {
    const auto& files = gstate.Cast<duckdb::MultiFileGlobalState>().file_list.Cast<WeirFileList>();
    const auto version = source_->changes->files[files.files().number(file_idx)].version;
    Throw(ChangeFileNotFound(source_->name, version, file.path));
  }
  Throw(CorruptLog("DELTA_FILE_NOT_FOUND",
                   "table " + source_->name + " at version " +
                       std::to_string(source_->state->version()) + " has the data file " +
                       file.path +
                       ", which does not exist; it may have been removed by VACUUM or by hand",
                   "42K03"));
}

namespace {

// The columns of the scan, looked up in the file; those that are not scanned keep no name.
duckdb::vector<duckdb::MultiFileColumnDefinition> ResolveColumns(
    const ScanSource& source, const duckdb::vector<duckdb::ColumnIndex>& scanned,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>& local) {
  duckdb::vector<duckdb::MultiFileColumnDefinition> resolved(
      source.columns.size(),
      duckdb::MultiFileColumnDefinition("", duckdb::LogicalType(duckdb::LogicalTypeId::SQLNULL)));
  for (const auto& index : scanned) {
    const auto id = index.GetPrimaryIndex();
    if (duckdb::IsVirtualColumn(id)) continue;
    // What the protocol itself puts into a file goes by its name in every mode.
    const bool is_change_type = source.changes && id == source.changes->change_type_column;
    resolved[id] = ResolveColumn(source.columns[id], source.state->schema()->fields()[id],
                                 is_change_type ? ColumnMappingMode::kNone : source.mode, local);
  }
  return resolved;
}

// What has one value in the whole file. `_metadata` gets a place-holder, replaced after the
// mapping.
void AddConstants(const ScanSource& source, const ScanFiles& files, size_t file,
                  const duckdb::vector<duckdb::ColumnIndex>& scanned,
                  duckdb::MultiFileReaderData& reader_data) {
  for (duckdb::idx_t i = 0; i < scanned.size(); ++i) {
    const auto id = scanned[i].GetPrimaryIndex();
    if (id == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX) {
      reader_data.constant_map.Add(MultiFileGlobalIndex(i), Value::UBIGINT(files.number(file)));
    } else if (IsRowMetadata(id)) {
      reader_data.constant_map.Add(MultiFileGlobalIndex(i), Value(RowMetadataType(id)));
    } else if (source.changes && id == source.changes->change_type_column) {
      const char* type = ChangeTypeOf(source.changes->files[files.number(file)].kind);
      if (type) reader_data.constant_map.Add(MultiFileGlobalIndex(i), Value(type));
    } else if (!duckdb::IsVirtualColumn(id) && source.partition_of[id] >= 0) {
      auto value = delta::ParsePartitionValue(*source.state->schema()->fields()[id].type,
                                              files.partition_value(file, source.partition_of[id]));
      if (!value) {
        Throw(value.error().WithContext("table " + source.name + ", file " +
                                        std::string(files.path(file)) + ", column " +
                                        source.columns[id].name));
      }
      reader_data.constant_map.Add(MultiFileGlobalIndex(i),
                                   ToDuckDB(*value, source.columns[id].type));
    }
  }
}

// Rows of a change data file must say what they are.
void CheckChangeData(const ScanSource& source, const ScanFiles& files, size_t file,
                     const duckdb::BaseFileReader& reader) {
  if (!source.changes) return;
  const auto& change = source.changes->files[files.number(file)];
  if (change.kind != delta::ChangeKind::kChangeData) return;
  for (const auto& column : reader.columns) {
    if (column.name == kChangeTypeName) return;
  }
  Throw(CorruptLog("WEIR_CHANGE_DATA_WITHOUT_TYPE",
                   "table " + source.name + " at version " + std::to_string(change.version) +
                       ": the change data file " + reader.file.path + " has no column " +
                       kChangeTypeName));
}

}  // namespace

duckdb::ReaderInitializeType WeirMultiFileReader::InitializeReader(
    duckdb::MultiFileReaderData& reader_data, const duckdb::MultiFileBindData& bind_data,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>&,
    const duckdb::vector<duckdb::ColumnIndex>& global_column_ids,
    duckdb::optional_ptr<duckdb::TableFilterSet> table_filters, duckdb::ClientContext& context,
    duckdb::MultiFileGlobalState& gstate) {
  auto& reader = *reader_data.reader;
  const auto& files = gstate.file_list.Cast<WeirFileList>().files();
  const size_t file = reader.file_list_idx.GetIndex();

  CheckChangeData(*source_, files, file, reader);
  AddConstants(*source_, files, file, global_column_ids, reader_data);
  const auto resolved = ResolveColumns(*source_, global_column_ids, reader.columns);
  AdoptTypes(reader, resolved);
  duckdb::unique_ptr<duckdb::TableFilterSet> adapted;
  if (table_filters) {
    adapted = FiltersForFile(*table_filters, global_column_ids, resolved, reader.columns);
  }
  const auto outcome = CreateMapping(context, reader_data, resolved, global_column_ids,
                                     adapted ? adapted.get() : table_filters, gstate.file_list,
                                     bind_data.reader_bind, bind_data.virtual_columns,
                                     duckdb::MultiFileColumnMappingMode::BY_NAME);
  if (outcome == duckdb::ReaderInitializeType::SKIP_READING_FILE) return outcome;

  for (duckdb::idx_t i = 0; i < global_column_ids.size(); ++i) {
    if (!IsRowMetadata(global_column_ids[i].GetPrimaryIndex())) continue;
    AddRowMetadata(context, *source_, files.Get(file), global_column_ids[i], i, reader_data);
  }
  return AddDeletionFilter(*source_, files, file, reader);
}

}  // namespace weir::engine
