// SPDX-License-Identifier: Apache-2.0
//
// How the datasets and flows of a pipeline hang together. A flow reads datasets and fills one; the
// graph knows who reads whom, refuses what cannot work before anything runs, and says in which
// order the datasets come.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/spec/definitions.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/spec/query_text.h"

namespace weir::pipeline {

struct GraphFlow {
  Flow flow;
  RewrittenQuery query;
  size_t target = 0;                   ///< Index of the dataset it fills.
  std::vector<size_t> inputs;          ///< Indices of the datasets it reads, each once.
  std::vector<QualifiedName> outside;  ///< Tables it reads that the pipeline does not define.
  bool streaming = false;  ///< Its query reads a stream, itself or through a temporary view.
};

struct GraphDataset {
  Dataset declared;
  QualifiedName full_name;    ///< {catalog, schema, table}; {name} for a temporary view.
  std::vector<size_t> flows;  ///< Indices of the flows that fill it.
  bool streamed = false;      ///< Some flow reads it as a stream.

  bool is_table() const { return declared.is_table(); }
  const std::string& short_name() const { return declared.name.last(); }
};

class Graph {
 public:
  /// Checks and links the definitions. `session` parses the queries; no table is read.
  /// Errors (kInvalidArgument): RUN_EMPTY_PIPELINE, PIPELINE_DUPLICATE_IDENTIFIERS.OUTPUT and
  /// .FLOW, PIPELINE_DATASET_WITHOUT_FLOW, PIPELINE_GRAPH_NOT_TOPOLOGICALLY_SORTED with the cycle,
  /// INVALID_FLOW_QUERY_TYPE.*, AUTOCDC_MULTIPLE_FLOWS_TO_TARGET,
  /// AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2, TABLE_OR_VIEW_NOT_FOUND for a flow's target,
  /// PARSE_SYNTAX_ERROR for a query that DuckDB cannot parse.
  static Result<Graph> Build(const Definitions& definitions, const PipelineSpec& spec,
                             engine::Session& session);

  const std::vector<GraphDataset>& datasets() const { return datasets_; }
  const std::vector<GraphFlow>& flows() const { return flows_; }
  /// Indices of all datasets, each behind those that it reads.
  const std::vector<size_t>& order() const { return order_; }

  /// The dataset that a query means by `name`; nullopt when it is none of the pipeline's.
  std::optional<size_t> Find(const QualifiedName& name) const;

 private:
  Status AddDatasets(const Definitions& definitions);
  Status AddFlows(const Definitions& definitions, engine::Session& session);
  Status LinkFlow(GraphFlow& flow, engine::Session& session);
  Status Sort();
  void FindStreams();
  void ChooseKinds();
  void TurnOnFeeds();
  Status CheckFlows() const;
  Status CheckTogether(const GraphDataset& dataset) const;
  std::string Key(const QualifiedName& name) const;

  std::string catalog_;
  std::string database_;
  std::vector<GraphDataset> datasets_;
  std::vector<GraphFlow> flows_;
  std::vector<size_t> order_;
  std::map<std::string, size_t> by_name_;  ///< Lower-case full name, or a temporary view's name.
};

}  // namespace weir::pipeline
