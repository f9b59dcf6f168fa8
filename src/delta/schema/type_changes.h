// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/schema/types.h"

namespace weir::delta {

/// The schema without the history of its types (`delta.typeChanges` of fields, protocol section
/// "Type Change Metadata"), at any depth. For a table all of whose files have today's types.
TypePtr WithoutTypeChanges(const TypePtr& type);

}  // namespace weir::delta
