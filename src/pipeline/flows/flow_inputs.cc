// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/flow_inputs.h"

#include <algorithm>

#include "base/text.h"
#include "pipeline/sources/file_source.h"
#include "pipeline/sources/table_source.h"
#include "pipeline/spark/spark_json.h"

namespace weir::pipeline {
namespace {

/// The flows of all temporary views that `flow` reads, directly or not, each behind those it reads.
void CollectViews(const Graph& graph, size_t flow, std::vector<size_t>& queries) {
  for (size_t input : graph.flows()[flow].inputs) {
    if (graph.datasets()[input].is_table()) continue;
    for (size_t view_flow : graph.datasets()[input].flows) {
      if (std::ranges::find(queries, view_flow) == queries.end())
        CollectViews(graph, view_flow, queries);
    }
  }
  queries.push_back(flow);
}

}  // namespace

Result<FlowInputs> FlowInputs::Open(engine::Session& session, const Graph& graph, size_t flow,
                                    const std::string& root, const DatasetColumns& known) {
  FlowInputs inputs;
  inputs.session_ = &session;
  inputs.graph_ = &graph;
  inputs.flow_ = flow;
  CollectViews(graph, flow, inputs.queries_);
  for (size_t query : inputs.queries_) {
    for (const SourceReference& reference : graph.flows()[query].query.sources) {
      const Status added = inputs.AddSource(reference, root, known);
      if (!added)
        return Fail(added.error().WithContext(graph.flows()[query].flow.origin.ToString()));
    }
  }
  return inputs;
}

Status FlowInputs::AddSource(const SourceReference& reference, const std::string& root,
                             const DatasetColumns& known) {
  std::unique_ptr<StreamSource> source;
  if (reference.is_files()) {
    source = std::make_unique<FileSource>(*session_, reference.files, root);
  } else {
    const std::optional<size_t> dataset = graph_->Find(reference.table);
    if (dataset && !graph_->datasets()[*dataset].is_table()) return {};
    const QualifiedName& name = dataset ? graph_->datasets()[*dataset].full_name : reference.table;
    std::vector<Column> columns;
    if (dataset) {
      if (const auto found = known.find(*dataset); found != known.end()) columns = found->second;
    }
    source =
        std::make_unique<TableSource>(*session_, name, std::move(columns), reference.change_feed);
  }
  if (!reference.stream) {
    whole_folders_[reference.relation] = std::move(source);
    return {};
  }
  key_of_relation_[reference.relation] = source->key();
  streams_.try_emplace(source->key(), std::move(source));
  return {};
}

Status FlowInputs::Replay(const std::vector<BatchOffsets>& history) {
  for (const BatchOffsets& batch : history) {
    for (const auto& [key, offset] : batch) {
      // A source that the flow no longer reads keeps its past in the checkpoint and is left alone.
      const auto stream = streams_.find(key);
      if (stream != streams_.end()) WEIR_RETURN_IF_ERROR(stream->second->Replay(offset));
    }
  }
  return {};
}

Result<BatchOffsets> FlowInputs::Plan() {
  BatchOffsets offsets;
  for (const auto& [key, stream] : streams_) {
    WEIR_ASSIGN_OR_RETURN(std::optional<JsonValue> offset, stream->Plan());
    if (offset) offsets.emplace(key, std::move(*offset));
  }
  return offsets;
}

Result<BatchOffsets> FlowInputs::PlanForColumns() {
  BatchOffsets offsets;
  for (const auto& [key, stream] : streams_) {
    if (stream->Columns(std::nullopt)) continue;
    WEIR_ASSIGN_OR_RETURN(std::optional<JsonValue> offset, stream->Plan());
    if (offset) offsets.emplace(key, std::move(*offset));
  }
  return offsets;
}

BatchOffsets FlowInputs::Compact() const {
  BatchOffsets offsets;
  for (const auto& [key, stream] : streams_) offsets.emplace(key, stream->Compact());
  return offsets;
}

int64_t FlowInputs::CountFiles(const BatchOffsets& offsets) const {
  int64_t files = 0;
  for (const auto& [key, offset] : offsets) {
    const auto stream = streams_.find(key);
    if (stream != streams_.end()) files += stream->second->CountFiles(offset);
  }
  return files;
}

int64_t FlowInputs::Backlog() const {
  int64_t files = 0;
  for (const auto& [key, stream] : streams_) files += stream->backlog();
  return files;
}

Result<int64_t> FlowInputs::SetAside(const BatchOffsets& offsets, const std::string& batch) {
  int64_t count = 0;
  int number = 0;
  for (const auto& [key, stream] : streams_) {
    const std::string name = batch + "-" + std::to_string(number++) + ".json";
    const auto offset = offsets.find(key);
    if (offset == offsets.end()) continue;
    WEIR_ASSIGN_OR_RETURN(const int64_t found, stream->SetAside(offset->second, name));
    count += found;
  }
  return count;
}

Result<std::string> FlowInputs::Relation(const SourceReference& reference,
                                         const BatchOffsets& offsets, bool rows) {
  const auto whole = whole_folders_.find(reference.relation);
  if (whole != whole_folders_.end()) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<JsonValue> everything, whole->second->Plan());
    if (rows && everything) return whole->second->Read(*everything);
    WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns, whole->second->Columns(everything));
    return EmptyRelation(columns);
  }
  const auto key = key_of_relation_.find(reference.relation);
  if (key == key_of_relation_.end()) {
    return "SELECT * FROM " + QuoteIdentifier(reference.table.last());
  }
  StreamSource& stream = *streams_.at(key->second);
  const auto offset = offsets.find(key->second);
  if (rows && offset != offsets.end()) return stream.Read(offset->second);
  WEIR_ASSIGN_OR_RETURN(
      const std::vector<Column> columns,
      stream.Columns(offset == offsets.end() ? std::optional<JsonValue>() : offset->second));
  return EmptyRelation(columns);
}

Result<std::vector<ExpectationCount>> FlowInputs::Bind(engine::Session& session,
                                                       const BatchOffsets& offsets, bool rows) {
  std::vector<ExpectationCount> counts;
  for (size_t query : queries_) {
    const GraphFlow& flow = graph_->flows()[query];
    const std::string place = flow.flow.origin.ToString() + ": flow `" + flow.flow.name + "`";
    for (const SourceReference& reference : flow.query.sources) {
      auto relation = Relation(reference, offsets, rows);
      if (!relation) return Fail(relation.error().WithContext(place));
      WEIR_RETURN_IF_ERROR(session.Execute("CREATE OR REPLACE TEMP VIEW " +
                                           QuoteIdentifier(reference.relation) + " AS " +
                                           *relation));
    }
    if (query == flow_) continue;
    const Dataset& view = graph_->datasets()[flow.target].declared;
    const Status made =
        session.Execute("CREATE OR REPLACE TEMP VIEW " + QuoteIdentifier(flow.flow.target.last()) +
                        " AS " + KeepExpected(view, flow.query.sql));
    if (!made) return Fail(made.error().WithContext(place));
    WEIR_ASSIGN_OR_RETURN(const auto found, CountExpectations(session, view, flow.query.sql));
    counts.insert(counts.end(), found.begin(), found.end());
  }
  return counts;
}

Result<JsonValue> FlowInputs::DescribeSource(const SourceReference& reference,
                                             const BatchOffsets& offsets) {
  JsonValue json = JsonValue::Object({{"relation", JsonValue::String(reference.relation)}});
  StreamSource* source = nullptr;
  std::optional<JsonValue> offset;
  const auto whole = whole_folders_.find(reference.relation);
  const auto key = key_of_relation_.find(reference.relation);
  if (whole != whole_folders_.end()) {
    source = whole->second.get();
    WEIR_ASSIGN_OR_RETURN(offset, source->Plan());
  } else if (key != key_of_relation_.end()) {
    source = streams_.at(key->second).get();
    if (const auto taken = offsets.find(key->second); taken != offsets.end())
      offset = taken->second;
  } else {
    json.Set("view", JsonValue::String(reference.table.last()));
    return json;
  }
  if (offset) {
    WEIR_ASSIGN_OR_RETURN(const JsonValue what, source->Describe(*offset));
    for (const auto& [name, value] : what.members()) json.Set(name, value);
  }
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns, source->Columns(offset));
  WEIR_ASSIGN_OR_RETURN(JsonValue described, DescribeForSpark(columns));
  json.Set("columns", std::move(described));
  return json;
}

Result<JsonValue> FlowInputs::Describe(TableStore& store, const BatchOffsets& offsets) {
  JsonValue sources = JsonValue::Array();
  JsonValue tables = JsonValue::Array();
  JsonValue views = JsonValue::Array();
  const auto add_table = [&](const QualifiedName& name) -> Status {
    JsonValue parts = JsonValue::Array();
    for (const std::string& part : name.parts) parts.items().push_back(JsonValue::String(part));
    WEIR_ASSIGN_OR_RETURN(const std::string location, store.Location(name));
    tables.items().push_back(
        JsonValue::Object({{"name", std::move(parts)}, {"location", JsonValue::String(location)}}));
    return {};
  };
  for (size_t query : queries_) {
    const GraphFlow& flow = graph_->flows()[query];
    for (const SourceReference& reference : flow.query.sources) {
      WEIR_ASSIGN_OR_RETURN(JsonValue source, DescribeSource(reference, offsets));
      sources.items().push_back(std::move(source));
    }
    for (size_t input : flow.inputs) {
      const GraphDataset& dataset = graph_->datasets()[input];
      if (!dataset.is_table()) continue;
      WEIR_ASSIGN_OR_RETURN(const auto there, store.Columns(dataset.full_name));
      if (there) WEIR_RETURN_IF_ERROR(add_table(dataset.full_name));
    }
    for (const QualifiedName& table : flow.outside) WEIR_RETURN_IF_ERROR(add_table(table));
    if (query == flow_) continue;
    const Dataset& view = graph_->datasets()[flow.target].declared;
    views.items().push_back(JsonValue::Object({{"name", JsonValue::String(flow.flow.target.last())},
                                               {"sql", JsonValue::String(flow.query.spark_sql)},
                                               {"expectations", DescribeExpectations(view)}}));
  }
  return JsonValue::Object({{"sources", std::move(sources)},
                            {"tables", std::move(tables)},
                            {"views", std::move(views)}});
}

}  // namespace weir::pipeline
