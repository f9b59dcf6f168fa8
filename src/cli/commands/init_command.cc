// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/report.h"
#include "pipeline/spec/project_template.h"

namespace weir::cli {
namespace {

struct InitOptions {
  std::string name;
  std::string language = "sql";
};

int MakeIt(const InitOptions& options) {
  std::error_code failure;
  const auto language = options.language == "python" ? pipeline::ProjectLanguage::kPython
                                                     : pipeline::ProjectLanguage::kSql;
  const auto files =
      pipeline::MakeProject(std::filesystem::current_path(failure), options.name, language);
  if (!files) {
    ReportError(files.error());
    return kFailed;
  }
  for (const std::string& file : *files)
    std::fprintf(stderr, "  %s/%s\n", options.name.c_str(), file.c_str());
  std::fprintf(stderr, "Next: cd %s && weir run, then weir sql -w warehouse -c 'FROM customers'\n",
               options.name.c_str());
  return kDone;
}

}  // namespace

std::function<int()> DeclareInit(CLI::App& app) {
  auto options = std::make_shared<InitOptions>();
  app.add_option("name,--name", options->name, "The project's name; its folder is made here")
      ->required();
  app.add_option("--language", options->language,
                 "What its definitions are written in: sql or python")
      ->check(CLI::IsMember({"sql", "python"}))
      ->capture_default_str();
  return [options] { return MakeIt(*options); };
}

}  // namespace weir::cli
