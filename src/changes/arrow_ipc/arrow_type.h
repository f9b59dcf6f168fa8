// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "changes/arrow_ipc/flat_buffer.h"
#include "changes/arrow_ipc/ipc_writer.h"
#include "weir/arrow_abi.h"

namespace weir::changes {

/// Writes the `Field` table of a column, with those of its children, and tells how its buffers are
/// laid out. Errors: kUnsupportedFeature WEIR_ARROW_TYPE for a format of the C data interface that
/// is not known here, and for dictionaries.
Result<ArrowColumn> WriteField(FlatBuffer& buffer, FlatPlace place, const ArrowSchema& schema);

}  // namespace weir::changes
