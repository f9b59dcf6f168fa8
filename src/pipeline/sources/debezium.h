// SPDX-License-Identifier: Apache-2.0
//
// Debezium's change events as JSON: {"before": row, "after": row, "op": "c" | "r" | "u" | "d",
// "ts_ms": ..., "source": {...}}, with or without {"schema": ..., "payload": ...} around.
// Flattened, an event is the row after the change (before it, for a delete) and the columns __op,
// __ts_ms and __source.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/flows/sql_type.h"

namespace weir::pipeline {

/// The flattened columns of envelopes that were inferred to have `found` as columns.
/// Errors: kInvalidArgument WEIR_NOT_A_DEBEZIUM_ENVELOPE.
Result<std::vector<Column>> FlattenEnvelope(const std::vector<Column>& found);

/// SQL that reads the flattened `columns`; `read` gives the table function that reads JSON with
/// given columns.
std::string ReadEnvelope(const std::vector<Column>& columns,
                         const std::function<std::string(const std::vector<Column>&)>& read);

}  // namespace weir::pipeline
