// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/table_store.h"

namespace weir::pipeline {

/// What must happen to the tables of an Auto CDC flow before its next batch.
struct TableChanges {
  bool create_target = false;
  bool create_auxiliary = false;
  std::vector<Column> new_columns;  ///< Of the source, which the target lacks.
  std::vector<Column> widened;      ///< Columns whose type the source has made wider.
  bool extend_tracked = false;      ///< The recorded list of tracked columns is to be written anew.
};

/// Compares `plan` with the tables as they are, and adapts the plan to them: a column whose
/// recorded type is wider keeps that type. A column that the source has made wider follows, when
/// the table has the property delta.enableTypeWidening. `reset`: a full refresh has emptied the
/// tables, so whatever they are may be replaced.
///
/// Errors (kInvalidArgument): AUTOCDC_INVALID_STATE.KEY_SCHEMA_DRIFT, .SCD_TYPE_DRIFT,
/// .SEQUENCING_TYPE_DRIFT, .TRACK_HISTORY_DRIFT, .AUXILIARY_TABLE_MISSING,
/// .AUXILIARY_TABLE_PROPERTY_MISSING, .AUXILIARY_TABLE_PROPERTY_MALFORMED,
/// .AUXILIARY_TABLE_KEY_COLUMN_MISSING, .TARGET_NOT_AUTO_CDC, .PARTIAL_UPDATE_DRIFT;
/// CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE; USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE for
/// declared columns that the flow does not give.
Result<TableChanges> CompareTables(TableStore& store, AutoCdcPlan& plan, const Dataset& declared,
                                   bool reset);

/// Makes or extends the tables. Safe to run again after a crash in between.
Status ChangeTables(TableStore& store, const AutoCdcPlan& plan, const Dataset& declared,
                    const TableChanges& changes, bool reset);

}  // namespace weir::pipeline
