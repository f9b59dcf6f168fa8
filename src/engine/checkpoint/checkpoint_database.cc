// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_database.h"

#include "duckdb/main/config.hpp"
#include "duckdb/main/valid_checker.hpp"

#include "engine/checkpoint/checkpoint_rows.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

// Statistics are long texts: some chunks of them must fit, or decoding waits for the reader.
constexpr const char* kSetStreamingBuffer = "SET streaming_buffer_size='64MB'";

}  // namespace

std::shared_ptr<CheckpointDatabase::Instance> CheckpointDatabase::Open() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (instance_ && !duckdb::ValidChecker::IsInvalidated(*instance_->database->instance)) {
    return instance_;
  }
  duckdb::DBConfig config;
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  // Every file is read once, under a name that never comes back.
  config.SetOptionByName("enable_external_file_cache", duckdb::Value::BOOLEAN(false));
  auto instance = std::make_shared<Instance>();
  instance->database = duckdb::make_uniq<duckdb::DuckDB>(nullptr, &config);
  auto files = duckdb::make_uniq<ObjectFileSystem>();
  instance->files = files.get();
  instance->database->GetFileSystem().RegisterSubSystem(std::move(files));
  RegisterCheckpointRows(*instance->database->instance);
  instance_ = instance;
  return instance;
}

namespace {

// Here exceptions end, so that none is on its way when the connection is destroyed: DuckDB stops a
// query whose rows were not all fetched then only, and its threads would go on without it.
Status RunOn(const CheckpointDatabase::Work& work,
             const std::function<void(const CheckpointDatabase::Work&)>& function) {
  try {
    auto set = work.connection.Query(kSetStreamingBuffer);
    if (set->HasError()) set->ThrowError();
    function(work);
    return {};
  } catch (const std::exception& exception) {
    return Fail(FromDuckDB(exception));
  }
}

}  // namespace

Status CheckpointDatabase::Run(const std::function<void(const Work&)>& work) {
  try {
    auto instance = Open();
    duckdb::Connection connection(*instance->database);
    return RunOn({connection, *instance->files}, work);
  } catch (const std::exception& exception) {
    return Fail(FromDuckDB(exception));
  }
}

}  // namespace weir::engine
