// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/session.h"

namespace weir::pipeline {

/// Appends the events of one run, from its file of JSON lines, to the Delta table
/// <storage>/event_log, which is made when it is missing. Columns: timestamp, run_id, event, flow,
/// table_name, state, batch, the counts, error_name, error_message and details (the event's JSON).
/// Errors: those of reading the file and of writing the table.
Status AppendEventTable(engine::Session& session, const std::filesystem::path& storage,
                        const std::filesystem::path& file, const std::string& run_id);

}  // namespace weir::pipeline
