// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/session.h"

namespace CLI {
class App;
}

namespace weir::cli {

/// The options of every command that runs SQL: where the tables are and what the engine may use.
struct EngineOptions {
  /// The warehouse; empty for none.
  std::string warehouse;
  std::optional<std::string> memory_limit;
  std::optional<int> threads;

  /// Declares --memory-limit and --threads on `app`; this must live as long as `app`.
  void Declare(CLI::App& app);
  /// Declares -w, --warehouse as well.
  void DeclareWithWarehouse(CLI::App& app);
};

struct Engine {
  std::unique_ptr<engine::Database> database;
  std::unique_ptr<engine::Session> session;
};

/// Opens the engine, with the warehouse attached as `lake` and made the default. Makes no folder.
/// Errors: kNotFound DELTA_PATH_DOES_NOT_EXIST for a local warehouse that is not there; those of
/// the engine.
Result<Engine> OpenEngine(const EngineOptions& options);

}  // namespace weir::cli
