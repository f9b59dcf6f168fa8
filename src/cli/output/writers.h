// SPDX-License-Identifier: Apache-2.0
//
// The formats, each in its own file. `out` outlives the writer.
#pragma once

#include <memory>

#include "cli/output/result_writer.h"

namespace weir::cli {

/// A box with aligned columns, numbers to the right, and the number of rows below. The widths are
/// those of the first 10,000 rows; later rows are written as they come. The plan of an EXPLAIN is
/// written bare.
std::unique_ptr<ResultWriter> MakeTableWriter(Output& out);
/// One array of objects.
std::unique_ptr<ResultWriter> MakeJsonWriter(Output& out);
/// One object a line.
std::unique_ptr<ResultWriter> MakeJsonlWriter(Output& out);
/// RFC 4180 with a header and plain line feeds; NULL is nothing, the empty text is "".
std::unique_ptr<ResultWriter> MakeCsvWriter(Output& out);
/// A table of GitHub's Markdown.
std::unique_ptr<ResultWriter> MakeMarkdownWriter(Output& out);

}  // namespace weir::cli
