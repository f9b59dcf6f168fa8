// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"

#include "base/result.h"
#include "delta/checkpoint/checkpoint_io.h"
#include "engine/checkpoint/object_file_system.h"

namespace weir::engine {

/// The private instance of DuckDB that reads and writes checkpoints. One that a broken file has
/// invalidated is replaced by a new one at the next use. Thread-safe.
class CheckpointDatabase {
 public:
  /// What a piece of work gets: a connection of its own, and the files it registers.
  struct Work {
    duckdb::Connection& connection;
    ObjectFileSystem& files;
  };

  /// Runs `work`; what it throws becomes an Error. Errors that are not ours already (DuckDB's own
  /// about a file) keep DuckDB's message and come under the names that FromDuckDB gives them.
  Status Run(const std::function<void(const Work&)>& work);

 private:
  struct Instance {
    duckdb::unique_ptr<duckdb::DuckDB> database;
    ObjectFileSystem* files = nullptr;  ///< Owned by the database.
  };
  std::shared_ptr<Instance> Open();

  std::mutex mutex_;
  std::shared_ptr<Instance> instance_;
};

}  // namespace weir::engine
