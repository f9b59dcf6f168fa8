# SPDX-License-Identifier: Apache-2.0
"""DELETE, UPDATE and MERGE by Weir, as Spark and delta-rs see them: rows, change rows, row ids, and that Spark goes on writing."""
import pytest

from canonical import assert_same_rows

PROPERTIES = {
    "plain": {},
    "vectors": {"delta.enableDeletionVectors": "true"},
    "feed": {"delta.enableChangeDataFeed": "true"},
    "vectors and feed": {"delta.enableDeletionVectors": "true", "delta.enableChangeDataFeed": "true"},
    "row tracking": {"delta.enableRowTracking": "true"},
    "mapping": {"delta.columnMapping.mode": "name"},
    "mapping, vectors, feed, row tracking": {
        "delta.columnMapping.mode": "name", "delta.enableDeletionVectors": "true",
        "delta.enableChangeDataFeed": "true", "delta.enableRowTracking": "true"},
}

# Each with the change types that it brings, as (type, id).
STATEMENTS = [
    ("UPDATE {t} SET v = v || '!' WHERE id = 3", [("update_preimage", 3), ("update_postimage", 3)]),
    ("DELETE FROM {t} WHERE id IN (4, 5)", [("delete", 4), ("delete", 5)]),
    ("""MERGE INTO {t} AS t USING (SELECT * FROM (VALUES (3, 'm'), (6, 'gone'), (90, 'new')) AS x(id, v)) AS s ON t.id = s.id
        WHEN MATCHED AND s.v = 'gone' THEN DELETE
        WHEN MATCHED THEN UPDATE SET v = s.v
        WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, 0)""",
     [("update_preimage", 3), ("update_postimage", 3), ("delete", 6), ("insert", 90)]),
    ("INSERT INTO {t} VALUES (91, 'i', 1)", [("insert", 91)]),
    ("UPDATE {t} SET p = 1 - p WHERE id = 91", [("update_preimage", 91), ("update_postimage", 91)]),
]


def with_clause(properties):
    return " WITH (" + ", ".join(f"'{k}' = '{v}'" for k, v in properties.items()) + ")" if properties else ""


@pytest.mark.parametrize("partitioned", [False, True], ids=["flat", "partitioned"])
@pytest.mark.parametrize("name", PROPERTIES)
def test_statements_as_spark_sees_them(lake, name, partitioned):
    properties = PROPERTIES[name]
    partition = " PARTITIONED BY (p)" if partitioned else ""
    lake.weir(f"CREATE TABLE t (id BIGINT, v VARCHAR, p INTEGER){partition}{with_clause(properties)}")
    lake.weir("INSERT INTO t SELECT i, 'v' || i, i % 2 FROM range(20) r(i)")
    peers = ["weir", "spark"]
    if not properties.keys() & {"delta.columnMapping.mode", "delta.enableDeletionVectors", "delta.enableRowTracking"}:
        peers.append("delta-rs")
    lake.check("t", peers=peers)
    ids = {}
    if "delta.enableRowTracking" in properties:
        ids = row_ids(lake)
    for version, (statement, changes) in enumerate(STATEMENTS, 2):
        lake.weir(statement.replace("{t}", "t"))
        lake.check("t", peers=peers)
        if "delta.enableChangeDataFeed" in properties:
            seen = lake.spark(f"SELECT _change_type, id FROM table_changes_by_path('{lake.path('t')}', {version}, {version})")
            assert sorted((row["_change_type"], row["id"]) for row in seen) == sorted(changes)
        if ids:
            now = row_ids(lake)
            kept = {row: now[row] for row in ids if row in now}
            assert kept == {row: ids[row] for row in kept}, "a row keeps its id"
            assert len(set(now.values())) == len(now)
            ids = now
    # Spark goes on where Weir stopped.
    lake.spark("UPDATE {t} SET v = 'spark' WHERE id = 7")
    lake.spark("INSERT INTO {t} VALUES (100, 'spark', 0)")
    lake.weir("DELETE FROM t WHERE id = 8")
    lake.check("t", peers=peers)


def row_ids(lake):
    rows = lake.spark("SELECT id, _metadata.row_id AS row_id FROM {t}")
    return {row["id"]: row["row_id"] for row in rows}


def test_the_feed_of_both_is_the_same(lake):
    """The same statements by Weir and by Spark give the same change rows."""
    create = "(id BIGINT, v {text}, p INT) {more}"
    lake.weir("CREATE TABLE w " + create.format(text="VARCHAR", more="WITH ('delta.enableChangeDataFeed' = 'true')"))
    lake.spark("CREATE TABLE {s} " + create.format(
        text="STRING", more="USING DELTA TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"))
    lake.weir("INSERT INTO w SELECT i, 'v' || i, i % 2 FROM range(20) r(i)")
    lake.spark("INSERT INTO {s} SELECT id, concat('v', id), CAST(id % 2 AS INT) FROM range(20)")
    for statement, _ in STATEMENTS:
        lake.weir(statement.replace("{t}", "w"))
        lake.spark(statement.replace("{t}", "{s}"))
    columns = "_change_type, id, v, p, _commit_version"
    feeds = [lake.spark(f"SELECT {columns} FROM table_changes_by_path('{lake.path(table)}', 1)") for table in ("w", "s")]
    assert_same_rows(*feeds, "change rows by Weir and by Spark")
