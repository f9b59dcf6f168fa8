// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/table_store.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// How long the table's deletes are remembered, by its property
/// pipelines.cdc.tombstoneGCThresholdInSeconds; nullopt: for good. Errors: kInvalidArgument
/// WEIR_PROPERTY_VALUE_INVALID for what is no number of seconds.
Result<std::optional<int64_t>> TombstoneRetention(const Dataset& table);

/// Removes the tombstones from the side table that it has had for `seconds` before `now_ms`. An
/// event older than such a delete is from then on taken as if the key had never been deleted.
/// Tombstones whose age the side table's history no longer tells stay. Returns how many were
/// removed. Errors: those of the statements.
Result<int64_t> CollectTombstones(engine::Session& session, TableStore& store,
                                  const AutoCdcPlan& plan, int64_t seconds, int64_t now_ms);

}  // namespace weir::pipeline
