// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/sql_type.h"
#include "pipeline/graph/graph.h"

namespace weir::pipeline {

inline constexpr std::string_view kReservedPrefix = "__spark_autocdc_";
inline constexpr std::string_view kMetadataColumn = "__spark_autocdc_metadata";
inline constexpr std::string_view kStartColumn = "__START_AT";
inline constexpr std::string_view kEndColumn = "__END_AT";

/// An Auto CDC flow with its columns resolved against the source: everything that the batches need
/// to know.
struct AutoCdcPlan {
  std::string flow;
  QualifiedName target;
  QualifiedName auxiliary;  ///< The side table with tombstones and superseded events.
  int scd_type = 1;

  std::string from;               ///< "FROM ..." over the relations of the batch.
  std::vector<Column> columns;    ///< Of the target, in the source's order, storable types.
  std::vector<std::string> keys;  ///< Spelled as in `columns`.
  std::string sequence;           ///< An expression over the source.
  SqlType sequence_type;          ///< Storable and orderable.
  std::string delete_when;        ///< Empty: no event deletes.
  std::string truncate_when;      ///< Empty: no event truncates.
  /// Columns that an event may leave as they are, each with the condition, over the source, under
  /// which it writes them. Empty: every upsert writes every column.
  std::vector<std::pair<std::string, std::string>> written_when;
  std::vector<std::string> tracked;  ///< SCD 2: a change in one of these begins a new version.
  bool tracks_all = true;            ///< SCD 2: `tracked` was not given, so new columns join it.
};

/// Resolves the clauses of `flow` against the columns of its source. `session` types the
/// expressions; `source` is the source as the flow's rewritten query reads it in that session.
/// Nothing is read or written.
///
/// Errors (kInvalidArgument): AUTOCDC_RESERVED_COLUMN_NAME_PREFIX_CONFLICT,
/// AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT, AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA,
/// AUTOCDC_DUPLICATE_KEY_COLUMN, AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA,
/// AUTOCDC_MICROBATCH_VALIDATION.NON_ORDERABLE_SEQUENCE, AUTOCDC_PARTIAL_UPDATE_NOT_SUPPORTED
/// (beside a truncation), DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN, and what DuckDB says
/// of an expression that does not bind.
Result<AutoCdcPlan> PlanAutoCdc(engine::Session& session, const GraphFlow& flow,
                                const GraphDataset& target, const std::vector<Column>& source);

/// All columns of the target, with those that Auto CDC adds.
std::vector<Column> TargetColumns(const AutoCdcPlan& plan);
/// All columns of the side table.
std::vector<Column> AuxiliaryColumns(const AutoCdcPlan& plan);
/// The properties that the side table carries: keys, SCD type, tracked columns.
std::vector<std::pair<std::string, std::string>> AuxiliaryProperties(const AutoCdcPlan& plan);

}  // namespace weir::pipeline
