// SPDX-License-Identifier: Apache-2.0
//
// Small scenarios of both SCD types, each batch given by its events and the table that it must
// leave.
#include "pipeline/auto_cdc_fixture.h"

namespace weir::pipeline::testing {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kColumns = "id INTEGER, name VARCHAR, version BIGINT, op VARCHAR";

class Scd1Test : public AutoCdcTest {
 protected:
  void SetUp() override {
    AutoCdcTest::SetUp();
    Declare(
        "KEYS (id) APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version COLUMNS * EXCEPT (op)",
        kColumns);
  }

  Lines Table() { return Rows("SELECT id, name, version FROM target ORDER BY id"); }
  Lines Tombstones() {
    return Rows(
        "SELECT id, __spark_autocdc_metadata.deleteSequence FROM __spark_autocdc_aux_state_target "
        "ORDER BY id");
  }
  void U(int version, const std::string& name) {
    Batch("(1, '" + name + "', " + std::to_string(version) + ", 'UPSERT')");
  }
  void D(int version) { Batch("(1, NULL, " + std::to_string(version) + ", 'DELETE')"); }
};

TEST_F(Scd1Test, TheGuidesExample) {
  Batch("(1, 'alice', 1, 'UPSERT'), (2, 'bob', 1, 'UPSERT')");
  EXPECT_EQ(Table(), (Lines{"1|alice|1", "2|bob|1"}));
  Batch(
      "(1, 'alice', 1, 'UPSERT'), (1, 'alicia', 2, 'UPSERT'), (2, 'bob', 2, 'DELETE'), (3, "
      "'carol', 1, 'UPSERT')");
  EXPECT_EQ(Table(), (Lines{"1|alicia|2", "3|carol|1"}));
  EXPECT_EQ(Tombstones(), Lines{"2|2"});
  const int commits = store_->commits;
  Batch("(1, 'alice', 1, 'UPSERT')");
  EXPECT_EQ(Table(), (Lines{"1|alicia|2", "3|carol|1"}));
  EXPECT_EQ(store_->commits, commits) << "a batch that changes nothing commits nothing";
}

TEST_F(Scd1Test, CountsWhatHappens) {
  Batch("(1, 'a', 1, 'U'), (2, 'b', 1, 'U'), (3, 'c', 5, 'U')");
  const auto counts = Apply(
      "(1, 'x', 2, 'U'), (1, 'y', 3, 'U'), (2, NULL, 2, 'DELETE'), (3, 'old', 4, 'U'), (4, 'd', 1, "
      "'U')");
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->rows_in, 5);
  EXPECT_EQ(counts->upserted, 2);
  EXPECT_EQ(counts->deleted, 1);
  EXPECT_EQ(counts->dropped, 1);
}

TEST_F(Scd1Test, LiveRowsHaveNoDeleteSequence) {
  U(5, "a");
  EXPECT_EQ(Rows("SELECT __spark_autocdc_metadata.deleteSequence, "
                 "__spark_autocdc_metadata.upsertSequence FROM target"),
            Lines{"-|5"});
}

TEST_F(Scd1Test, UpsertThenDeleteOfTheSameSequenceKeepsTheRow) {
  U(5, "a");
  D(5);
  EXPECT_EQ(Table(), Lines{"1|a|5"});
  EXPECT_EQ(Tombstones(), Lines{"1|5"});
}

TEST_F(Scd1Test, DeleteThenUpsertOfTheSameSequenceBringsTheRow) {
  D(5);
  U(5, "a");
  EXPECT_EQ(Table(), Lines{"1|a|5"});
  EXPECT_EQ(Tombstones(), Lines{});
}

TEST_F(Scd1Test, TheLaterOfEqualUpsertsWins) {
  U(5, "a");
  U(5, "b");
  EXPECT_EQ(Table(), Lines{"1|b|5"});
  Batch("(1, 'x', 5, 'U'), (1, 'y', 5, 'U')");
  EXPECT_EQ(Table(), Lines{"1|y|5"});
}

TEST_F(Scd1Test, AnOldDeleteLeavesATombstoneThatANewerEventRemoves) {
  U(5, "a");
  D(3);
  EXPECT_EQ(Table(), Lines{"1|a|5"});
  EXPECT_EQ(Tombstones(), Lines{"1|3"});
  U(4, "late");
  EXPECT_EQ(Table(), Lines{"1|a|5"});
  EXPECT_EQ(Tombstones(), Lines{});
}

TEST_F(Scd1Test, ALateUpsertDoesNotBringBackADeletedRow) {
  U(1, "a");
  D(5);
  EXPECT_EQ(Table(), Lines{});
  U(3, "late");
  EXPECT_EQ(Table(), Lines{});
  U(6, "new");
  EXPECT_EQ(Table(), Lines{"1|new|6"});
  D(5);
  EXPECT_EQ(Table(), Lines{"1|new|6"});
}

TEST_F(Scd1Test, DeletesOfUnknownKeysAreRemembered) {
  for (const auto& [version, expected] :
       {std::pair(5, "1|5"), std::pair(9, "1|9"), std::pair(7, "1|9")}) {
    D(version);
    EXPECT_EQ(Tombstones(), Lines{expected});
    U(3, "late");
    EXPECT_EQ(Table(), Lines{});
  }
}

TEST_F(Scd1Test, ReplaysChangeNothing) {
  const std::string batch = "(1, 'a', 1, 'U'), (2, 'b', 2, 'DELETE'), (3, 'c', 3, 'U')";
  Batch(batch);
  const Lines before = Table();
  const Lines tombstones = Tombstones();
  Batch(batch);
  EXPECT_EQ(Table(), before);
  EXPECT_EQ(Tombstones(), tombstones);
}

TEST_F(Scd1Test, NullsAreRefusedAndNothingIsWritten) {
  U(1, "a");
  EXPECT_EQ(ErrorOf("(1, 'b', 2, 'U'), (2, 'c', NULL, 'U')"),
            "AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE");
  EXPECT_EQ(ErrorOf("(1, 'b', 2, 'U'), (NULL, 'c', 2, 'U')"),
            "AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY");
  EXPECT_EQ(Table(), Lines{"1|a|1"});
}

TEST_F(Scd1Test, ANullConditionIsAnUpsertAndANullValueIsAValue) {
  U(1, "a");
  Batch("(1, NULL, 2, NULL)");
  EXPECT_EQ(Table(), Lines{"1|-|2"});
}

TEST_F(Scd1Test, SequencesOfEveryOrderableType) {
  const auto last_name = [&](const std::string& type, const std::string& first,
                             const std::string& second) {
    store_ = std::make_unique<NativeStore>(*session_);
    Run("DROP TABLE IF EXISTS target; DROP TABLE IF EXISTS __spark_autocdc_aux_state_target");
    Declare("KEYS (id) SEQUENCE BY version", "id INTEGER, name VARCHAR, version " + type);
    Batch("(1, 'first', " + first + ")");
    Batch("(1, 'second', " + second + ")");
    return Rows("SELECT name FROM target")[0];
  };
  EXPECT_EQ(last_name("DOUBLE", "'NaN'", "1e300"), "first");
  EXPECT_EQ(last_name("VARCHAR", "'9'", "'10'"), "first");
  EXPECT_EQ(last_name("STRUCT(t INTEGER, n INTEGER)", "{'t': 1, 'n': 9}", "{'t': 2, 'n': 1}"),
            "second");
  EXPECT_EQ(last_name("STRUCT(t INTEGER, n INTEGER)", "{'t': 1, 'n': NULL}", "{'t': 1, 'n': 1}"),
            "second");
  EXPECT_EQ(last_name("STRUCT(t INTEGER, n INTEGER)", "{'t': 1, 'n': 1}", "{'t': 1, 'n': NULL}"),
            "first");
  EXPECT_EQ(last_name("DECIMAL(38,9)", "9999999999.000000002", "9999999999.000000001"), "first");
  EXPECT_EQ(last_name("TIMESTAMP", "'2024-01-01 00:00:00.000001'", "'2024-01-01'"), "first");
}

TEST_F(Scd1Test, AMapIsNoSequence) {
  Declare("KEYS (id) SEQUENCE BY version", "id INTEGER, version MAP(VARCHAR, INTEGER)");
  EXPECT_EQ(ErrorOf(""), "AUTOCDC_MICROBATCH_VALIDATION.NON_ORDERABLE_SEQUENCE");
}

TEST_F(Scd1Test, TheSequenceNeedNotBeKept) {
  Declare("KEYS (id) SEQUENCE BY version COLUMNS (id, name)", kColumns);
  U(2, "a");
  U(1, "late");
  EXPECT_EQ(Rows("SELECT id, name FROM target"), Lines{"1|a"});
}

TEST_F(Scd1Test, WithoutAColumnListEveryColumnIsKept) {
  Declare("KEYS (id) SEQUENCE BY version", kColumns);
  U(2, "a");
  EXPECT_EQ(Rows("SELECT id, name, version, op FROM target"), Lines{"1|a|2|UPSERT"});
}

TEST_F(Scd1Test, KeysOfSeveralColumnsOtherCaseAndOddNames) {
  Declare("KEYS (ID, `a.b`) SEQUENCE BY version",
          "id INTEGER, \"a.b\" VARCHAR, version INTEGER, v VARCHAR");
  Batch("(1, 'x', 1, 'p'), (1, 'y', 1, 'q'), (1, 'x', 2, 'r')");
  EXPECT_EQ(Rows("SELECT id, \"a.b\", v FROM target ORDER BY 2"), (Lines{"1|x|r", "1|y|q"}));
}

TEST_F(Scd1Test, MinusZeroIsZero) {
  Declare("KEYS (id) SEQUENCE BY version", "id DOUBLE, version INTEGER");
  Batch("(0.0, 1), (-0.0, 2)");
  EXPECT_EQ(Rows("SELECT version FROM target"), Lines{"2"});
}

TEST_F(Scd1Test, WrongColumnsAreRefused) {
  const auto refused = [&](const std::string& clauses, const std::string& columns = kColumns) {
    Declare(clauses, columns);
    return ErrorOf("");
  };
  EXPECT_EQ(refused("KEYS (nope) SEQUENCE BY version"), "AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version COLUMNS (name)"),
            "AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version COLUMNS * EXCEPT (id)"),
            "AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version COLUMNS (id, nope)"),
            "AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA");
  EXPECT_EQ(refused("KEYS (id, ID) SEQUENCE BY version"), "AUTOCDC_DUPLICATE_KEY_COLUMN");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version APPLY AS DELETE WHEN op"),
            "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version",
                    "id INTEGER, version INTEGER, __Spark_AutoCdc_x INTEGER"),
            "AUTOCDC_RESERVED_COLUMN_NAME_PREFIX_CONFLICT");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version STORED AS SCD TYPE 2",
                    "id INTEGER, version INTEGER, __start_at INTEGER"),
            "AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT");
  EXPECT_EQ(refused("KEYS (id) SEQUENCE BY version STORED AS SCD TYPE 2 TRACK HISTORY ON (id)"),
            "AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA");
}

TEST_F(Scd1Test, WhatDriftsIsRefusedUntilAFullRefresh) {
  U(1, "a");
  const auto drifts = [&](const std::string& clauses, const std::string& columns,
                          const std::string& row) {
    Declare(clauses, columns);
    return ErrorOf(row);
  };
  EXPECT_EQ(drifts("KEYS (id, name) SEQUENCE BY version COLUMNS * EXCEPT (op)", kColumns, ""),
            "AUTOCDC_INVALID_STATE.KEY_SCHEMA_DRIFT");
  EXPECT_EQ(drifts("KEYS (id) SEQUENCE BY version COLUMNS * EXCEPT (op)",
                   "id BIGINT, name VARCHAR, version BIGINT, op VARCHAR", ""),
            "AUTOCDC_INVALID_STATE.KEY_SCHEMA_DRIFT");
  EXPECT_EQ(
      drifts("KEYS (id) SEQUENCE BY CAST(version AS VARCHAR) COLUMNS * EXCEPT (op)", kColumns, ""),
      "AUTOCDC_INVALID_STATE.SEQUENCING_TYPE_DRIFT");
  EXPECT_EQ(drifts("KEYS (id) SEQUENCE BY version COLUMNS * EXCEPT (op) STORED AS SCD TYPE 2",
                   kColumns, ""),
            "AUTOCDC_INVALID_STATE.SCD_TYPE_DRIFT");
  EXPECT_EQ(drifts("KEYS (id) SEQUENCE BY version COLUMNS * EXCEPT (op)",
                   "id INTEGER, name INTEGER, version BIGINT, op VARCHAR", ""),
            "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE");
  EXPECT_EQ(drifts("KEYS (id) SEQUENCE BY version", kColumns, ""), "") << "a new column is added";
  reset_ = true;
  EXPECT_EQ(drifts("KEYS (name) SEQUENCE BY id COLUMNS (name)", kColumns, "(1, 'a', 1, '')"), "");
  EXPECT_EQ(Rows("SELECT * EXCLUDE (__spark_autocdc_metadata) FROM target"), Lines{"a"});
}

TEST_F(Scd1Test, ALostSideTableIsNoticed) {
  U(1, "a");
  Run("DROP TABLE __spark_autocdc_aux_state_target");
  store_->Forget({{"lake", "main", "__spark_autocdc_aux_state_target"}});
  EXPECT_EQ(ErrorOf("(1, 'b', 2, 'U')"), "AUTOCDC_INVALID_STATE.AUXILIARY_TABLE_MISSING");
}

TEST_F(Scd1Test, ADamagedSideTableIsNoticed) {
  U(1, "a");
  const QualifiedName auxiliary{{"lake", "main", "__spark_autocdc_aux_state_target"}};
  const std::string keys = "pipelines.autocdc.keyColumnNames";
  const std::string event = "(1, 'b', 2, 'U')";
  ASSERT_TRUE(store_->SetProperty(auxiliary, keys, "id"));
  EXPECT_EQ(ErrorOf(event), "AUTOCDC_INVALID_STATE.AUXILIARY_TABLE_PROPERTY_MALFORMED");
  store_->Unset(auxiliary, keys);
  EXPECT_EQ(ErrorOf(event), "AUTOCDC_INVALID_STATE.AUXILIARY_TABLE_PROPERTY_MISSING");
  ASSERT_TRUE(store_->SetProperty(auxiliary, keys, "[\"id\"]"));
  Run("ALTER TABLE __spark_autocdc_aux_state_target RENAME COLUMN id TO other");
  EXPECT_EQ(ErrorOf(event), "AUTOCDC_INVALID_STATE.AUXILIARY_TABLE_KEY_COLUMN_MISSING");
}

TEST_F(Scd1Test, NewAndDroppedColumns) {
  U(1, "a");
  Declare("KEYS (id) SEQUENCE BY version", "id INTEGER, version BIGINT, city VARCHAR");
  Batch("(1, 2, 'Oslo'), (2, 1, 'Lima')");
  EXPECT_EQ(Rows("SELECT id, name, version, city FROM target ORDER BY id"),
            (Lines{"1|a|2|Oslo", "2|-|1|Lima"}));
}

TEST_F(Scd1Test, ATruncationRemovesAllThatIsOlder) {
  Declare(
      "KEYS (id) APPLY AS DELETE WHEN op = 'DELETE' APPLY AS TRUNCATE WHEN op = 'TRUNCATE' "
      "SEQUENCE BY version "
      "COLUMNS * EXCEPT (op)",
      kColumns);
  Batch("(1, 'a', 1, 'U'), (2, 'b', 2, 'U'), (3, 'c', 5, 'U')");
  Batch("(NULL, NULL, 3, 'TRUNCATE'), (4, 'd', 4, 'U'), (5, 'late', 2, 'U')");
  EXPECT_EQ(Table(), (Lines{"3|c|5", "4|d|4"}));
  Batch("(1, 'late', 2, 'U'), (2, 'b', 3, 'U')");
  EXPECT_EQ(Table(), (Lines{"2|b|3", "3|c|5", "4|d|4"}));
  Batch("(NULL, NULL, 1, 'TRUNCATE')");
  EXPECT_EQ(Table(), (Lines{"2|b|3", "3|c|5", "4|d|4"}));
  Batch("(1, 'e', 9, 'U'), (NULL, NULL, 8, 'TRUNCATE')");
  EXPECT_EQ(Table(), Lines{"1|e|9"});
}

TEST_F(Scd1Test, NullsCanLeaveAColumnAsItIs) {
  Declare("KEYS (id) IGNORE NULL UPDATES ON (name) SEQUENCE BY version COLUMNS (id, name, op)",
          kColumns);
  const auto table = [&] { return Rows("SELECT id, name, op FROM target ORDER BY id"); };
  Batch("(1, 'a', 1, 'x')");
  Batch("(1, NULL, 5, NULL)");
  EXPECT_EQ(table(), Lines{"1|a|-"});
  Batch("(1, 'late', 3, 'late')");
  EXPECT_EQ(table(), Lines{"1|late|-"}) << "the newest event that has a name";
  Batch("(1, 'older', 2, 'older')");
  EXPECT_EQ(table(), Lines{"1|late|-"});
}

TEST_F(Scd1Test, EventsMayNameTheColumnsThatTheyWrite) {
  Declare("KEYS (id) SEQUENCE BY version COLUMNS (id, name, city) COLUMNS TO UPDATE cols",
          "id INTEGER, name VARCHAR, city VARCHAR, version INTEGER, cols VARCHAR[]");
  Batch("(1, 'a', 'Oslo', 1, NULL)");
  Batch("(1, NULL, NULL, 3, ['Name'])");
  Batch("(1, 'late', 'Lima', 2, ['name', 'city'])");
  EXPECT_EQ(Rows("SELECT name, city FROM target"), Lines{"-|Lima"});
}

TEST_F(Scd1Test, PartialUpdatesHaveTheirLimits) {
  Declare("KEYS (id) IGNORE NULL UPDATES SEQUENCE BY version APPLY AS TRUNCATE WHEN op = 'T'",
          kColumns);
  EXPECT_EQ(ErrorOf(""), "AUTOCDC_PARTIAL_UPDATE_NOT_SUPPORTED");
  Declare("KEYS (id) COLUMNS TO UPDATE op SEQUENCE BY version", kColumns);
  EXPECT_EQ(ErrorOf(""), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
  Declare("KEYS (id) SEQUENCE BY version", kColumns);
  U(1, "a");
  Declare("KEYS (id) IGNORE NULL UPDATES SEQUENCE BY version", kColumns);
  EXPECT_EQ(ErrorOf(""), "AUTOCDC_INVALID_STATE.PARTIAL_UPDATE_DRIFT");
}

/// Names that the SQL of the flows might use itself.
TEST_F(AutoCdcTest, ColumnsMayHaveAnyName) {
  const std::vector<std::string> names = {
      "origin", "place",     "arrival", "life",  "found",   "sequence", "written",
      "buried", "tombstone", "fresh",   "v",     "s",       "t",        "b",
      "d",      "n",         "o",       "x",     "w",       "l",        "a",
      "k",      "r",         "e",       "f",     "m",       "c0",       "head",
      "start",  "ends",      "events",  "heads", "runs",    "nothing",  "key",
      "value",  "files",     "target",  "batch", "deletes", "state",    "fingerprint"};
  const std::string columns = "seq INTEGER, del BOOLEAN, " +
                              Join(names, ", ", [](const auto& name) { return name + " VARCHAR"; });
  const auto row = [&](int sequence, bool deletes, const std::string& value) {
    return "(" + std::to_string(sequence) + (deletes ? ", true" : ", false") +
           Join(names, "",
                [&](const auto& name) {
                  return name == "origin" || name == "found" ? ", 'k'" : ", '" + value + "'";
                }) +
           ")";
  };
  for (const std::string type :
       {"STORED AS SCD TYPE 1", "STORED AS SCD TYPE 2",
        "STORED AS SCD TYPE 2 TRACK HISTORY ON (place, life)",
        "STORED AS SCD TYPE 1 IGNORE NULL UPDATES", "STORED AS SCD TYPE 2 IGNORE NULL UPDATES",
        "STORED AS SCD TYPE 1 APPLY AS TRUNCATE WHEN seq = 3"}) {
    Declare(
        "KEYS (origin, found) APPLY AS DELETE WHEN del SEQUENCE BY seq COLUMNS * EXCEPT (del) " +
            type,
        columns);
    reset_ = true;
    Batch(row(1, false, "a") + ", " + row(2, true, "") + ", " + row(4, false, "b"));
    Batch(row(6, false, "b") + ", " + row(3, false, "c") + ", " + row(5, false, "b"));
    EXPECT_EQ(Rows("SELECT DISTINCT place, life, sequence, c0, state FROM target WHERE seq = 6"),
              Lines{"b|b|b|b|b"})
        << type;
  }
}

TEST_F(AutoCdcTest, NamesThatABatchNeedsAreRefused) {
  for (const std::string name : {"ROWID", "__weir_delete"}) {
    Declare("KEYS (id) SEQUENCE BY version", "id INTEGER, version INTEGER, " + name + " INTEGER");
    EXPECT_EQ(ErrorOf(""), "AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT");
  }
}

class Scd2Test : public AutoCdcTest {
 protected:
  void SetUp() override {
    AutoCdcTest::SetUp();
    Declare(kClauses + std::string(" TRACK HISTORY ON (name)"),
            "id INTEGER, name VARCHAR, note VARCHAR, seq INTEGER, op VARCHAR");
  }

  static constexpr const char* kClauses =
      "KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED "
      "AS SCD TYPE 2";

  Lines Table() {
    return Rows("SELECT name, __START_AT, __END_AT FROM target ORDER BY id, __START_AT");
  }

  static std::string Event(const std::string& name, int sequence) {
    const bool is_delete = name == "D";
    return "(1, " + (is_delete || name.empty() ? "NULL" : "'" + name + "'") + ", 'n" +
           std::to_string(sequence) + "', " + std::to_string(sequence) + ", '" +
           (is_delete ? "D" : "U") + "')";
  }

  /// Events, one a batch, e.g. {{"a", 1}, {"D", 5}}.
  void Feed(const std::vector<std::pair<std::string, int>>& events) {
    for (const auto& [name, sequence] : events) Batch(Event(name, sequence));
  }
};

TEST_F(Scd2Test, LateEventsFindTheirPlace) {
  Feed({{"a", 5}, {"a", 10}, {"a", 15}, {"c", 20}});
  EXPECT_EQ(Table(), (Lines{"a|5|20", "c|20|-"}));
  Feed({{"b", 12}});
  EXPECT_EQ(Table(), (Lines{"a|5|12", "b|12|15", "a|15|20", "c|20|-"}));
}

TEST_F(Scd2Test, EventsBeforeTheFirst) {
  Feed({{"a", 1}, {"c", 10}, {"b", 5}, {"z", 0}});
  EXPECT_EQ(Table(), (Lines{"z|0|1", "a|1|5", "b|5|10", "c|10|-"}));
}

TEST_F(Scd2Test, ALateDeleteMakesAGap) {
  Feed({{"a", 1}, {"c", 10}, {"D", 5}});
  EXPECT_EQ(Table(), (Lines{"a|1|5", "c|10|-"}));
}

TEST_F(Scd2Test, ADeleteMayComeFirst) {
  Feed({{"D", 5}, {"a", 1}, {"b", 9}});
  EXPECT_EQ(Table(), (Lines{"a|1|5", "b|9|-"}));
}

TEST_F(Scd2Test, TwoDeletesAndALateUpsertBetween) {
  Feed({{"a", 1}, {"D", 5}, {"D", 7}, {"b", 6}});
  EXPECT_EQ(Table(), (Lines{"a|1|5", "b|6|7"}));
}

TEST_F(Scd2Test, LateUpsertAndLateDelete) {
  Feed({{"a", 1}, {"D", 10}, {"b", 5}, {"D", 3}});
  EXPECT_EQ(Table(), (Lines{"a|1|3", "b|5|10"}));
}

TEST_F(Scd2Test, TheSameValueAfterADeleteIsANewVersion) {
  Feed({{"a", 1}, {"D", 5}, {"a", 9}});
  EXPECT_EQ(Table(), (Lines{"a|1|5", "a|9|-"}));
}

TEST_F(Scd2Test, NullIsAValue) {
  Feed({{"", 1}, {"", 2}, {"x", 3}, {"", 4}});
  EXPECT_EQ(Table(), (Lines{"-|1|3", "x|3|4", "-|4|-"}));
}

TEST_F(Scd2Test, UntrackedValuesComeFromTheLastEventOfTheRun) {
  Feed({{"a", 1}, {"a", 2}});
  EXPECT_EQ(Rows("SELECT note, __START_AT FROM target"), Lines{"n2|1"});
}

TEST_F(Scd2Test, ReplaysChangeNothing) {
  Feed({{"a", 1}, {"D", 5}, {"b", 9}, {"b", 12}});
  const Lines before = Table();
  const int commits = store_->commits;
  Feed({{"a", 1}, {"D", 5}, {"b", 9}, {"b", 12}, {"b", 12}});
  EXPECT_EQ(Table(), before);
  EXPECT_EQ(store_->commits, commits);
}

TEST_F(Scd2Test, OfEqualSequencesTheDeleteWinsInAnyOrder) {
  Feed({{"a", 1}, {"b", 5}, {"D", 5}});
  EXPECT_EQ(Table(), Lines{"a|1|5"});
  Feed({{"b", 5}});
  EXPECT_EQ(Table(), Lines{"a|1|5"});
}

TEST_F(Scd2Test, OfEqualUpsertsTheFirstStays) {
  Feed({{"a", 5}, {"b", 5}});
  EXPECT_EQ(Table(), Lines{"a|5|-"});
}

TEST_F(Scd2Test, WithoutTrackedColumnsThereIsOneRowALife) {
  Declare(
      "KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS (id) STORED AS SCD TYPE 2",
      "id INTEGER, name VARCHAR, note VARCHAR, seq INTEGER, op VARCHAR");
  Feed({{"a", 1}, {"b", 2}, {"D", 5}, {"c", 7}, {"d", 8}});
  EXPECT_EQ(Rows("SELECT __START_AT, __END_AT FROM target ORDER BY 1"), (Lines{"1|5", "7|-"}));
}

TEST_F(Scd2Test, AKeptSequenceMakesEveryEventAVersion) {
  Declare("KEYS (id) SEQUENCE BY seq COLUMNS (id, name, seq) STORED AS SCD TYPE 2",
          "id INTEGER, name VARCHAR, note VARCHAR, seq INTEGER, op VARCHAR");
  Feed({{"a", 1}, {"a", 2}, {"a", 3}});
  EXPECT_EQ(Rows("SELECT count(*) FROM target"), Lines{"3"});
}

TEST_F(Scd2Test, TrackedColumnsMayNotChangeButANewColumnMayCome) {
  Feed({{"a", 1}});
  Declare(kClauses + std::string(" TRACK HISTORY ON (note)"),
          "id INTEGER, name VARCHAR, note VARCHAR, seq INTEGER, op VARCHAR");
  EXPECT_EQ(ErrorOf(""), "AUTOCDC_INVALID_STATE.TRACK_HISTORY_DRIFT");
}

TEST_F(Scd2Test, ANewColumnIsTrackedWhenAllAre) {
  Declare(kClauses, "id INTEGER, name VARCHAR, seq INTEGER, op VARCHAR");
  Batch("(1, 'a', 1, 'U')");
  Declare(kClauses, "id INTEGER, name VARCHAR, seq INTEGER, op VARCHAR, city VARCHAR");
  Batch("(1, 'a', 2, 'U', 'Oslo')");
  EXPECT_EQ(Rows("SELECT name, city, __START_AT, __END_AT FROM target ORDER BY 3"),
            (Lines{"a|-|1|2", "a|Oslo|2|-"}));
}

TEST_F(Scd2Test, AColumnMayBecomeWiderWhenTheTableAllowsIt) {
  const std::string clauses = "KEYS (id) SEQUENCE BY seq COLUMNS (id, n) STORED AS SCD TYPE 2";
  Declare(clauses, "id INTEGER, n INTEGER, seq INTEGER");
  Batch("(1, 7, 5)");
  Declare(clauses, "id INTEGER, n BIGINT, seq INTEGER");
  EXPECT_EQ(ErrorOf(""), "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE");
  ASSERT_TRUE(
      store_->SetProperty({{"lake", "main", "target"}}, "delta.enableTypeWidening", "true"));
  Batch("(1, 7, 9), (1, 5000000000, 3)");
  EXPECT_EQ(Rows("SELECT n, __START_AT, __END_AT, typeof(n) FROM target ORDER BY 2"),
            (Lines{"5000000000|3|5|BIGINT", "7|5|-|BIGINT"}));
  EXPECT_EQ(Rows("SELECT n, __START_AT, typeof(n) FROM __spark_autocdc_aux_state_target"),
            Lines{"7|5|BIGINT"});
}

/// Whole rows are compared by their hashes first. The hash of two columns is one of their hashes,
/// multiplied, XOR the other; so for any `a` there is a `b` that gives the hash that is wanted.
TEST_F(Scd2Test, RowsWithEqualHashesAreDifferentVersions) {
  const auto hash = [&](const std::string& values) {
    return std::stoull(Rows("SELECT hash(" + values + ")")[0]);
  };
  const auto undo = [](uint64_t x) {
    const auto inverse = [](uint64_t odd) {
      uint64_t result = odd;
      for (int i = 0; i < 6; ++i) result *= 2 - odd * result;
      return result;
    };
    // x ^= x >> 32, multiplied, three times: each step has an inverse.
    x ^= x >> 32;
    x *= inverse(0xd6e8feb86659fd93U);
    x ^= x >> 32;
    x *= inverse(0xd6e8feb86659fd93U);
    x ^= x >> 32;
    return static_cast<int64_t>(x);
  };
  const uint64_t wanted = hash("1::BIGINT, 2::BIGINT");
  const uint64_t with_zero = hash("3::BIGINT, 0::BIGINT") ^ hash("0::BIGINT");
  const int64_t b = undo(wanted ^ with_zero);
  const std::string twin = "3::BIGINT, " + std::to_string(b) + "::BIGINT";
  ASSERT_EQ(hash(twin), wanted);

  Declare("KEYS (id) SEQUENCE BY seq COLUMNS (id, a, b) STORED AS SCD TYPE 2",
          "id INTEGER, seq INTEGER, a BIGINT, b BIGINT");
  Batch("(1, 1, 1, 2), (1, 3, 3, " + std::to_string(b) + ")");
  Batch("(1, 2, 1, 2), (1, 4, 3, " + std::to_string(b) + ")");
  EXPECT_EQ(Rows("SELECT a, __START_AT, __END_AT FROM target ORDER BY 2"),
            (Lines{"1|1|3", "3|3|-"}));
}

TEST_F(Scd2Test, TheDocumentedHistory) {
  const Lines events = {"(123, 'Isabel', 'Monterrey', 1, 'I')",
                        "(124, 'Raul', 'Oaxaca', 1, 'I')",
                        "(125, 'Mercedes', 'Tijuana', 2, 'I')",
                        "(126, 'Lily', 'Cancun', 2, 'I')",
                        "(123, NULL, NULL, 6, 'D')",
                        "(125, 'Mercedes', 'Guadalajara', 6, 'U')",
                        "(125, 'Mercedes', 'Mexicali', 5, 'U')",
                        "(123, 'Isabel', 'Chihuahua', 5, 'U')"};
  const Lines expected = {"Isabel|Monterrey|1|5",  "Isabel|Chihuahua|5|6",
                          "Raul|Oaxaca|1|-",       "Mercedes|Tijuana|2|5",
                          "Mercedes|Mexicali|5|6", "Mercedes|Guadalajara|6|-",
                          "Lily|Cancun|2|-"};
  const auto table = [&] {
    return Rows("SELECT name, city, __START_AT, __END_AT FROM target ORDER BY id, __START_AT");
  };
  const auto start = [&] {
    store_ = std::make_unique<NativeStore>(*session_);
    Run("DROP TABLE IF EXISTS target; DROP TABLE IF EXISTS __spark_autocdc_aux_state_target");
    Declare(kClauses, "id INTEGER, name VARCHAR, city VARCHAR, seq INTEGER, op VARCHAR");
  };
  start();
  Batch(Join(events, ", ", [](const std::string& event) { return event; }));
  EXPECT_EQ(table(), expected);
  start();
  for (const std::string& event : events) Batch(event);
  EXPECT_EQ(table(), expected);
  start();
  for (auto event = events.rbegin(); event != events.rend(); ++event) Batch(*event);
  EXPECT_EQ(table(), expected);
}

}  // namespace
}  // namespace weir::pipeline::testing
