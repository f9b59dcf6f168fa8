// SPDX-License-Identifier: Apache-2.0
//
// What the definition files of a pipeline say: datasets, and the flows that fill them. Plain
// values, as written; whether they fit together is the graph's question.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sql/token_reader.h"

namespace weir::pipeline {

using sql::Origin;
using sql::QualifiedName;

/// A persisted view is one for the pipeline's queries: a warehouse keeps tables alone.
enum class DatasetKind { kStreamingTable, kMaterializedView, kTemporaryView, kPersistedView };

/// "streaming table", "materialized view", "temporary view", "view".
std::string_view ToString(DatasetKind kind);

/// What happens to a row that breaks an expectation.
enum class Violation { kWarn, kDropRow, kFailUpdate };

struct Expectation {
  std::string name;
  std::string condition;  ///< A boolean expression over the dataset's columns.
  Violation violation = Violation::kWarn;
};

struct ColumnDeclaration {
  std::string name;
  std::string type;  ///< As written; DuckDB's or Spark's spelling.
  bool not_null = false;
  std::string comment;
};

struct Dataset {
  DatasetKind kind = DatasetKind::kStreamingTable;
  QualifiedName name;
  Origin origin;
  /// A streaming table that is a materialized view when its query reads no stream.
  bool either = false;
  std::string comment;
  std::vector<ColumnDeclaration> columns;  ///< Empty: the schema follows from the flows.
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<std::string> partition_columns;
  std::vector<std::string> cluster_columns;
  std::vector<Expectation> expectations;

  /// Whether it is kept in the warehouse; a view is not.
  bool is_table() const {
    return kind == DatasetKind::kStreamingTable || kind == DatasetKind::kMaterializedView;
  }
};

/// COLUMNS (..), TRACK HISTORY ON * EXCEPT (..), IGNORE NULL UPDATES ON (..): some columns of the
/// source.
struct ColumnSelection {
  enum class Kind { kAll, kOnly, kExcept };
  Kind kind = Kind::kAll;
  std::vector<std::string> names;
};

/// The clauses of an Auto CDC flow behind its source.
struct AutoCdcClauses {
  std::vector<std::string> keys;
  std::string sequence_by;    ///< An expression over the source's columns; empty for a snapshot.
  std::string delete_when;    ///< Empty: every event is an upsert.
  std::string truncate_when;  ///< Empty: no event empties the table.
  std::string
      columns_to_update;  ///< Names the source column that lists, per event, the columns to write.
  ColumnSelection columns;
  ColumnSelection track_history;
  std::optional<ColumnSelection> ignore_null_updates;
  int scd_type = 1;
};

enum class FlowKind {
  kAppend,       ///< INSERT INTO a streaming table: new rows of the sources are added.
  kRecompute,    ///< The query of a materialized view.
  kView,         ///< The query of a temporary view.
  kAutoCdc,      ///< AUTO CDC FROM a stream of change events.
  kSnapshotCdc,  ///< AUTO CDC FROM SNAPSHOT: the source is compared with what it was.
};

struct Flow {
  FlowKind kind = FlowKind::kAppend;
  std::string name;
  QualifiedName target;
  Origin origin;
  std::string comment;
  std::string query;  ///< As written; for Auto CDC, SELECT * FROM its source.
  bool once = false;  ///< Runs again only after a full refresh.
  AutoCdcClauses auto_cdc;
};

/// Everything the files of one pipeline define, in the order of files and lines.
struct Definitions {
  std::vector<Dataset> datasets;
  std::vector<Flow> flows;
};

}  // namespace weir::pipeline
