// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/expectations.h"
#include "pipeline/flows/table_store.h"
#include "pipeline/graph/graph.h"
#include "pipeline/sources/checkpoint.h"
#include "pipeline/sources/stream_source.h"

namespace weir::pipeline {

/// The columns of the pipeline's datasets as far as they are known, by index in the graph.
using DatasetColumns = std::map<size_t, std::vector<Column>>;

/// Everything that one flow reads, itself and through temporary views: its streams, and the
/// temporary views of the session that stand for them in the flow's query. Not thread-safe; graph
/// and session must outlive it.
class FlowInputs {
 public:
  /// Opens the streams; reads nothing yet. `root` is the project's folder.
  static Result<FlowInputs> Open(engine::Session& session, const Graph& graph, size_t flow,
                                 const std::string& root, const DatasetColumns& known);

  /// Tells the streams what earlier batches took.
  Status Replay(const std::vector<BatchOffsets>& history);
  /// What is new in the streams; empty when nothing is.
  Result<BatchOffsets> Plan();
  /// As Plan, for those streams alone whose columns are not known without.
  Result<BatchOffsets> PlanForColumns();
  /// One offset per stream that stands for the whole past.
  BatchOffsets Compact() const;
  int64_t CountFiles(const BatchOffsets& offsets) const;
  /// Files that the last Plan saw and left for later.
  int64_t Backlog() const;

  /// Writes down the records of a batch that cannot be read, where a stream has a place for them,
  /// in files named for the batch; returns how many there are.
  Result<int64_t> SetAside(const BatchOffsets& offsets, const std::string& batch);

  /// Makes the temporary views, so that the flow's query reads these offsets; a stream without one
  /// has no rows. `rows` false: no stream has rows, for typing the query alone.
  Result<std::vector<ExpectationCount>> Bind(engine::Session& session, const BatchOffsets& offsets,
                                             bool rows);

  /// The same for another engine: {"sources": [{"relation", "columns": [[name, Spark's type]...],
  /// and what StreamSource::Describe says, or "view", or nothing for no rows}...], "tables":
  /// [{"name": [catalog, schema, table], "location"}...], "views": [{"name", "sql",
  /// "expectations"}...]}. Views come in the order in which they must be made.
  Result<JsonValue> Describe(TableStore& store, const BatchOffsets& offsets);

 private:
  Result<JsonValue> DescribeSource(const SourceReference& reference, const BatchOffsets& offsets);
  Status AddSource(const SourceReference& reference, const std::string& root,
                   const DatasetColumns& known);
  Result<std::string> Relation(const SourceReference& reference, const BatchOffsets& offsets,
                               bool rows);

  engine::Session* session_ = nullptr;
  const Graph* graph_ = nullptr;
  std::vector<size_t>
      queries_;  ///< Flows of the views that are read, in order, and the flow itself.
  size_t flow_ = 0;
  std::map<std::string, std::unique_ptr<StreamSource>> streams_;  ///< By their keys.
  std::map<std::string, std::string> key_of_relation_;            ///< Relation -> key.
  std::map<std::string, std::unique_ptr<StreamSource>>
      whole_folders_;  ///< Files read as a whole, by relation.
};

}  // namespace weir::pipeline
