// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "engine/session.h"

struct ArrowArrayStream;

namespace weir::engine {

/// Runs a query as Session::Query does and fills `out` (of the Arrow C stream interface) with its
/// rows, which are read as they are asked for. The caller releases the stream, before the session's
/// next statement; it may outlive the session. TIMESTAMPTZ has the time zone UTC.
Status QueryArrow(Session& session, std::string_view sql, ::ArrowArrayStream* out);

}  // namespace weir::engine
