// SPDX-License-Identifier: Apache-2.0
//
// Files beside the log, as lines of JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/log/log_files.h"

namespace weir::cli {

/// The vectors of a deletion vector file with this content: one line each, with its rows and
/// whether its checksum matches. Errors: kCorruptLog DELTA_DELETION_VECTOR_MALFORMED.
Result<std::vector<LogLine>> VectorFile(std::string_view content);

/// The footer of a Parquet file: a line for the file, for each key and value that its writer has
/// left, for each element of its schema, and for each column of each row group. Errors: those of
/// the engine.
Result<std::vector<LogLine>> ParquetFooter(const std::string& path);

}  // namespace weir::cli
