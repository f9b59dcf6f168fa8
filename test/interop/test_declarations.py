# SPDX-License-Identifier: Apache-2.0
"""What a column may declare beyond its type (lengths of texts, NOT NULL and comments within structs), shredded variants, and
catalog-managed tables: by Weir and by Spark, read and written by the other."""
import json

import pyarrow.parquet as pq
import pytest

from peers import WeirError

DECLARED = """CREATE TABLE {t} (id INT, c CHAR(3), v VARCHAR(3) NOT NULL COMMENT 'short',
    s STRUCT<a: INT NOT NULL COMMENT 'inner', c: CHAR(2), v: STRING>, l ARRAY<VARCHAR(2)>, m MAP<VARCHAR(2), STRING>) USING DELTA"""


def schema_of(lake, table):
    found = None
    for name in lake.log_files(table):
        if name.endswith(".json") and len(name) == 25:
            for line in (lake.path(table) / "_delta_log" / name).read_text().splitlines():
                found = json.loads(line).get("metaData", found)
    return json.loads(found["schemaString"])


def refused(lake, who, table, sql):
    """The error's name."""
    with pytest.raises(Exception) as error:
        if who == "weir":
            lake.weir(sql.replace("{t}", table))
        else:
            lake.spark(sql.replace("{t}", "{" + table + "}"))
    text = str(error.value) if who == "weir" else str(getattr(error.value, "java_exception", error.value)) + str(error.value)
    return [part.split("]")[0] for part in text.split("[") if part.split("]")[0].startswith("DELTA_")]


def test_declared_columns(lake):
    lake.weir(DECLARED.replace("{t}", "by_weir"))
    lake.spark(DECLARED.replace("{t}", "{by_spark}"))
    added = "ALTER TABLE {t} ADD COLUMNS (w VARCHAR(2), u STRUCT<p: INT COMMENT 'pe'>)"
    longer = "ALTER TABLE {t} ALTER COLUMN c TYPE VARCHAR(4)"
    for statement in (added, longer):
        lake.weir(statement.replace("{t}", "by_weir"))
        lake.spark(statement.replace("{t}", "{by_spark}"))
    assert schema_of(lake, "by_weir") == schema_of(lake, "by_spark")
    row = "INSERT INTO {t} SELECT 1, 'ab', 'ééé', %s, array('ab'), map('k', 'long value'), 'w', NULL"
    spark_row = row % "named_struct('a', 1, 'c', 'xy', 'v', 'long')"
    weir_row = (row % "{'a': 1, 'c': 'xy', 'v': 'long'}").replace("array('ab')", "['ab']").replace("map('k', 'long value')",
                                                                                               "MAP {'k': 'long value'}")
    for table in ("by_weir", "by_spark"):
        lake.weir(weir_row.replace("{t}", table))
        lake.spark(spark_row.replace("{t}", "{" + table + "}"))
        assert len(lake.check(table)) == 2
        for who in ("weir", "spark"):
            for change in ("v = 'abcd'", "c = 'abcde'", "w = 'abc'"):
                assert refused(lake, who, table, f"UPDATE {{t}} SET {change} WHERE id = 1")[0] == "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"
            assert "DELTA_NOT_NULL_CONSTRAINT_VIOLATED" in refused(lake, who, table, "UPDATE {t} SET s = NULL WHERE id = 1")
            assert "DELTA_NOT_NULL_CONSTRAINT_VIOLATED" in refused(lake, who, table, "UPDATE {t} SET s.a = NULL WHERE id = 1")
    for who in ("weir", "spark"):
        nested = "CREATE TABLE {t} (l ARRAY<STRUCT<e: INT NOT NULL>>) USING DELTA"
        assert refused(lake, who, "none", nested)[0] == "DELTA_NESTED_NOT_NULL_CONSTRAINT"


def test_shredded_variants(lake):
    create = "CREATE TABLE {t} (id INT, w VARIANT NOT NULL, n VARIANT) USING DELTA TBLPROPERTIES ('delta.enableVariantShredding' = 'true')"
    lake.weir(create.replace("{t}", "t"))
    lake.weir("""INSERT INTO t SELECT i, CASE WHEN i = 3 THEN [true]::VARIANT WHEN i = 5 THEN 'odd'::VARIANT WHEN i = 6 THEN {'z': [1, NULL]}::VARIANT
        ELSE {'b': 'x' || i, 'a': i, 'c': [i, i + 1], 'd': DATE '2020-01-01' + i::INT, 'n': {'e': i * 1.5}}::VARIANT END,
        CASE WHEN i <> 3 THEN i::VARIANT END FROM range(10) r(i)""")
    files = list(lake.path("t").glob("*.parquet"))
    shredded = {column.path.split(".")[0] for file in files for column in pq.read_metadata(file).schema if "typed_value" in column.path}
    assert shredded == {"w"}, "only columns without NULL are shredded"
    assert [row["id"] for row in lake.spark("SELECT id FROM {t} WHERE n IS NULL")] == [3]
    assert len(lake.spark("SELECT to_json(w) FROM {t}")) == 10
    lake.weir("DELETE FROM t WHERE id = 9")
    lake.weir("OPTIMIZE t")
    assert lake.weir("SELECT w.b AS b, w.a AS a FROM t WHERE id = 2") == [{"b": "x2", "a": 2}]
    assert len(lake.weir("SELECT id FROM t WHERE w IS NOT NULL")) == 9
    assert lake.weir("SELECT id FROM t WHERE n IS NULL") == [{"id": 3}]


def test_a_catalog_managed_table_is_not_read_by_its_path(lake):
    lake.weir("CREATE TABLE t (a INT) WITH ('delta.feature.catalogManaged' = 'supported')")
    lake.weir("INSERT INTO t VALUES (1)")
    assert lake.weir("FROM t") == [{"a": 1}]
    with pytest.raises(WeirError, match="DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED"):
        lake.weir(f"FROM '{lake.path('t')}'")
    with pytest.raises(Exception, match="DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED"):
        lake.spark("INSERT INTO {t} VALUES (2)")
    assert lake.weir("FROM t") == [{"a": 1}]
