// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/graph/graph.h"

namespace weir::pipeline {

enum class GraphFormat { kText, kDot, kMermaid, kHtml };

/// By its name: text, dot, mermaid, html.
std::optional<GraphFormat> ParseGraphFormat(std::string_view name);

/// The lineage of a pipeline: from files and tables outside through its datasets, by its flows.
/// HTML is one page with a drawing that needs nothing else.
std::string RenderGraph(const Graph& graph, const std::string& title, GraphFormat format);

}  // namespace weir::pipeline
