# SPDX-License-Identifier: Apache-2.0
"""Change feeds over random histories that Weir, Spark and delta-rs write together: all read the same feed, and the changes of a
range lead from the table at its one end to the table at the other."""
import os
import random
from collections import Counter

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from canonical import assert_same_rows, rows_of_arrow
from peers import PEERS, Lake, WeirError

FEED = {"delta.enableChangeDataFeed": "true"}
VECTORS = {"delta.enableDeletionVectors": "true"}

# Properties, and who writes and reads besides Weir.
TABLES = {
    "copy on write": (FEED, ("spark", "delta-rs")),
    "deletion vectors": (FEED | VECTORS, ("spark",)),
    "mapping": (FEED | VECTORS | {"delta.columnMapping.mode": "name", "delta.enableRowTracking": "true"}, ("spark",)),
}

STEPS = 8


def statement(random_, table):
    """A statement that Weir and Spark both understand."""
    low, value = random_.randrange(60), random_.randrange(1000)
    return random_.choice([
        f"INSERT INTO {table} VALUES ({value}, 'i{value}', {value % 2}), ({value + 1}, NULL, {value % 2})",
        f"UPDATE {table} SET v = 'u{value}' WHERE id BETWEEN {low} AND {low + 5}",
        f"UPDATE {table} SET p = 1 - p WHERE id = {low}",
        f"DELETE FROM {table} WHERE id BETWEEN {low} AND {low + 2}",
        f"DELETE FROM {table} WHERE p = {low % 2} AND id > {low}",
        f"""MERGE INTO {table} AS t USING (SELECT * FROM (VALUES ({low}, 'm'), ({low + 1}, 'gone'), ({value + 2000}, 'new')) AS x(id, v)) AS s
            ON t.id = s.id WHEN MATCHED AND s.v = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v
            WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, 0)""",
    ])


def create(lake, properties):
    items = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    lake.weir(f"CREATE TABLE t (id BIGINT, v VARCHAR, p INTEGER) PARTITIONED BY (p) WITH ({items});"
              "INSERT INTO t SELECT i, 'v' || i, i % 2 FROM range(60) r(i)")


def step(lake, random_, writers):
    writer = random_.choice(("weir",) + writers)
    if writer == "weir":
        lake.weir(statement(random_, "t"))
    elif writer == "spark":
        if random_.random() < 0.3:
            # Its metrics have NULLs where Arrow's schema has none.
            PEERS["spark"].session.sql(f"OPTIMIZE delta.`{lake.path('t')}`").collect()
        else:
            lake.spark(statement(random_, "{t}"))
    elif random_.random() < 0.5:
        low = random_.randrange(60)
        DeltaTable(str(lake.path("t"))).delete(f"id = {low}")
    else:
        value = random_.randrange(1000)
        rows = pa.table({"id": pa.array([value], pa.int64()), "v": ["rs"], "p": pa.array([value % 2], pa.int32())})
        write_deltalake(str(lake.path("t")), rows, mode="append")


def weir_feed(lake, first, last=None, options=""):
    end = "" if last is None else f", {last}"
    rows = lake.weir(f"SELECT * FROM table_changes('t', {first}{end}{options})")
    return [{name: value for name, value in row.items() if name != "_commit_timestamp"} for row in rows]


def spark_feed(lake, first):
    return lake.spark("SELECT * EXCEPT (_commit_timestamp) FROM "
                      f"table_changes_by_path('{lake.path('t')}', {first})")


def delta_rs_feed(lake, first):
    feed = pa.table(DeltaTable(str(lake.path("t"))).load_cdf(starting_version=first))
    return rows_of_arrow(feed.drop_columns(["_commit_timestamp"]))


def key(row):
    return (row["id"], row["v"], row["p"])


def snapshot(lake, version):
    return Counter(key(row) for row in lake.weir(f"SELECT * FROM t AT (VERSION => {version})"))


def check_invariant(lake, first, last):
    table = snapshot(lake, first - 1)
    for row in weir_feed(lake, first, last):
        table[key(row)] += 1 if row["_change_type"] in ("insert", "update_postimage") else -1
    assert +table == snapshot(lake, last) and not -table
    net = lake.weir(f"SELECT id, v, p, _change_type FROM table_changes('t', {first}, {last}, net => true)")
    difference = snapshot(lake, last)
    difference.subtract(snapshot(lake, first - 1))
    expected = {row: count for row, count in difference.items() if count}
    assert Counter(key(row) for row in net) == Counter({row: abs(count) for row, count in expected.items()})
    assert all((row["_change_type"] == "insert") == (expected[key(row)] > 0) for row in net)


# WEIR_HISTORIES=100 for a longer run by hand, WEIR_FIRST_HISTORY=100 for others than those.
FIRST = int(os.environ.get("WEIR_FIRST_HISTORY", "0"))
SPARK_SEEDS = int(os.environ.get("WEIR_HISTORIES", "2"))
DELTA_RS_SEEDS = int(os.environ.get("WEIR_HISTORIES", "10"))


def test_histories_with_delta_rs(tmp_path):
    """Each writes some commits, and both read the same feed."""
    for seed in range(FIRST, FIRST + DELTA_RS_SEEDS):
        random_ = random.Random(f"delta-rs {seed}")
        lake = Lake(tmp_path / str(seed))
        lake.directory.mkdir()
        create(lake, FEED)
        for _ in range(2):
            lake.weir("; ".join(statement(random_, "t") for _ in range(2)))
            table = DeltaTable(str(lake.path("t")))
            low = random_.randrange(60)
            table.delete(f"id = {low}")
            table.update({"v": f"'rs{low}'"}, predicate=f"id > {low} AND id < {low + 4}")
            rows = pa.table({"id": pa.array([low, None], pa.int64()), "v": ["rs", None], "p": pa.array([low % 2, None], pa.int32())})
            write_deltalake(table, rows, mode=random_.choice(("append", "append", "overwrite")))
        assert_same_rows(weir_feed(lake, 1), delta_rs_feed(lake, 1), f"feed by Weir and by delta-rs, {seed}")


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SPARK_SEEDS))
@pytest.mark.parametrize("name", TABLES)
def test_random_history(lake, name, seed):
    properties, peers = TABLES[name]
    random_ = random.Random(f"{name} {seed}")
    create(lake, properties)
    lake.spark("SET spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration = false")
    for _ in range(STEPS):
        step(lake, random_, peers)
    feed = weir_feed(lake, 1)
    assert_same_rows(feed, spark_feed(lake, 1), f"feed by Weir and by Spark, {name} {seed}")
    if "delta-rs" in peers:
        assert_same_rows(feed, delta_rs_feed(lake, 1), f"feed by Weir and by delta-rs, {name} {seed}")
    if "delta.enableRowTracking" in properties:
        by_row_id = weir_feed(lake, 1, options=", by_row_id => true")
        assert_same_rows(feed, by_row_id, f"feed and changes by row id, {name} {seed}")
    last = lake.weir("SELECT max(version) AS v FROM weir_history('t')")[0]["v"]
    for _ in range(4):
        first = random_.randrange(1, last + 1)
        check_invariant(lake, first, random_.randrange(first, last + 1))


def test_a_restore_is_a_change_as_in_spark(lake):
    create(lake, FEED | VECTORS)
    lake.weir("DELETE FROM t WHERE id < 10")
    lake.spark("RESTORE TABLE {t} TO VERSION AS OF 1")
    lake.spark("INSERT OVERWRITE {t} SELECT * FROM {t} WHERE id < 5")
    assert_same_rows(weir_feed(lake, 1), spark_feed(lake, 1))
    check_invariant(lake, 2, 4)


def test_commit_timestamps_are_sparks(lake):
    create(lake, FEED | {"delta.enableInCommitTimestamps": "true"})
    lake.spark("DELETE FROM {t} WHERE id = 1")
    ours = lake.weir("SELECT DISTINCT _commit_version, _commit_timestamp FROM table_changes('t', 1)")
    theirs = lake.spark("SELECT DISTINCT _commit_version, _commit_timestamp FROM "
                        f"table_changes_by_path('{lake.path('t')}', 1)")
    assert_same_rows(ours, theirs)


def test_times_of_commit_files_are_made_ascending_as_in_spark(lake):
    # The times below are years ago, where Spark would not travel to otherwise.
    ages = "interval 100000 days"
    create(lake, {**FEED, "delta.deletedFileRetentionDuration": ages, "delta.logRetentionDuration": ages})
    for n in range(4):
        lake.weir(f"INSERT INTO t VALUES ({100 + n}, 'x', 0)")
    log = lake.path("t") / "_delta_log"
    for version, seconds in enumerate((5000, 9000, 4000, 4000, 9500, 1000)):
        os.utime(log / f"{version:020}.json", (1_700_000_000 + seconds,) * 2)
    for first in (1, 2, 4):
        ours = lake.weir(f"SELECT DISTINCT _commit_version, _commit_timestamp FROM table_changes('t', {first})")
        theirs = lake.spark("SELECT DISTINCT _commit_version, _commit_timestamp FROM "
                            f"table_changes_by_path('{lake.path('t')}', {first})")
        assert_same_rows(ours, theirs, f"from version {first}")


def test_vacuumed_files_are_an_error_before_the_first_row(lake):
    create(lake, FEED)
    lake.weir("UPDATE t SET v = 'x' WHERE id = 1")
    for file in (lake.path("t") / "_change_data").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(WeirError, match="DELTA_CHANGE_DATA_FILE_NOT_FOUND"):
        lake.weir("SELECT * FROM table_changes('t', 1)")
