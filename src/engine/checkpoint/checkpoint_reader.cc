// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/json.h"
#include "engine/checkpoint/action_values.h"
#include "engine/checkpoint/checkpoint_columns.h"
#include "engine/checkpoint/project_stats.h"
#include "engine/checkpoint/struct_json.h"
#include "engine/checkpoint/vector_access.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr std::string_view kTextMap = "MAP(VARCHAR, VARCHAR)";
constexpr std::string_view kOtherActions[] = {"protocol",       "metaData", "txn",
                                              "domainMetadata", "sidecar",  "checkpointMetadata"};

Error BadRow(std::string_view what) {
  return CorruptLog("DELTA_CHECKPOINT_UNREADABLE", std::string(what));
}

// The columns of a deletion vector's descriptor in an add or remove.
struct VectorColumns {
  VectorColumns(CheckpointQuery& query, std::string_view action)
      : storage_type(query.Add({action, "deletionVector", "storageType"}, "VARCHAR")),
        path(query.Add({action, "deletionVector", "pathOrInlineDv"}, "VARCHAR")),
        offset(query.Add({action, "deletionVector", "offset"}, "INTEGER")),
        size(query.Add({action, "deletionVector", "sizeInBytes"}, "INTEGER")),
        cardinality(query.Add({action, "deletionVector", "cardinality"}, "BIGINT")) {}

  size_t storage_type, path, offset, size, cardinality;
};

class VectorReader {
 public:
  VectorReader(duckdb::DataChunk& chunk, const VectorColumns& columns)
      : storage_type_(chunk, columns.storage_type),
        path_(chunk, columns.path),
        offset_(chunk, columns.offset),
        size_(chunk, columns.size),
        cardinality_(chunk, columns.cardinality) {}

  // Some writers leave a struct of empty fields where there is no vector.
  std::optional<delta::DeletionVectorView> Get(size_t row) const {
    if (storage_type_.IsNull(row) || storage_type_[row].GetSize() == 0) return std::nullopt;
    std::string_view type = ViewOf(storage_type_[row]);
    bool known = type == "u" || type == "i" || type == "p";
    if (!known || path_.IsNull(row) || size_.IsNull(row) || size_[row] < 0 ||
        cardinality_.IsNull(row)) {
      Throw(BadRow(
          fmt::format("found a deletion vector of storage type '{}' that lacks a member", type)));
    }
    return delta::DeletionVectorView{type[0], ViewOf(path_[row]), offset_.Get(row), size_[row],
                                     cardinality_[row]};
  }

 private:
  FlatColumn<duckdb::string_t> storage_type_;
  FlatColumn<duckdb::string_t> path_;
  FlatColumn<int32_t> offset_;
  FlatColumn<int32_t> size_;
  FlatColumn<int64_t> cardinality_;
};

// The columns of add actions.
struct AddColumns {
  AddColumns(CheckpointQuery& query, const CheckpointSchema& schema, bool with_stats)
      : path(query.Add({"add", "path"}, "VARCHAR")),
        values(query.Add({"add", "partitionValues"}, kTextMap)),
        size(query.Add({"add", "size"}, "BIGINT")),
        time(query.Add({"add", "modificationTime"}, "BIGINT")),
        change(query.Add({"add", "dataChange"}, "BOOLEAN")),
        tags(query.Add({"add", "tags"}, kTextMap)),
        vector(query, "add"),
        base_row_id(query.Add({"add", "baseRowId"}, "BIGINT")),
        commit_version(query.Add({"add", "defaultRowCommitVersion"}, "BIGINT")),
        provider(query.Add({"add", "clusteringProvider"}, "VARCHAR")) {
    if (!schema.Has({"add", "partitionValues"}) && schema.Has({"add", "partitionValues_parsed"})) {
      parsed_values = query.AddAsIs({"add", "partitionValues_parsed"});
    }
    if (!with_stats) return;
    stats = query.Add({"add", "stats"}, "VARCHAR");
    if (schema.Has({"add", "stats_parsed"})) parsed_stats = query.AddAsIs({"add", "stats_parsed"});
  }

  size_t path, values, size, time, change, tags;
  VectorColumns vector;
  size_t base_row_id, commit_version, provider;
  std::optional<size_t> parsed_values, stats, parsed_stats;
};

class AddReader {
 public:
  explicit AddReader(AddColumns columns) : columns_(columns) {}

  void Take(duckdb::DataChunk& chunk, delta::CheckpointVisitor& visitor) {
    FlatColumn<duckdb::string_t> path(chunk, columns_.path);
    MapColumn values(chunk, columns_.values);
    FlatColumn<int64_t> size(chunk, columns_.size);
    FlatColumn<int64_t> time(chunk, columns_.time);
    FlatColumn<bool> change(chunk, columns_.change);
    MapColumn tags(chunk, columns_.tags);
    VectorReader vector(chunk, columns_.vector);
    FlatColumn<int64_t> base_row_id(chunk, columns_.base_row_id);
    FlatColumn<int64_t> commit_version(chunk, columns_.commit_version);
    FlatColumn<duckdb::string_t> provider(chunk, columns_.provider);
    for (size_t row = 0; row < chunk.size(); ++row) {
      if (path.IsNull(row)) continue;
      delta::AddView add;
      add.path = ViewOf(path[row]);
      if (size.IsNull(row))
        Throw(BadRow(fmt::format("the add action of {} has no size", add.path)));
      add.size = size[row];
      add.modification_time = time.Get(row).value_or(0);
      add.data_change = change.Get(row).value_or(false);
      values.Get(row, values_);
      if (columns_.parsed_values) ParsePartitionValues(chunk.data[*columns_.parsed_values], row);
      add.partition_values = values_;
      if (!tags.IsNull(row)) {
        tags.Get(row, tags_);
        add.tags = tags_;
      }
      add.deletion_vector = vector.Get(row);
      add.base_row_id = base_row_id.Get(row);
      add.default_row_commit_version = commit_version.Get(row);
      if (!provider.IsNull(row)) add.clustering_provider = ViewOf(provider[row]);
      add.stats = Stats(chunk, row);
      OrThrow(visitor.OnAdd(add));
    }
  }

 private:
  std::string_view Stats(duckdb::DataChunk& chunk, size_t row) {
    if (!columns_.stats) return {};
    FlatColumn<duckdb::string_t> stats(chunk, *columns_.stats);
    if (!stats.IsNull(row)) return ViewOf(stats[row]);
    text_.clear();
    if (columns_.parsed_stats) AppendJson(chunk.data[*columns_.parsed_stats], row, text_);
    return text_;
  }

  void ParsePartitionValues(duckdb::Vector& parsed, size_t row) {
    if (!duckdb::FlatVector::Validity(parsed).RowIsValid(row)) return;
    const auto& types = duckdb::StructType::GetChildTypes(parsed.GetType());
    auto& children = duckdb::StructVector::GetEntries(parsed);
    value_texts_.resize(children.size());
    for (size_t i = 0; i < children.size(); ++i) {
      auto& entry = values_.emplace_back();
      entry.key = types[i].first;
      value_texts_[i].clear();
      if (AppendPartitionText(*children[i], row, value_texts_[i])) entry.value = value_texts_[i];
    }
  }

  AddColumns columns_;
  std::vector<delta::MapEntryView> values_;
  std::vector<delta::MapEntryView> tags_;
  std::vector<std::string> value_texts_;
  std::string text_;
};

struct RemoveColumns {
  explicit RemoveColumns(CheckpointQuery& query)
      : path(query.Add({"remove", "path"}, "VARCHAR")),
        time(query.Add({"remove", "deletionTimestamp"}, "BIGINT")),
        change(query.Add({"remove", "dataChange"}, "BOOLEAN")),
        extended(query.Add({"remove", "extendedFileMetadata"}, "BOOLEAN")),
        values(query.Add({"remove", "partitionValues"}, kTextMap)),
        size(query.Add({"remove", "size"}, "BIGINT")),
        vector(query, "remove"),
        base_row_id(query.Add({"remove", "baseRowId"}, "BIGINT")),
        commit_version(query.Add({"remove", "defaultRowCommitVersion"}, "BIGINT")) {}

  size_t path, time, change, extended, values, size;
  VectorColumns vector;
  size_t base_row_id, commit_version;
};

void TakeRemoves(duckdb::DataChunk& chunk, const RemoveColumns& columns,
                 delta::CheckpointVisitor& visitor) {
  FlatColumn<duckdb::string_t> path(chunk, columns.path);
  FlatColumn<bool> change(chunk, columns.change);
  FlatColumn<bool> extended(chunk, columns.extended);
  MapColumn values(chunk, columns.values);
  VectorReader vectors(chunk, columns.vector);
  std::vector<delta::MapEntryView> entries;
  for (size_t row = 0; row < chunk.size(); ++row) {
    if (path.IsNull(row)) continue;
    delta::RemoveFile remove;
    remove.path = ViewOf(path[row]);
    remove.deletion_timestamp = FlatColumn<int64_t>(chunk, columns.time).Get(row);
    remove.data_change = change.Get(row).value_or(false);
    remove.extended_file_metadata = extended.Get(row).value_or(false);
    values.Get(row, entries);
    for (const auto& entry : entries) {
      bool is_null = !entry.value || entry.value->empty();
      remove.partition_values.insert_or_assign(
          std::string(entry.key),
          is_null ? std::nullopt : std::optional<std::string>(*entry.value));
    }
    remove.size = FlatColumn<int64_t>(chunk, columns.size).Get(row);
    if (auto vector = vectors.Get(row)) {
      remove.deletion_vector = {vector->storage_type, std::string(vector->path_or_inline_dv),
                                vector->offset, vector->size_in_bytes, vector->cardinality};
    }
    remove.base_row_id = FlatColumn<int64_t>(chunk, columns.base_row_id).Get(row);
    remove.default_row_commit_version = FlatColumn<int64_t>(chunk, columns.commit_version).Get(row);
    OrThrow(visitor.OnRemove(std::move(remove)));
  }
}

struct OtherColumn {
  std::string_view action;
  size_t column;
};

// There are few of these, so they go through DuckDB's values and the parser of actions.
void TakeOthers(duckdb::DataChunk& chunk, const std::vector<OtherColumn>& columns,
                delta::CheckpointVisitor& visitor) {
  for (const auto& [action, column] : columns) {
    const auto& valid = duckdb::FlatVector::Validity(chunk.data[column]);
    for (size_t row = 0; row < chunk.size(); ++row) {
      if (!valid.RowIsValid(row)) continue;
      auto parsed = ActionFromValue(action, chunk.GetValue(column, row));
      if (!parsed) Throw(parsed.error());
      if (*parsed) OrThrow(visitor.OnAction(std::move(**parsed)));
    }
  }
}

}  // namespace

void CheckpointReader::Read(const delta::CheckpointColumns& columns,
                            delta::CheckpointVisitor& visitor) {
  CheckpointSchema schema(connection_, file_);
  CheckpointQuery query(schema, file_);
  std::unique_ptr<AddReader> adds;
  std::optional<RemoveColumns> removes;
  std::vector<OtherColumn> others;
  if (columns.adds && schema.Has({"add", "path"})) {
    adds = std::make_unique<AddReader>(AddColumns(query, schema, columns.stats));
  }
  if (columns.removes && schema.Has({"remove", "path"})) removes.emplace(query);
  for (std::string_view action : kOtherActions) {
    const auto* type = columns.other_actions ? schema.Find({action}) : nullptr;
    if (type == nullptr || type->id() != duckdb::LogicalTypeId::STRUCT) continue;
    others.push_back({action, query.AddAsIs({action})});
  }
  if (!adds && !removes && others.empty()) return;
  ForEachChunk(connection_, query.ToSql(), [&](duckdb::DataChunk& chunk) {
    TakeOthers(chunk, others, visitor);
    if (adds) adds->Take(chunk, visitor);
    if (removes) TakeRemoves(chunk, *removes, visitor);
  });
}

namespace {

// Statistics of some columns out of stats_parsed: only their leaves are decoded.
class ParsedStatsReader {
 public:
  ParsedStatsReader(CheckpointQuery& query, const CheckpointSchema& schema,
                    const std::vector<std::string>& stats_columns) {
    for (std::string_view member : {"numRecords", "tightBounds"}) {
      if (!schema.Has({"add", "stats_parsed", member})) continue;
      AddGroup(std::string(member)).scalar = query.AddAsIs({"add", "stats_parsed", member});
    }
    for (std::string_view member : {"minValues", "maxValues", "nullCount"}) {
      Group& group = AddGroup(std::string(member));
      for (const auto& name : stats_columns) {
        if (!schema.Has({"add", "stats_parsed", member, name})) continue;
        group.columns.emplace_back(name, query.AddAsIs({"add", "stats_parsed", member, name}));
      }
    }
  }

  std::string_view Text(duckdb::DataChunk& chunk, size_t row) {
    text_.clear();
    text_ += '{';
    for (const auto& group : groups_) {
      size_t before = text_.size();
      AppendName(group.name);
      bool any = group.scalar ? AppendJson(chunk.data[*group.scalar], row, text_)
                              : AppendColumns(chunk, row, group);
      if (!any) text_.resize(before);
    }
    text_ += '}';
    // An add without statistics has no record count either.
    return text_.size() == 2 ? std::string_view() : text_;
  }

 private:
  struct Group {
    std::string name;
    std::optional<size_t> scalar;
    std::vector<std::pair<std::string, size_t>> columns;
  };

  Group& AddGroup(std::string name) {
    groups_.push_back({std::move(name), std::nullopt, {}});
    return groups_.back();
  }

  void AppendName(const std::string& name) {
    if (text_.back() != '{') text_ += ',';
    AppendJsonString(text_, name);
    text_ += ':';
  }

  bool AppendColumns(duckdb::DataChunk& chunk, size_t row, const Group& group) {
    bool any = false;
    text_ += '{';
    for (const auto& [name, column] : group.columns) {
      size_t before = text_.size();
      AppendName(name);
      if (AppendJson(chunk.data[column], row, text_)) {
        any = true;
      } else {
        text_.resize(before);
      }
    }
    text_ += '}';
    return any;
  }

  std::vector<Group> groups_;
  std::string text_;
};

}  // namespace

size_t CheckpointReader::ReadStats(const std::optional<std::vector<std::string>>& stats_columns,
                                   size_t first,
                                   const std::function<Status(size_t, std::string_view)>& receive) {
  CheckpointSchema schema(connection_, file_);
  if (!schema.Has({"add", "path"})) return first;
  CheckpointQuery query(schema, file_);
  // The size is required of an add, and cheaper to decode than the path.
  size_t size = query.Add({"add", "size"}, "BIGINT");
  bool has_parsed = schema.Has({"add", "stats_parsed"});
  std::optional<ParsedStatsReader> parsed;
  std::optional<size_t> whole_parsed;
  std::optional<size_t> text;
  if (stats_columns && has_parsed) {
    parsed.emplace(query, schema, *stats_columns);
  } else {
    text = query.Add({"add", "stats"}, "VARCHAR");
    if (has_parsed) whole_parsed = query.AddAsIs({"add", "stats_parsed"});
  }
  StatsProjector projector(stats_columns);
  std::string made;
  size_t next = first;
  ForEachChunk(connection_, query.ToSql(), [&](duckdb::DataChunk& chunk) {
    FlatColumn<int64_t> sizes(chunk, size);
    for (size_t row = 0; row < chunk.size(); ++row) {
      if (sizes.IsNull(row)) continue;
      std::string_view json;
      if (parsed) {
        json = parsed->Text(chunk, row);
      } else if (FlatColumn<duckdb::string_t> texts(chunk, *text); !texts.IsNull(row)) {
        json = projector.Project(ViewOf(texts[row]));
      } else if (whole_parsed) {
        made.clear();
        AppendJson(chunk.data[*whole_parsed], row, made);
        json = made;
      }
      OrThrow(receive(next++, json));
    }
  });
  return next;
}

}  // namespace weir::engine
