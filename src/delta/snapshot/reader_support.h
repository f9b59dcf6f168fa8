// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "delta/actions/actions.h"

namespace weir::delta {

/// Whether this build can read a table with this protocol (protocol sections "Table Features",
/// "Reader Version Requirements"). Errors: kUnsupportedFeature DELTA_UNSUPPORTED_FEATURES_FOR_READ
/// names the reader features that are not known, DELTA_INVALID_PROTOCOL_VERSION a reader version
/// beyond 3; both name `table`.
Status CheckReadable(std::string_view table, const Protocol& protocol);

}  // namespace weir::delta
