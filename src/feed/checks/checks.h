// SPDX-License-Identifier: Apache-2.0
//
// The health checks of the feed, each in a file of its own and a line in the table of checks.cc.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"

namespace weir::feed {

/// Something that is wrong.
struct Finding {
  std::string check;    ///< "2.13"
  std::string table;    ///< The table it is about; may be empty.
  std::string message;  ///< What was found.
  std::string since;    ///< Since when, `2024-01-31 12:34:56.789012`; empty when unknown.
  std::string repair;   ///< What to do, in words.
  std::string script;   ///< What does it, for a shell; may be empty.

  enum class Fix {
    kNone,             ///< A person must act.
    kWarehouse,        ///< `statements` run on the warehouse (catalog `warehouse`).
    kReadObjects,      ///< `statements` run on the read database (catalog `read_objects`).
    kReadObjectsAnew,  ///< The read objects of all tables are made again, in a new database file.
  };
  Fix fix = Fix::kNone;
  std::vector<std::string> statements;
};

/// What the checks look at.
struct CheckContext {
  engine::Session& session;  ///< The warehouse is attached as `warehouse`.
  const FeedProject& project;
  bool has_log = false;  ///< Something has been loaded.
};

/// Runs all checks. The script of each finding begins with a comment that says what it is for, so
/// that all of them, one behind the other, are a script too. Errors: those of the warehouse; a
/// check that finds something is none.
Result<std::vector<Finding>> CheckFeed(engine::Database& database, const FeedProject& project);

/// Repairs what can be repaired without a person; returns a line for each finding. Errors: a
/// statement that fails.
Result<std::vector<std::string>> FixFeed(engine::Database& database, const FeedProject& project,
                                         const std::vector<Finding>& findings);

// The checks.

/// 2.12: on DL and loaded, but without an index.
Result<std::vector<Finding>> CheckIndexMissing(const CheckContext& context);
/// 2.13: an index whose table is not on DL.
Result<std::vector<Finding>> CheckIndexLeft(const CheckContext& context);
/// 2.14: on DL alone and loaded, but without (all) read objects.
Result<std::vector<Finding>> CheckReadObjectsMissing(const CheckContext& context);
/// 2.15: read objects whose table is not on DL alone.
Result<std::vector<Finding>> CheckReadObjectsLeft(const CheckContext& context);
/// 2.16: tables on DL alone, but SchemaDL or LakeLocation is not set.
Result<std::vector<Finding>> CheckSettings(const CheckContext& context);
/// 2.17: the read database cannot serve the read objects.
Result<std::vector<Finding>> CheckReadDatabase(const CheckContext& context);
/// 2.18: recent failures of the upkeep of read objects, of the last seven days and not followed by
/// a run that went well.
Result<std::vector<Finding>> CheckUpkeep(const CheckContext& context);

/// Shell text that runs SQL by `weir sql`, and one that runs `weir feed ARGUMENTS` on the project.
std::string SqlScript(const std::string& sql);
std::string FeedScript(const FeedProject& project, const std::string& arguments);

/// When a file was last written, as in Finding::since; empty when it is not there.
std::string ModifiedAt(const std::filesystem::path& file);

/// When `table` was first loaded with success, empty when never.
Result<std::string> FirstLoad(const CheckContext& context, const UsedTable& table);

}  // namespace weir::feed
