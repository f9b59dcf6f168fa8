// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_options.h"

#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/number_checks.h"
#include "cli/progress.h"

namespace weir::cli {
namespace {

constexpr const char* kCatalog = "lake";

bool IsUrl(const std::string& place) { return place.find("://") != std::string::npos; }

Status CheckWarehouse(const std::string& place) {
  if (IsUrl(place)) return {};
  std::error_code error;
  if (std::filesystem::is_directory(place, error)) return {};
  const bool exists = std::filesystem::exists(place, error);
  return Fail(NotFound("DELTA_PATH_DOES_NOT_EXIST",
                       "the warehouse '" + place + "' " +
                           (exists ? "is no directory" : "does not exist") +
                           "; make the directory first, or correct -w",
                       "42K03"));
}

}  // namespace

void EngineOptions::Declare(CLI::App& app) {
  app.add_option("--memory-limit", memory_limit,
                 "Memory that the engine may use before it spills to disk, e.g. 4GB");
  app.add_option("--threads", threads, "Threads of the engine (default: all cores)")
      ->check(PositiveNumber());
}

void EngineOptions::DeclareWithWarehouse(CLI::App& app) {
  app.add_option("-w,--warehouse", warehouse,
                 "Directory of Delta tables (or one table), or its URL; it must exist");
  Declare(app);
}

Result<Engine> OpenEngine(const EngineOptions& options) {
  if (!options.warehouse.empty()) WEIR_RETURN_IF_ERROR(CheckWarehouse(options.warehouse));
  Engine engine;
  WEIR_ASSIGN_OR_RETURN(engine.database, engine::Database::Open({options.memory_limit,
                                                                 options.threads, std::nullopt}));
  WEIR_ASSIGN_OR_RETURN(engine.session, engine.database->Connect());
  if (ProgressDisplay::IsUseful()) WEIR_RETURN_IF_ERROR(engine.session->TrackProgress());
  if (!options.warehouse.empty()) {
    WEIR_RETURN_IF_ERROR(engine.session->AttachWarehouse(options.warehouse, kCatalog));
  }
  return engine;
}

}  // namespace weir::cli
