# SPDX-License-Identifier: Apache-2.0
"""Tables that Spark has written, feature by feature, read by Weir: the same rows, row ids and versions, also under filters."""
import pytest

from canonical import assert_same_rows
from peers import PEERS, weir_sql


def same(lake, table, columns="*", where="true", spark_where=None):
    """Weir and Spark give the same rows of a selection."""
    expected = lake.spark(f"SELECT {columns} FROM {{{table}}} WHERE {spark_where or where}")
    actual = lake.weir(f"SELECT {columns} FROM {table} WHERE {where}")
    assert_same_rows(actual, expected, f"{table}: {columns} where {where}")
    return actual


@pytest.mark.parametrize("mode", ["name", "id"])
def test_renamed_and_dropped_columns(lake, mode):
    lake.spark(
        "CREATE TABLE {t} (id BIGINT, s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<y: INT>>, p STRING, gone INT) "
        f"USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')"
    )
    row = "{}, named_struct('a', {}, 'b', 'b'), array(named_struct('x', 1), NULL), map('k', named_struct('y', 2)), '{}', 9"
    lake.spark(f"INSERT INTO {{t}} SELECT {row.format(1, 10, 'p1')} UNION ALL SELECT {row.format(2, 20, 'p 2')}")
    for change in (
        "RENAME COLUMN id TO `new id`",
        "RENAME COLUMN s.a TO `a.a`",
        "RENAME COLUMN l.element.x TO xx",
        "RENAME COLUMN m.value.y TO yy",
        "RENAME COLUMN p TO part",
        "DROP COLUMN gone",
        "ADD COLUMN gone STRING",
        "ADD COLUMN s.c INT",
    ):
        lake.spark(f"ALTER TABLE {{t}} {change}")
    lake.spark("INSERT INTO {t} (`new id`, part, gone, s) VALUES (3, NULL, 'back', named_struct('a.a', 30, 'b', 'b', 'c', 3))")
    assert len(same(lake, "t")) == 3
    same(lake, "t", "gone", '"new id" = 3', "`new id` = 3")
    same(lake, "t", "part", "s.\"a.a\" > 15", "s.`a.a` > 15")
    same(lake, "t", "gone", "part = 'p 2' OR part IS NULL")


def test_deletion_vectors_and_row_tracking(lake):
    lake.spark(
        "CREATE TABLE {t} (id BIGINT, v STRING) USING delta TBLPROPERTIES "
        "('delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true')"
    )
    lake.spark("INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, 'v' FROM range(100)")
    lake.spark("DELETE FROM {t} WHERE id % 7 = 0")
    lake.spark("UPDATE {t} SET v = 'updated' WHERE id % 11 = 0")
    ids = "id, v, _metadata.row_id, _metadata.row_commit_version"
    assert len(same(lake, "t", ids)) == 85
    PEERS["spark"].session.sql(f"OPTIMIZE delta.`{lake.path('t')}`").collect()
    lake.spark("INSERT INTO {t} VALUES (1000, 'new')")
    same(lake, "t", ids)
    same(lake, "t", "id", "_metadata.row_id > 90 AND v <> 'updated'")
    same(lake, "t", "count(*) AS n")
    for version in range(1, 5):
        expected = lake.spark(f"SELECT id, v FROM {{t}} VERSION AS OF {version}")
        assert_same_rows(lake.weir(f"FROM t AT (VERSION => {version})"), expected, f"version {version}")


def test_widened_types(lake):
    lake.spark(
        "CREATE TABLE {t} (a TINYINT, b INT, f FLOAT, n DECIMAL(10,2), d DATE, i INT, s STRUCT<x: SMALLINT>, l ARRAY<INT>) USING delta "
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')"
    )
    values = "1, 2, 3.4, 1.25, DATE '2024-09-09', 7, named_struct('x', 5S), array(1, NULL)"
    lake.spark(f"INSERT INTO {{t}} VALUES ({values})")
    for column, kind in (("a", "INT"), ("b", "BIGINT"), ("f", "DOUBLE"), ("n", "DECIMAL(14,4)"), ("d", "TIMESTAMP_NTZ"), ("i", "DECIMAL(12,1)"),
                         ("s.x", "INT"), ("l.element", "BIGINT")):
        lake.spark(f"ALTER TABLE {{t}} ALTER COLUMN {column} TYPE {kind}")
    lake.spark(
        "INSERT INTO {t} VALUES (70000, 10000000000, 3.4D, 1.2345, TIMESTAMP_NTZ '2024-09-09 12:00:00', 7.5, named_struct('x', 70000), "
        "array(10000000000))"
    )
    assert len(same(lake, "t")) == 2
    for where in ("f <= 3.4D", "d < TIMESTAMP_NTZ '2024-09-09 00:00:01'", "n < 1.25", "n >= 1.25", "i > 7", "s.x < 6", "a = 1", "b IN (2, 3)"):
        same(lake, "t", "a", where.replace("TIMESTAMP_NTZ", "TIMESTAMP").replace("3.4D", "3.4::DOUBLE"), where)


def test_partition_values_and_filters(lake):
    lake.spark(
        "CREATE TABLE {t} (v INT, p STRING, d DATE, ts TIMESTAMP, n DECIMAL(10,2)) USING delta PARTITIONED BY (p, d, ts, n)"
    )
    texts = ["a b", "a/b", "é", "a=b:c", "100%", "x'y", '"', "#?", "{}", " ", "A+b&c"]
    rows = [f"({i}, \"{text}\", DATE '2024-01-{i + 1:02}', TIMESTAMP '2020-01-01 00:00:00.12345{i % 10}', {i}.10)"
            for i, text in enumerate(texts) if text != '"'] + ["(99, NULL, NULL, NULL, NULL)"]
    lake.spark("INSERT INTO {t} VALUES " + ", ".join(rows))
    assert len(same(lake, "t")) == len(rows)
    for where in ("p = 'a/b'", "p IS NULL", "p <> 'a b'", "d > DATE '2024-01-05'", "n = 3.10", "ts < TIMESTAMP '2020-01-01 00:00:00.123452'",
                  "p LIKE 'a%' AND v < 3", "NOT (d = DATE '2024-01-01' OR p = 'é')", "v IN (0, 99) OR n IS NULL", "length(p) = 3"):
        same(lake, "t", "v", where)


def test_statistics_and_filters(lake):
    lake.spark("CREATE TABLE {t} (id INT, f DOUBLE, txt STRING, ts TIMESTAMP, b BOOLEAN, s STRUCT<x: INT>) USING delta")
    for i in range(4):
        lake.spark(
            f"INSERT INTO {{t}} SELECT /*+ COALESCE(1) */ id + {i * 10}, IF(id = 3, double('NaN'), id + {i * 10}), "
            f"repeat(char(97 + {i}), 40) || id, timestamp_micros(1700000000123456 + {i} * 1000000 + id), IF({i} = 3, NULL, id = 1), "
            f"IF(id = 5, NULL, named_struct('x', id)) FROM range(10)"
        )
    lake.spark("INSERT INTO {t} VALUES (NULL, NULL, NULL, NULL, NULL, NULL)")
    for where in ("id = 15", "id > 38", "id <= 0", "id IS NULL", "id IS NOT NULL AND id < 2", "f > 1000", "NOT (f < 5)", "f = double('NaN')",
                  "txt > 'c'", "txt = repeat('b', 40) || '7'", "txt LIKE 'dddd%'", "txt LIKE repeat('a', 40) || '%'",
                  "ts = timestamp_micros(1700000001123465)", "ts >= timestamp_micros(1700000003123465)", "b", "NOT b", "b IS NULL",
                  "s.x = 9", "s IS NULL", "s.x IS NULL AND id > 20", "id BETWEEN 8 AND 12", "id NOT IN (1, 2, 3)", "id <=> NULL"):
        duck = where.replace("double('NaN')", "'NaN'::DOUBLE").replace("timestamp_micros(", "make_timestamptz(").replace("<=>", "IS NOT DISTINCT FROM")
        same(lake, "t", "id", duck, where)


def test_checkpoints_variants_and_nothing(lake):
    lake.spark(
        "CREATE TABLE {t} (id INT, v VARIANT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '3')"
    )
    for i in range(8):
        lake.spark(f"INSERT INTO {{t}} SELECT {i}, to_variant_object(named_struct('a', array({i}, NULL), 'b', 'x'))")
    assert any(".checkpoint." in name for name in lake.log_files("t"))
    assert lake.weir("FROM t ORDER BY id") == [{"id": i, "v": {"a": [i, None], "b": "x"}} for i in range(8)]
    lake.spark("CREATE TABLE {nothing} USING delta AS SELECT 1 AS a, NULL AS b")
    assert lake.weir("SELECT * FROM nothing") == [{"a": 1, "b": None}]


def test_shallow_clones_inside_of_the_warehouse(lake):
    lake.spark("CREATE TABLE {t} USING delta AS SELECT id FROM range(5)")
    lake.spark("CREATE TABLE {c} SHALLOW CLONE {t}")
    lake.spark("INSERT INTO {c} VALUES (100)")
    assert len(same(lake, "c")) == 6
    alone = weir_sql(f"SET weir_allow_external_files = true; SELECT count(*) AS n FROM weir_scan('{lake.path('c')}')")
    assert alone == [{"n": 6}]
