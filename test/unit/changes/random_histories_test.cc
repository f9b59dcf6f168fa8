// SPDX-License-Identifier: Apache-2.0
//
// Random histories of tables with random features, and what must hold of the feed of each of them:
// snapshot(a) + changes(a+1..b) = snapshot(b).
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "changes/lake_test.h"

namespace weir::changes {
namespace {

// WEIR_HISTORIES=2000 for a longer run by hand.
int Histories() {
  const char* wanted = std::getenv("WEIR_HISTORIES");
#ifdef __SANITIZE_ADDRESS__
  constexpr int kMany = 40;
#else
  constexpr int kMany = 200;
#endif
  return wanted ? std::atoi(wanted) : kMany;
}

constexpr int kStatements = 5;

// The columns that every version of every table has.
constexpr const char* kRow = "id, v, p";

class RandomHistoryTest : public LakeTest {
 protected:
  // The same numbers wherever the test runs: the library's distributions differ.
  uint64_t Pick(uint64_t count) { return random_() % count; }
  std::string Number(uint64_t count) { return std::to_string(Pick(count)); }

  void Create(const std::string& table) {
    const auto flag = [&](const char* property) {
      return std::string(", '") + property + "' = '" + (Pick(2) == 0 ? "true" : "false") + "'";
    };
    has_row_ids_ = Pick(2) == 0;
    const std::string properties =
        std::string("'delta.enableChangeDataFeed' = 'true', 'delta.enableRowTracking' = '") +
        (has_row_ids_ ? "true" : "false") + "'" + flag("delta.enableDeletionVectors") +
        flag("delta.enableInCommitTimestamps") + ", 'delta.columnMapping.mode' = '" +
        (Pick(2) == 0 ? "name" : "none") + "', 'delta.checkpointInterval' = '" +
        (Pick(2) == 0 ? "3" : "10") + "'";
    Run("CREATE TABLE " + table + " (id BIGINT, v VARCHAR, p INTEGER)" +
        (Pick(2) == 0 ? " PARTITIONED BY (p)" : "") + " WITH (" + properties + ")");
    Run("INSERT INTO " + table + " SELECT range, 'a' || range, range % 3 FROM range(24)");
    version_ = restorable_ = 1;
  }

  std::string Statement(const std::string& table) {
    const std::string low = Number(24);
    const std::string value = Number(1000);
    switch (Pick(12)) {
      case 0:
        return "INSERT INTO " + table + " (id, v, p) VALUES (" + value + ", 'i', 0), (" + value +
               ", NULL, 1), (NULL, 'n', NULL)";
      case 1:
        return "UPDATE " + table + " SET v = 'u" + value + "' WHERE id BETWEEN " + low + " AND " +
               low + " + 5";
      case 2:
        return "UPDATE " + table + " SET p = 2 - p, v = v WHERE id % 5 = " + low + " % 5";
      case 3:
        return "DELETE FROM " + table + " WHERE id BETWEEN " + low + " AND " + low + " + 3";
      case 4:
        return "DELETE FROM " + table + " WHERE p = " + low + " % 3";
      case 5:
        return "DELETE FROM " + table;
      case 6:
        return "MERGE INTO " + table + " AS t USING (VALUES (" + low + ", 'm'), (" + low +
               " + 1, 'gone'), (" + value +
               " + 2000, 'new')) AS s(id, v) ON t.id = s.id WHEN MATCHED AND s.v = 'gone' THEN "
               "DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, "
               "p) VALUES (s.id, s.v, 1)";
      case 7:
        return "OPTIMIZE " + table;
      case 8:
        return "REORG TABLE " + table + " APPLY (PURGE)";
      case 9:
        return "RESTORE TABLE " + table + " TO VERSION AS OF " +
               std::to_string(restorable_ + Pick(version_ - restorable_ + 1));
      case 10:
        return "INSERT OVERWRITE " + table + " (id, v, p) SELECT " + kRow + " FROM " + table +
               " WHERE id > " + low;
      default:
        return "INSERT INTO " + table + " BY NAME REPLACE WHERE p = 1 SELECT " + value +
               " AS id, 'r' AS v, 1 AS p";
    }
  }

  void Live(const std::string& table) {
    const uint64_t widened = Pick(2 * kStatements);
    for (uint64_t i = 0; i < kStatements; ++i) {
      if (i == widened) {
        Run("ALTER TABLE " + table + " ADD COLUMN w BIGINT");
        restorable_ = ++version_;
      }
      history_ += Statement(table) + ";\n";
      const Status done =
          session_->Execute(history_.substr(history_.rfind('\n', history_.size() - 2) + 1));
      ASSERT_TRUE(done) << done.error().ToString() << "\n" << history_;
      version_ = static_cast<uint64_t>(
          session_
              ->QueryInt64("SELECT max(version) FROM weir_history('" + table + "', \"limit\" => 1)")
              ->value());
    }
  }

  std::string Feed(const std::string& table, uint64_t first, uint64_t last,
                   const std::string& options = "") const {
    return "(SELECT id, v, p, _change_type, _commit_version FROM table_changes('" + table + "', " +
           std::to_string(first) + ", " + std::to_string(last) + options + "))";
  }

  // What must be empty.
  void ExpectNothing(const std::string& what, const std::string& sql) {
    EXPECT_EQ(Query("SELECT count(*) FROM (" + sql + ")"), "0 ")
        << what << "\n"
        << history_ << Query("SELECT row(COLUMNS(*))::VARCHAR FROM (" + sql + ")");
  }

  void Check(const std::string& table) {
    std::string states;
    for (uint64_t version = 1; version <= version_; ++version) {
      const std::string number = std::to_string(version);
      states += (version > 1 ? " UNION ALL SELECT " : "SELECT ") + number + " AS version, " + kRow +
                " FROM " + table + " AT (VERSION => " + number + ")";
    }
    Run("CREATE OR REPLACE TEMP TABLE states AS " + states);
    Run("CREATE OR REPLACE TEMP TABLE feed AS FROM " + Feed(table, 2, version_));
    const std::string sign =
        "CASE WHEN _change_type IN ('insert', 'update_postimage') THEN 1 ELSE -1 END";
    ExpectNothing(
        "each version is the one before it and its changes",
        "SELECT version, id, v, p, sum(n) AS n FROM (SELECT version, id, v, p, -1 AS n FROM states "
        "WHERE version > 1 UNION ALL SELECT version + 1, id, v, p, 1 FROM states WHERE version < " +
            std::to_string(version_) + " UNION ALL SELECT _commit_version, id, v, p, " + sign +
            " FROM feed) GROUP BY ALL HAVING sum(n) <> 0");
    ExpectNothing("an update has two images of each row",
                  "SELECT _commit_version, id FROM feed WHERE starts_with(_change_type, 'update') "
                  "GROUP BY ALL HAVING sum(" +
                      sign + ") <> 0");
    ExpectNothing("upkeep changes nothing",
                  "SELECT 1 FROM feed JOIN weir_history('" + table +
                      "') ON version = _commit_version WHERE operation IN ('OPTIMIZE', 'REORG')");
    if (Pick(2) == 0) CheckRange(table, sign);
  }

  void CheckRange(const std::string& table, const std::string& sign) {
    const uint64_t first = 2 + Pick(version_ - 1);
    const uint64_t last = first + Pick(version_ - first + 1);
    const std::string within =
        " WHERE _commit_version BETWEEN " + std::to_string(first) + " AND " + std::to_string(last);
    ExpectNothing("a range is a part of the whole",
                  "(FROM " + Feed(table, first, last) + " EXCEPT ALL FROM feed" + within +
                      ") UNION ALL (FROM feed" + within + " EXCEPT ALL FROM " +
                      Feed(table, first, last) + ")");
    // By id and not: what is left over of a range, of which row ids know as much as the feed.
    const std::string net = "SELECT id, v, p, sum(" + sign + ") AS n FROM ";
    const std::string left = " GROUP BY ALL HAVING n <> 0";
    for (const std::string options : {", net => true", ", by_row_id => true"}) {
      if (options == ", by_row_id => true" && !has_row_ids_) continue;
      ExpectNothing("the same is left over with" + options,
                    "(" + net + "feed" + within + left + ") EXCEPT (" + net +
                        Feed(table, first, last, options) + left + ")");
    }
  }

  std::mt19937_64 random_{20};
  bool has_row_ids_ = false;
  uint64_t version_ = 0;     // of the table that is being written
  uint64_t restorable_ = 0;  // the first version with all of its columns: no feed spans others
  std::string history_;
};

TEST_F(RandomHistoryTest, ChangesLeadFromOneVersionToTheNext) {
  // Tiny statements wait for threads more than for anything else.
  Run("SET threads = 1");
  const int histories = Histories();
  for (int history = 0; history < histories && !HasFailure(); ++history) {
    const std::string table = "t" + std::to_string(history);
    history_ = "-- history " + std::to_string(history) + "\n";
    Create(table);
    if (HasFatalFailure()) return;
    Live(table);
    if (HasFatalFailure()) return;
    Check(table);
    Run("DROP TABLE " + table);
  }
}

}  // namespace
}  // namespace weir::changes
