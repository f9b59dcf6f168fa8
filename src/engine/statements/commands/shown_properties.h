// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/actions/actions.h"
#include "engine/catalog/table_state.h"

namespace weir::engine {

/// The table's properties, and with them the protocol, as Spark shows them: delta.minReaderVersion,
/// delta.minWriterVersion, delta.feature.NAME = supported.
delta::StringMap ShownProperties(const TableState& state);

}  // namespace weir::engine
