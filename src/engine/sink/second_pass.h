// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/parallel/event.hpp"
#include "duckdb/parallel/pipeline.hpp"

#include "engine/sink/row_change_state.h"

namespace weir::engine {

/// Finishes the statement once all of its input is in: on all threads reads touched files again, as
/// far as the sink wants old rows, and hands it their rows. Runs in events of DuckDB's behind
/// `event`, before the first row of output. `op` and `state` must outlive them.
void FinishWithSecondPass(duckdb::Pipeline& pipeline, duckdb::Event& event,
                          const duckdb::PhysicalOperator& op, RowChangeState& state);

}  // namespace weir::engine
