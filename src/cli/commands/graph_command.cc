// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/report.h"
#include "pipeline/graph/render.h"
#include "pipeline/runs/run.h"

namespace weir::cli {
namespace {

struct GraphOptions {
  std::string spec;
  std::string format = "text";
};

Result<std::string> Render(const GraphOptions& options) {
  std::filesystem::path file = options.spec;
  if (file.empty()) {
    std::error_code failure;
    WEIR_ASSIGN_OR_RETURN(file, pipeline::FindSpec(std::filesystem::current_path(failure)));
  }
  WEIR_ASSIGN_OR_RETURN(const pipeline::PipelineSpec spec, pipeline::LoadSpec(file));
  WEIR_ASSIGN_OR_RETURN(const pipeline::Definitions definitions, pipeline::LoadDefinitions(spec));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine({}));
  WEIR_ASSIGN_OR_RETURN(const pipeline::Graph graph,
                        pipeline::Graph::Build(definitions, spec, *engine.session));
  return pipeline::RenderGraph(graph, spec.name, *pipeline::ParseGraphFormat(options.format));
}

}  // namespace

std::function<int()> DeclareGraph(CLI::App& app) {
  auto options = std::make_shared<GraphOptions>();
  app.add_option("--spec", options->spec,
                 "The pipeline's spec (default: spark-pipeline.yml here or above)");
  app.add_option("--format", options->format, "text, dot, mermaid or html")
      ->check(CLI::IsMember({"text", "dot", "mermaid", "html"}))
      ->capture_default_str();
  return [options] {
    const auto text = Render(*options);
    if (!text) {
      ReportError(text.error());
      return static_cast<int>(kFailed);
    }
    std::fputs(text->c_str(), stdout);
    return static_cast<int>(kDone);
  };
}

}  // namespace weir::cli
