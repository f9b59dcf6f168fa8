// SPDX-License-Identifier: Apache-2.0
#include "pipeline/graph/render.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace weir::pipeline {
namespace {

/// Nodes are the datasets by their index, then what lies outside of the pipeline.
struct Drawing {
  struct Node {
    std::string name;
    std::string kind;
    int level = 0;
  };
  struct Edge {
    size_t from = 0;
    size_t to = 0;
    std::string label;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

std::string FlowLabel(const GraphFlow& flow) {
  switch (flow.flow.kind) {
    case FlowKind::kAutoCdc:
      return flow.flow.name + " (auto cdc, scd " + std::to_string(flow.flow.auto_cdc.scd_type) +
             ")";
    case FlowKind::kSnapshotCdc:
      return flow.flow.name + " (snapshots, scd " + std::to_string(flow.flow.auto_cdc.scd_type) +
             ")";
    case FlowKind::kAppend:
      return flow.flow.name + " (append)";
    case FlowKind::kRecompute:
    case FlowKind::kView:
      break;
  }
  return "";
}

Drawing Draw(const Graph& graph) {
  Drawing drawing;
  for (const GraphDataset& dataset : graph.datasets()) {
    drawing.nodes.push_back(
        {dataset.declared.name.ToString(), std::string(ToString(dataset.declared.kind)), 0});
  }
  std::map<std::string, size_t> outside;
  const auto node_of = [&](const std::string& name, const std::string& kind) {
    const auto [place, fresh] = outside.emplace(kind + " " + name, drawing.nodes.size());
    if (fresh) drawing.nodes.push_back({name, kind, 0});
    return place->second;
  };
  for (const GraphFlow& flow : graph.flows()) {
    std::set<size_t> inputs(flow.inputs.begin(), flow.inputs.end());
    for (const SourceReference& source : flow.query.sources) {
      if (source.is_files()) inputs.insert(node_of(source.files.path, "files"));
    }
    for (const QualifiedName& table : flow.outside)
      inputs.insert(node_of(table.ToString(), "table"));
    for (size_t input : inputs) drawing.edges.push_back({input, flow.target, FlowLabel(flow)});
  }
  for (size_t at : graph.order()) {
    for (const Drawing::Edge& edge : drawing.edges) {
      if (edge.to != at) continue;
      drawing.nodes[at].level =
          std::max(drawing.nodes[at].level, drawing.nodes[edge.from].level + 1);
    }
  }
  return drawing;
}

std::string Escaped(const std::string& text, const std::map<char, std::string>& escapes) {
  std::string out;
  for (char c : text) {
    const auto found = escapes.find(c);
    out += found == escapes.end() ? std::string(1, c) : found->second;
  }
  return out;
}

std::string Html(const std::string& text) {
  return Escaped(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

std::string Text(const Drawing& drawing) {
  std::string out;
  std::vector<size_t> order(drawing.nodes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t node) { return drawing.nodes[node].level; });
  for (size_t at : order) {
    out += drawing.nodes[at].name + "  [" + drawing.nodes[at].kind + "]\n";
    for (const Drawing::Edge& edge : drawing.edges) {
      if (edge.to != at) continue;
      out += "    <- " + drawing.nodes[edge.from].name +
             (edge.label.empty() ? "" : "  by " + edge.label) + "\n";
    }
  }
  return out;
}

std::string Dot(const Drawing& drawing, const std::string& title) {
  const auto quote = [](const std::string& text) {
    return "\"" + Escaped(text, {{'"', "\\\""}, {'\\', "\\\\"}}) + "\"";
  };
  std::string out = "digraph " + quote(title) + " {\n  rankdir=LR;\n  node [shape=box];\n";
  for (size_t i = 0; i < drawing.nodes.size(); ++i) {
    const std::string name = quote(drawing.nodes[i].name);
    out += "  n" + std::to_string(i) + " [label=" + name.substr(0, name.size() - 1) + "\\n" +
           drawing.nodes[i].kind + "\"];\n";
  }
  for (const Drawing::Edge& edge : drawing.edges) {
    out += "  n" + std::to_string(edge.from) + " -> n" + std::to_string(edge.to) +
           (edge.label.empty() ? "" : " [label=" + quote(edge.label) + "]") + ";\n";
  }
  return out + "}\n";
}

std::string Mermaid(const Drawing& drawing) {
  const auto quote = [](const std::string& text) {
    return "\"" + Escaped(text, {{'"', "#quot;"}}) + "\"";
  };
  std::string out = "flowchart LR\n";
  for (size_t i = 0; i < drawing.nodes.size(); ++i) {
    out += "  n" + std::to_string(i) + "[" +
           quote(drawing.nodes[i].name + " (" + drawing.nodes[i].kind + ")") + "]\n";
  }
  for (const Drawing::Edge& edge : drawing.edges) {
    out += "  n" + std::to_string(edge.from) + " -->" +
           (edge.label.empty() ? "" : "|" + quote(edge.label) + "|") + " n" +
           std::to_string(edge.to) + "\n";
  }
  return out;
}

constexpr int kWidth = 220;
constexpr int kHeight = 46;
constexpr int kColumn = 330;
constexpr int kRow = 76;

std::string Page(const Drawing& drawing, const std::string& title) {
  std::map<int, int> used;
  std::vector<std::pair<int, int>> places;
  int columns = 1;
  int rows = 1;
  for (const Drawing::Node& node : drawing.nodes) {
    const int row = used[node.level]++;
    places.emplace_back(20 + node.level * kColumn, 20 + row * kRow);
    columns = std::max(columns, node.level + 1);
    rows = std::max(rows, row + 1);
  }
  std::string svg;
  for (const Drawing::Edge& edge : drawing.edges) {
    const int x1 = places[edge.from].first + kWidth;
    const int y1 = places[edge.from].second + kHeight / 2;
    const int x2 = places[edge.to].first;
    const int y2 = places[edge.to].second + kHeight / 2;
    const int middle = (x1 + x2) / 2;
    svg += "<path class=\"edge\" d=\"M" + std::to_string(x1) + " " + std::to_string(y1) + " C" +
           std::to_string(middle) + " " + std::to_string(y1) + " " + std::to_string(middle) + " " +
           std::to_string(y2) + " " + std::to_string(x2) + " " + std::to_string(y2) + "\"><title>" +
           Html(edge.label) + "</title></path>\n";
  }
  for (size_t i = 0; i < drawing.nodes.size(); ++i) {
    const auto [x, y] = places[i];
    svg += "<g transform=\"translate(" + std::to_string(x) + "," + std::to_string(y) +
           ")\"><rect width=\"" + std::to_string(kWidth) + "\" height=\"" +
           std::to_string(kHeight) + "\" rx=\"6\"/><text x=\"12\" y=\"20\">" +
           Html(drawing.nodes[i].name) + "</text><text class=\"kind\" x=\"12\" y=\"36\">" +
           Html(drawing.nodes[i].kind) + "</text></g>\n";
  }
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + Html(title) +
         "</title><style>body{font:14px "
         "sans-serif;margin:24px}rect{fill:#f4f7fb;stroke:#5b7fa6}.edge{fill:none;"
         "stroke:#8aa}.kind{fill:#678;font-size:11px}</style></head><body><h1>" +
         Html(title) + "</h1><svg width=\"" + std::to_string(columns * kColumn) + "\" height=\"" +
         std::to_string(rows * kRow + 20) + "\">\n" + svg + "</svg></body></html>\n";
}

}  // namespace

std::optional<GraphFormat> ParseGraphFormat(std::string_view name) {
  if (name == "text") return GraphFormat::kText;
  if (name == "dot") return GraphFormat::kDot;
  if (name == "mermaid") return GraphFormat::kMermaid;
  if (name == "html") return GraphFormat::kHtml;
  return std::nullopt;
}

std::string RenderGraph(const Graph& graph, const std::string& title, GraphFormat format) {
  const Drawing drawing = Draw(graph);
  switch (format) {
    case GraphFormat::kText:
      return Text(drawing);
    case GraphFormat::kDot:
      return Dot(drawing, title);
    case GraphFormat::kMermaid:
      return Mermaid(drawing);
    case GraphFormat::kHtml:
      return Page(drawing, title);
  }
  return "";
}

}  // namespace weir::pipeline
