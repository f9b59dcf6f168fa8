// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/flows/auto_cdc_plan.h"

namespace weir::pipeline {

/// What a batch has turned out to be like, and so which statements it needs. Each question is asked
/// by the statement of the same name.
struct Scd2Shape {
  /// Runs longer than one event: where a run starts has to be looked for.
  bool long_runs = false;
  /// Every row of the target that the batch's keys have stays, but may end elsewhere.
  bool rows_stay = false;
  /// Changes that need the values of events that the tables hold.
  bool target_needs_old = false;
  bool auxiliary_needs_old = false;
};

/// The SQL of one SCD type 2 flow.
///
/// All events of a key that still matter can be read back from the two tables. A row of the target
/// is the last event of a run of equal upserts, at __RECORD_START_AT; an END_AT at which no other
/// row starts was a delete. The side table holds the rest: the other upserts of each run (END_AT is
/// NULL), and deletes that closed no row (END_AT = START_AT). A batch adds its events to those of
/// its keys, and the runs are cut anew.
///
/// An event of a partial update (IGNORE NULL UPDATES, COLUMNS TO UPDATE) says in its metadata which
/// columns it wrote; the others take the value of the event before it in the same life, anew with
/// each batch, so that late events reach those behind them.
///
/// __weir_old, __weir_old_auxiliary (state of the batch's keys) [-> __weir_filled (every event of
/// partial updates with all its values)] -> __weir_sorted (each sequence of a key once, beside its
/// neighbours) -> __weir_runs (every event and what becomes of it) -> __weir_changes,
/// __weir_auxiliary_changes (what to do to the tables).
///
/// From __weir_sorted on an event is the place of its values, (origin, row), and a fingerprint of
/// those that are tracked: NULL for a delete. The values are looked up when the tables are merged.
/// Where whole rows are tracked, and equal neighbours therefore rare, the fingerprint is a hash,
/// and Unequal() tells whether two different rows have shared one; else it is the tracked values.
class Scd2Sql {
 public:
  /// `exact`: fingerprints are the values themselves.
  Scd2Sql(const AutoCdcPlan& plan, int64_t batch, bool exact);

  bool partial() const { return !plan_.written_when.empty(); }
  /// Whether fingerprints are hashes.
  bool hashed() const { return hashed_; }

  std::string ReadTarget() const;
  std::string ReadAuxiliary() const;
  /// Only for partial updates: fills __weir_filled.
  std::string Fill() const;
  /// All events into __weir_sorted.
  std::string Sort() const;
  /// How many events of __weir_sorted repeat a sequence, and how many go on with a run.
  std::string CountNeighbours() const;
  /// __weir_sorted without events that repeat a sequence.
  std::string SortAgain() const;
  /// How many pairs of a key and a hash stand for more than one row of values.
  std::string Unequal() const;
  std::string CutRuns(const Scd2Shape& shape) const;
  /// Whether rows_stay.
  std::string RowsStay() const;
  std::string DiffTarget(const Scd2Shape& shape) const;
  std::string DiffAuxiliary() const;
  /// Whether target_needs_old, whether auxiliary_needs_old.
  std::string NeedOld() const;

  /// For CommitBatch.
  std::string Count() const;
  std::string InsertAuxiliary(const Scd2Shape& shape) const;
  std::string InsertTarget(const Scd2Shape& shape) const;
  std::string MergeAuxiliary(const Scd2Shape& shape) const;
  std::string MergeTarget(const Scd2Shape& shape) const;

 private:
  std::string Order(const std::string& expression) const;
  std::string Fingerprint() const;
  /// An event whose row of the target still starts where it did.
  std::string IsOwn() const;
  std::string SortEvents(const std::string& events) const;
  std::string Events() const;
  std::string AllEvents() const;
  std::string EndsOfOldRows() const;
  std::string Distinct(const std::string& events) const;
  /// The list of the columns that an event wrote, behind the other columns of a relation; "" when
  /// every event writes them all. The same as a table's metadata and as the batch's events have it.
  std::string Written() const;
  std::string Recorded() const;
  std::string WrittenByBatch() const;
  std::string FirstKeys() const;
  std::string OldValues(const std::string& columns) const;
  std::string Values(const std::string& columns) const;
  std::string WithValues(const std::string& changes, bool needs_old) const;
  std::string Metadata() const;
  std::string InsertColumns() const;

  const AutoCdcPlan& plan_;
  const std::string batch_;
  const bool hashed_;
  std::vector<Column> others_;  ///< All columns but the keys.
  std::vector<Column> tracked_;
};

}  // namespace weir::pipeline
