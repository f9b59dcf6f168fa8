// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "engine/session.h"

namespace weir::changes {

/// A warehouse `lake` in a folder of its own, with an empty table t (id BIGINT) whose feed is on.
class LakeTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = "weir-changes-" + std::to_string(::getpid()) + "-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
    // In memory, where there is such a folder: nothing here is about disks.
    folder_ = std::filesystem::path("/dev/shm") / name;
    std::error_code error;
    if (!std::filesystem::create_directory(folder_, error)) {
      folder_ = std::filesystem::temp_directory_path() / name;
      std::filesystem::create_directories(folder_);
    }
    auto database = engine::Database::Open();
    ASSERT_TRUE(database) << database.error().ToString();
    database_ = std::move(*database);
    session_ = std::move(*database_->Connect());
    ASSERT_TRUE(session_->AttachWarehouse(folder_.string(), "lake"));
    Run("CREATE TABLE t (id BIGINT) WITH ('delta.enableChangeDataFeed' = 'true')");
  }
  void TearDown() override {
    session_.reset();
    database_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Run(const std::string& sql) {
    const Status status = session_->Execute(sql);
    ASSERT_TRUE(status) << status.error().ToString();
  }

  // The first column of the rows, as "1 2 3 ".
  std::string Query(const std::string& sql) {
    auto rows = session_->Query(sql);
    if (!rows) return rows.error().ToString();
    std::string text;
    while (*(*rows)->NextBatch()) {
      for (size_t row = 0; row < (*rows)->batch_size(); ++row) text += (*rows)->Text(0, row) + " ";
    }
    return text;
  }

  std::filesystem::path folder_;
  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
};

}  // namespace weir::changes
