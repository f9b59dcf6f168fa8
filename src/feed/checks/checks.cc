// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"

#include <sys/stat.h>

#include <algorithm>

#include "feed/load/generations.h"
#include "feed/load/load.h"
#include "feed/views/read_objects.h"

namespace weir::feed {
namespace {

using Check = Result<std::vector<Finding>> (*)(const CheckContext& context);

constexpr Check kChecks[] = {CheckIndexMissing,    CheckIndexLeft, CheckReadObjectsMissing,
                             CheckReadObjectsLeft, CheckSettings,  CheckReadDatabase,
                             CheckUpkeep};

Status RunAll(engine::Session& session, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) WEIR_RETURN_IF_ERROR(session.Execute(statement));
  return {};
}

Status RunOnReadDatabase(engine::Session& session, const FeedProject& project,
                         const std::vector<std::string>& statements) {
  WEIR_RETURN_IF_ERROR(session.Execute("ATTACH " + QuoteLiteral(project.read_database.string()) +
                                       " AS read_objects (TYPE duckdb)"));
  const Status done = RunAll(session, statements);
  WEIR_RETURN_IF_ERROR(session.Execute("DETACH read_objects"));
  return done;
}

// Out of the way and not away: whatever else a user keeps in the file stays.
Status MoveAside(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return {};
  std::filesystem::path aside = file;
  for (int i = 1; std::filesystem::exists(aside, failure); ++i)
    aside = file.string() + ".unreadable-" + std::to_string(i);
  std::filesystem::rename(file, aside, failure);
  if (!failure) return {};
  return Fail(IoError("WEIR_IO_ERROR", file.string() + ": " + failure.message()));
}

Status MakeReadObjectsAnew(engine::Session& session, const FeedProject& project, bool aside) {
  if (aside) WEIR_RETURN_IF_ERROR(MoveAside(project.read_database));
  std::vector<const UsedTable*> tables;
  for (const UsedTable& table : project.tables) {
    if (!table.lake_only()) continue;
    WEIR_ASSIGN_OR_RETURN(const auto generations, ReadGenerations(session, table));
    if (!generations.empty()) tables.push_back(&table);
  }
  WEIR_ASSIGN_OR_RETURN(const auto warnings, KeepReadObjects(session, project, tables, "check"));
  if (warnings.empty()) return {};
  return Fail(IoError("WEIR_FEED_READ_DATABASE", warnings.front()));
}

Status FixOne(engine::Session& session, const FeedProject& project, const Finding& finding) {
  switch (finding.fix) {
    case Finding::Fix::kNone:
      return {};
    case Finding::Fix::kWarehouse:
      return RunAll(session, finding.statements);
    case Finding::Fix::kReadObjects:
      return RunOnReadDatabase(session, project, finding.statements);
    case Finding::Fix::kReadObjectsAnew:
      return MakeReadObjectsAnew(session, project, finding.check == "2.17");
  }
  return {};
}

std::string Comment(const Finding& finding) {
  std::string text = "# " + finding.check + " " + finding.message;
  std::ranges::replace(text, '\n', ' ');
  return text + "\n";
}

}  // namespace

std::string SqlScript(const std::string& sql) { return "weir sql <<'SQL'\n" + sql + "SQL\n"; }

std::string FeedScript(const FeedProject& project, const std::string& arguments) {
  std::string file;
  for (const char c : project.file.string())
    file += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "weir feed " + arguments + " --project '" + file + "'\n";
}

std::string ModifiedAt(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return TimestampText(int64_t{status.st_mtim.tv_sec} * 1000000 + status.st_mtim.tv_nsec / 1000);
}

Result<std::string> FirstLoad(const CheckContext& context, const UsedTable& table) {
  if (!context.has_log) return std::string();
  WEIR_ASSIGN_OR_RETURN(
      const auto rows,
      Rows(context.session, "SELECT CAST(min(\"StartedAt\") AS VARCHAR) FROM " +
                                InWarehouse(kLogSchema, kRunTable) + " WHERE \"Status\" = 'done' " +
                                "AND \"Source\" = " + QuoteLiteral(table.source) +
                                " AND \"Schema\" = " + QuoteLiteral(table.schema) +
                                " AND \"Table\" = " + QuoteLiteral(table.table)));
  return rows[0][0].value_or("");
}

Result<std::vector<Finding>> CheckFeed(engine::Database& database, const FeedProject& project) {
  WEIR_ASSIGN_OR_RETURN(const auto session, OpenWarehouse(database, project, false, true));
  CheckContext context{*session, project, false};
  WEIR_ASSIGN_OR_RETURN(context.has_log, HasLogTables(*session));
  std::vector<Finding> findings;
  for (const Check check : kChecks) {
    WEIR_ASSIGN_OR_RETURN(auto found, check(context));
    for (Finding& finding : found) {
      finding.script = Comment(finding) + finding.script;
      findings.push_back(std::move(finding));
    }
  }
  WEIR_RETURN_IF_ERROR(session->Execute("USE memory; DETACH warehouse"));
  return findings;
}

Result<std::vector<std::string>> FixFeed(engine::Database& database, const FeedProject& project,
                                         const std::vector<Finding>& findings) {
  WEIR_ASSIGN_OR_RETURN(const auto session, OpenWarehouse(database, project, false, true));
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    const Status fixed = FixOne(*session, project, finding);
    if (!fixed) return Fail(fixed.error().WithContext("check " + finding.check));
    lines.push_back("check " + finding.check + ": " +
                    (finding.fix == Finding::Fix::kNone ? "left to you: " : "repaired: ") +
                    finding.message);
  }
  WEIR_RETURN_IF_ERROR(session->Execute("USE memory; DETACH warehouse"));
  return lines;
}

}  // namespace weir::feed
