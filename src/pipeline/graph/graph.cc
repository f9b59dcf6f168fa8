// SPDX-License-Identifier: Apache-2.0
#include "pipeline/graph/graph.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "pipeline/graph/table_references.h"

namespace weir::pipeline {
namespace {

bool IsAutoCdc(const Flow& flow) {
  return flow.kind == FlowKind::kAutoCdc || flow.kind == FlowKind::kSnapshotCdc;
}

std::string Describe(const Flow& flow) {
  return flow.origin.ToString() + ": flow `" + flow.name + "`";
}

Error WrongQuery(const Flow& flow, std::string_view kind, const std::string& message) {
  return InvalidArgument("INVALID_FLOW_QUERY_TYPE." + std::string(kind),
                         Describe(flow) + " " + message, "42000");
}

/// LIVE.name, as Databricks wrote the pipeline's own datasets before, is name.
QualifiedName WithoutLive(QualifiedName name) {
  if (name.parts.size() == 2 && EqualsIgnoreCase(name.parts[0], "live"))
    name.parts.erase(name.parts.begin());
  return name;
}

std::set<std::string> LowerSet(const std::vector<std::string>& names) {
  std::set<std::string> lower;
  for (const std::string& name : names) lower.insert(ToLowerAscii(name));
  return lower;
}

void AddOnce(std::vector<size_t>& list, size_t value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// Whether the kind of a flow's query fits the kind of its target.
Status CheckQueryKind(const GraphFlow& flow, const Dataset& target) {
  const std::string into =
      "into " + std::string(ToString(target.kind)) + " `" + target.name.ToString() + "`";
  if (IsAutoCdc(flow.flow) && !target.is_table()) {
    return Fail(WrongQuery(flow.flow, "AUTOCDC_RELATION_FOR_TEMPORARY_VIEW",
                           "is AUTO CDC " + into + "; it needs CREATE STREAMING TABLE"));
  }
  if (IsAutoCdc(flow.flow) && target.kind == DatasetKind::kMaterializedView) {
    return Fail(WrongQuery(flow.flow, "AUTOCDC_RELATION_FOR_MATERIALIZED_VIEW",
                           "is AUTO CDC " + into + "; it needs CREATE STREAMING TABLE"));
  }
  if (flow.flow.kind == FlowKind::kAppend && target.kind != DatasetKind::kStreamingTable) {
    return Fail(WrongQuery(flow.flow, "STREAMING_RELATION_FOR_MATERIALIZED_VIEW",
                           "inserts " + into + ", which has a query of its own"));
  }
  if (flow.flow.kind == FlowKind::kRecompute && flow.streaming) {
    return Fail(WrongQuery(
        flow.flow, "STREAMING_RELATION_FOR_MATERIALIZED_VIEW",
        "reads a stream " + into + "; read the table itself, or make it a streaming table"));
  }
  if (target.kind == DatasetKind::kPersistedView && flow.streaming) {
    return Fail(WrongQuery(flow.flow, "STREAMING_RELATION_FOR_PERSISTED_VIEW",
                           "reads a stream " + into + "; make it a TEMPORARY VIEW"));
  }
  if (flow.flow.kind == FlowKind::kAppend && flow.flow.once && flow.streaming) {
    return Fail(WrongQuery(flow.flow, "STREAMING_RELATION_FOR_ONCE_FLOW",
                           "runs ONCE but reads a stream; leave ONCE or STREAM out"));
  }
  const bool wants_stream = !flow.flow.once && (flow.flow.kind == FlowKind::kAutoCdc ||
                                                flow.flow.kind == FlowKind::kAppend);
  if (wants_stream && !flow.streaming) {
    return Fail(WrongQuery(flow.flow, "BATCH_RELATION_FOR_STREAMING_TABLE",
                           "reads no stream " + into + "; write FROM STREAM(name)"));
  }
  return {};
}

Status CheckClauses(const Flow& flow) {
  const AutoCdcClauses& clauses = flow.auto_cdc;
  if (clauses.scd_type == 1 && clauses.track_history.kind != ColumnSelection::Kind::kAll) {
    return Fail(InvalidArgument(
        "AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2",
        Describe(flow) + " has TRACK HISTORY ON but is stored as SCD type 1; add STORED AS SCD "
                         "TYPE 2",
        "42613"));
  }
  if (clauses.scd_type == 2 && !clauses.truncate_when.empty()) {
    return Fail(InvalidArgument(
        "AUTOCDC_TRUNCATE_REQUIRES_SCD1",
        Describe(flow) + " has APPLY AS TRUNCATE WHEN but is stored as SCD type 2, whose "
                         "history a truncation would lose",
        "42613"));
  }
  return {};
}

}  // namespace

Result<Graph> Graph::Build(const Definitions& definitions, const PipelineSpec& spec,
                           engine::Session& session) {
  Graph graph;
  graph.catalog_ = spec.catalog;
  graph.database_ = spec.database;
  WEIR_RETURN_IF_ERROR(graph.AddDatasets(definitions));
  WEIR_RETURN_IF_ERROR(graph.AddFlows(definitions, session));
  WEIR_RETURN_IF_ERROR(graph.Sort());
  graph.FindStreams();
  graph.ChooseKinds();
  graph.TurnOnFeeds();
  WEIR_RETURN_IF_ERROR(graph.CheckFlows());
  return graph;
}

std::string Graph::Key(const QualifiedName& name) const {
  std::vector<std::string> parts = name.parts;
  if (parts.size() == 1) parts.insert(parts.begin(), database_);
  if (parts.size() == 2) parts.insert(parts.begin(), catalog_);
  if (EqualsIgnoreCase(parts[1], "default")) parts[1] = "main";
  return ToLowerAscii(QualifiedName{parts}.ToString());
}

std::optional<size_t> Graph::Find(const QualifiedName& name) const {
  auto found = name.parts.size() == 1 ? by_name_.find(ToLowerAscii(name.last())) : by_name_.end();
  if (found == by_name_.end()) found = by_name_.find(Key(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

Status Graph::AddDatasets(const Definitions& definitions) {
  for (Dataset declared : definitions.datasets) {
    declared.name = WithoutLive(declared.name);
    GraphDataset dataset{declared, declared.name, {}, false};
    std::string key = ToLowerAscii(declared.name.last());
    if (dataset.is_table()) {
      key = Key(declared.name);
      const std::vector<std::string>& parts = declared.name.parts;
      const std::string schema = parts.size() > 1 ? parts[parts.size() - 2] : database_;
      dataset.full_name.parts = {parts.size() == 3 ? parts[0] : catalog_,
                                 EqualsIgnoreCase(schema, "default") ? "main" : schema,
                                 declared.name.last()};
    }
    const auto [place, fresh] = by_name_.emplace(key, datasets_.size());
    if (!fresh) {
      return Fail(InvalidArgument("PIPELINE_DUPLICATE_IDENTIFIERS.OUTPUT",
                                  declared.origin.ToString() + ": `" + declared.name.ToString() +
                                      "` is already defined at " +
                                      datasets_[place->second].declared.origin.ToString(),
                                  "42710"));
    }
    datasets_.push_back(std::move(dataset));
  }
  const bool any_table = std::ranges::any_of(datasets_, &GraphDataset::is_table);
  if (any_table) return {};
  return Fail(InvalidArgument(
      "RUN_EMPTY_PIPELINE",
      "the pipeline defines no table; its definition files (`libraries` of the spec) need a "
      "CREATE STREAMING TABLE or CREATE MATERIALIZED VIEW",
      "42617"));
}

Status Graph::AddFlows(const Definitions& definitions, engine::Session& session) {
  std::map<std::string, Origin> names;
  for (Flow flow : definitions.flows) {
    flow.target = WithoutLive(flow.target);
    const auto [place, fresh] = names.emplace(ToLowerAscii(flow.name), flow.origin);
    if (!fresh) {
      return Fail(InvalidArgument(
          "PIPELINE_DUPLICATE_IDENTIFIERS.FLOW",
          Describe(flow) + " is already defined at " + place->second.ToString(), "42710"));
    }
    const std::optional<size_t> target = Find(flow.target);
    if (!target) {
      return Fail(
          InvalidArgument("TABLE_OR_VIEW_NOT_FOUND",
                          Describe(flow) + " writes to `" + flow.target.ToString() +
                              "`, which the pipeline does not define; add CREATE STREAMING TABLE " +
                              flow.target.ToString(),
                          "42P01"));
    }
    GraphFlow linked{flow, {}, *target, {}, {}, false};
    WEIR_RETURN_IF_ERROR(LinkFlow(linked, session));
    datasets_[*target].flows.push_back(flows_.size());
    flows_.push_back(std::move(linked));
  }
  return {};
}

Status Graph::LinkFlow(GraphFlow& flow, engine::Session& session) {
  auto rewritten = RewriteQuery(flow.flow.query, "__weir_" + flow.flow.name + "_", catalog_);
  if (!rewritten) return Fail(rewritten.error().WithContext(Describe(flow.flow)));
  flow.query = std::move(*rewritten);
  auto tables = TableReferences(session, flow.query.sql);
  if (!tables) return Fail(tables.error().WithContext(Describe(flow.flow)));

  std::vector<QualifiedName> names;
  for (const QualifiedName& table : *tables) {
    const auto stands_for =
        std::ranges::find(flow.query.sources, table.last(), &SourceReference::relation);
    if (stands_for == flow.query.sources.end()) {
      names.push_back(table);
    } else if (!stands_for->is_files()) {
      names.push_back(stands_for->table);
    }
  }
  for (const QualifiedName& name : names) {
    if (const std::optional<size_t> dataset = Find(name)) {
      AddOnce(flow.inputs, *dataset);
    } else {
      flow.outside.push_back(name);
    }
  }
  return {};
}

Status Graph::Sort() {
  enum class Mark { kNew, kOpen, kDone };
  std::vector<Mark> marks(datasets_.size(), Mark::kNew);
  std::vector<size_t> path;
  std::string cycle;
  const auto visit = [&](const auto& self, size_t at) -> bool {
    if (marks[at] == Mark::kDone) return true;
    if (marks[at] == Mark::kOpen) {
      const auto first = std::ranges::find(path, at);
      for (auto it = first; it != path.end(); ++it)
        cycle += datasets_[*it].declared.name.ToString() + " -> ";
      cycle += datasets_[at].declared.name.ToString();
      return false;
    }
    marks[at] = Mark::kOpen;
    path.push_back(at);
    for (size_t flow : datasets_[at].flows) {
      for (size_t input : flows_[flow].inputs) {
        if (!self(self, input)) return false;
      }
    }
    path.pop_back();
    marks[at] = Mark::kDone;
    order_.push_back(at);
    return true;
  };
  for (size_t at = 0; at < datasets_.size(); ++at) {
    if (!visit(visit, at)) {
      return Fail(InvalidArgument("PIPELINE_GRAPH_NOT_TOPOLOGICALLY_SORTED",
                                  "these datasets read one another in a circle: " + cycle,
                                  "42000"));
    }
  }
  return {};
}

void Graph::FindStreams() {
  const auto streams = [&](size_t dataset) {
    return std::ranges::any_of(datasets_[dataset].flows,
                               [&](size_t flow) { return flows_[flow].streaming; });
  };
  for (size_t at : order_) {
    for (size_t index : datasets_[at].flows) {
      GraphFlow& flow = flows_[index];
      for (const SourceReference& source : flow.query.sources) {
        const std::optional<size_t> dataset = source.is_files() ? std::nullopt : Find(source.table);
        const bool is_view = dataset && !datasets_[*dataset].is_table();
        flow.streaming |= source.stream && !is_view;
        if (dataset && source.stream) datasets_[*dataset].streamed = true;
      }
      for (size_t input : flow.inputs)
        flow.streaming |= !datasets_[input].is_table() && streams(input);
    }
  }
}

/// Tables that are streaming tables or materialized views as their queries have it.
void Graph::ChooseKinds() {
  for (GraphDataset& dataset : datasets_) {
    const bool batch = std::ranges::all_of(dataset.flows, [&](size_t flow) {
      return flows_[flow].flow.kind == FlowKind::kAppend && !flows_[flow].streaming;
    });
    if (!dataset.declared.either || !batch) continue;
    dataset.declared.kind = DatasetKind::kMaterializedView;
    for (size_t flow : dataset.flows) flows_[flow].flow.kind = FlowKind::kRecompute;
  }
}

/// A table that is read as a stream has its change feed on, unless its definition says otherwise:
/// the streams read it, instead of comparing versions.
void Graph::TurnOnFeeds() {
  constexpr const char* kFeed = "delta.enableChangeDataFeed";
  for (GraphDataset& dataset : datasets_) {
    auto& properties = dataset.declared.properties;
    const bool said = std::ranges::any_of(
        properties, [](const auto& property) { return EqualsIgnoreCase(property.first, kFeed); });
    if (dataset.streamed && dataset.is_table() && !said) properties.emplace_back(kFeed, "true");
  }
}

Status Graph::CheckFlows() const {
  for (const GraphDataset& dataset : datasets_) {
    if (dataset.flows.empty()) {
      return Fail(InvalidArgument("PIPELINE_DATASET_WITHOUT_FLOW",
                                  dataset.declared.origin.ToString() + ": nothing fills `" +
                                      dataset.declared.name.ToString() +
                                      "`; add AS query or CREATE FLOW ... INTO it",
                                  "0A000"));
    }
    for (size_t flow : dataset.flows) {
      WEIR_RETURN_IF_ERROR(CheckQueryKind(flows_[flow], dataset.declared));
      WEIR_RETURN_IF_ERROR(CheckClauses(flows_[flow].flow));
    }
    WEIR_RETURN_IF_ERROR(CheckTogether(dataset));
  }
  return {};
}

Status Graph::CheckTogether(const GraphDataset& dataset) const {
  const auto differs = [&](size_t index) {
    const Flow& flow = flows_[index].flow;
    const Flow& first = flows_[dataset.flows[0]].flow;
    return flow.kind != FlowKind::kAutoCdc || first.kind != FlowKind::kAutoCdc ||
           flow.auto_cdc.scd_type != first.auto_cdc.scd_type ||
           LowerSet(flow.auto_cdc.keys) != LowerSet(first.auto_cdc.keys);
  };
  const bool cdc =
      std::ranges::any_of(dataset.flows, [&](size_t flow) { return IsAutoCdc(flows_[flow].flow); });
  if (!cdc || dataset.flows.size() < 2 || std::ranges::none_of(dataset.flows, differs)) return {};
  std::string names;
  for (size_t flow : dataset.flows)
    names += (names.empty() ? "`" : ", `") + flows_[flow].flow.name + "`";
  return Fail(InvalidArgument(
      "AUTOCDC_MULTIPLE_FLOWS_TO_TARGET",
      "table `" + dataset.declared.name.ToString() + "` is filled by flows " + names +
          "; beside an AUTO CDC flow there may only be others, from streams, with the same KEYS "
          "and SCD type",
      "42000"));
}

}  // namespace weir::pipeline
