# SPDX-License-Identifier: Apache-2.0
"""UniForm: what readers of Iceberg find where Weir has written. pyiceberg and DuckDB's extension read the folder that
the table is in, and Spark, without the module that makes Iceberg's metadata, goes on writing the table as Delta."""
import duckdb
import pytest
from pyiceberg.expressions import EqualTo, GreaterThan, IsNull
from pyiceberg.table import StaticTable

from canonical import assert_same_rows, rows_of_arrow
from peers import DEPS

UNIFORM = "WITH ('delta.enableIcebergCompatV2' = true, 'delta.universalFormat.enabledFormats' = 'iceberg')"
EVERY_TYPE = {
    "bo": ("BOOLEAN", "true"),
    "ti": ("TINYINT", "-128"),
    "sh": ("SMALLINT", "32767"),
    "i": ("INTEGER", "-7"),
    "l": ("BIGINT", "9007199254740993"),
    "f": ("FLOAT", "-1.5"),
    "d": ("DOUBLE", "2.5"),
    "small": ("DECIMAL(9,2)", "-1234567.89"),
    "large": ("DECIMAL(38,4)", "1234567890123456789012345678901234.5678"),
    "s": ("VARCHAR", "'a/b é%#?'"),
    "bi": ("BLOB", "'ab'::BLOB"),
    "da": ("DATE", "DATE '1960-02-29'"),
    "ts": ("TIMESTAMPTZ", "TIMESTAMPTZ '2024-01-31 12:00:00.123456+00'"),
    "tn": ("TIMESTAMP", "TIMESTAMP '1969-12-31 23:59:59.999999'"),
}


@pytest.fixture(scope="module")
def iceberg():
    """DuckDB with its extension for Iceberg."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("SET TimeZone = 'UTC'")
    for extension in ("avro", "iceberg"):
        connection.execute(f"LOAD '{DEPS}/duckdb/extensions/{extension}.duckdb_extension'")
    return connection


def snapshot_of(lake, table):
    return StaticTable.from_metadata(str(lake.path(table)))


def duckdb_rows(lake, iceberg, table):
    return rows_of_arrow(iceberg.execute(f"SELECT * FROM iceberg_scan('{lake.path(table)}')").to_arrow_table())


def assert_readers_agree(lake, iceberg, table):
    """Both readers find the rows that Weir itself reads, in the newest version."""
    expected = lake.rows(table)
    assert_same_rows(rows_of_arrow(snapshot_of(lake, table).scan().to_arrow()), expected, f"pyiceberg on {table}")
    assert_same_rows(duckdb_rows(lake, iceberg, table), expected, f"DuckDB on {table}")
    newest = max(int(name[:-5]) for name in lake.log_files(table) if name.endswith(".json") and len(name) == 25)
    assert snapshot_of(lake, table).properties["delta-version"] == str(newest)


def test_readers_follow_every_statement(lake, iceberg):
    lake.weir(f"CREATE TABLE t (id INTEGER, p VARCHAR, v DOUBLE) PARTITIONED BY (p) {UNIFORM}")
    assert_readers_agree(lake, iceberg, "t")
    uuid = snapshot_of(lake, "t").metadata.table_uuid
    for statement in (
        "INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', NULL), (3, NULL, 'NaN')",
        "INSERT INTO t VALUES (4, 'a', -0.0), (5, 'b/c d', 'Infinity')",
        "DELETE FROM t WHERE id = 1",
        "UPDATE t SET v = 7, p = 'new' WHERE p = 'b'",
        "MERGE INTO t USING (VALUES (4, 'merged'), (9, 'a')) s(id, p) ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET p = s.p WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.p, 0)",
        "OPTIMIZE t",
        "ALTER TABLE t ADD COLUMN n STRUCT(x INTEGER, y VARCHAR[])",
        "INSERT INTO t VALUES (10, 'z', 1, {'x': 1, 'y': ['q', NULL]})",
        "ALTER TABLE t RENAME COLUMN v TO w",
        "ALTER TABLE t DROP COLUMN n",
        "DELETE FROM t WHERE p = 'z'",
        "CALL weir_restore('t', version => 2)",
        "INSERT INTO t VALUES (11, 'last', 1)",
    ):
        lake.weir(statement)
        assert_readers_agree(lake, iceberg, "t")
    table = snapshot_of(lake, "t")
    assert table.metadata.table_uuid == uuid
    assert {field.name for field in table.spec().fields} == {"p"}
    # Partition values and bounds leave out files, and nothing else.
    assert len(list(table.scan(EqualTo("p", "b/c d")).plan_files())) == 1
    assert table.scan(EqualTo("p", "b/c d")).to_arrow()["id"].to_pylist() == [5]
    assert table.scan(IsNull("p")).to_arrow()["id"].to_pylist() == [3]
    assert table.scan(GreaterThan("id", 10)).to_arrow()["id"].to_pylist() == [11]
    assert len(list(table.scan(GreaterThan("id", 11)).plan_files())) == 0
    # The past, by Iceberg's snapshots.
    operations = [snapshot.summary.operation.value for snapshot in table.snapshots()]
    assert operations[:4] == ["append", "append", "delete", "overwrite"]
    first = table.scan(snapshot_id=table.snapshots()[0].snapshot_id).to_arrow()
    assert sorted(first["id"].to_pylist()) == [1, 2, 3]
    assert lake.weir("SELECT * FROM weir_check('t')") == []


def test_every_type(lake, iceberg):
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in EVERY_TYPE.items())
    nested = "st STRUCT(a INTEGER, b STRUCT(c VARCHAR)), ar INTEGER[], ma MAP(VARCHAR, STRUCT(q DOUBLE))"
    lake.weir(f"CREATE TABLE t ({columns}, {nested}) {UNIFORM}")
    values = ", ".join(value for _, value in EVERY_TYPE.values())
    row = f"({values}, {{'a': 1, 'b': {{'c': 'x'}}}}, [1, NULL], MAP {{'k': {{'q': 1.5}}}})"
    lake.weir(f"INSERT INTO t VALUES {row}")
    assert_readers_agree(lake, iceberg, "t")
    lake.weir("INSERT INTO t (i, ar, ma) VALUES (NULL, [], MAP {})")
    assert_readers_agree(lake, iceberg, "t")
    # pyiceberg 0.12 loses what is in structs of lists of lists.
    lake.weir(f"CREATE TABLE deep (d STRUCT(q INTEGER, r STRUCT(s DATE[])[])[][]) {UNIFORM}")
    lake.weir("INSERT INTO deep VALUES ([[{'q': 1, 'r': [{'s': [DATE '2024-01-01', NULL]}]}], []]), (NULL)")
    assert_same_rows(duckdb_rows(lake, iceberg, "deep"), lake.rows("deep"))
    # As partitions.
    names = ", ".join(EVERY_TYPE)
    lake.weir(f"CREATE TABLE p (id INTEGER, {columns}) PARTITIONED BY ({names}) {UNIFORM}; "
              f"INSERT INTO p VALUES (1, {values}); INSERT INTO p (id) VALUES (2); "
              f"INSERT INTO p VALUES (3, {values}), (4, {values}); DELETE FROM p WHERE id IN (1, 4)")
    assert_readers_agree(lake, iceberg, "p")


def test_spark_goes_on_and_weir_makes_up_for_it(lake, iceberg):
    lake.weir(f"CREATE TABLE t (id INTEGER, p VARCHAR) PARTITIONED BY (p) {UNIFORM}; INSERT INTO t VALUES (1, 'a')")
    lake.spark("INSERT INTO {t} VALUES (2, 'b'), (3, 'a')")
    lake.spark("DELETE FROM {t} WHERE id = 1")
    assert_same_rows(lake.rows("t"), lake.rows("t", "spark"))
    lake.weir("INSERT INTO t VALUES (4, 'c')")
    assert_readers_agree(lake, iceberg, "t")
    assert snapshot_of(lake, "t").metadata.snapshots[-1].summary["added-data-files"] != "1"
    # A table of Spark's, with vectors and without ids, becomes one that readers of Iceberg find.
    lake.spark("CREATE TABLE {u} (id INT, p STRING) USING delta PARTITIONED BY (p) "
               "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    lake.spark("INSERT INTO {u} VALUES (1, 'a'), (2, 'a'), (3, 'b')")
    lake.spark("DELETE FROM {u} WHERE id = 2")
    lake.weir("REORG TABLE u APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))")
    assert_readers_agree(lake, iceberg, "u")
    lake.spark("INSERT INTO {u} VALUES (5, 'e')")
    lake.weir("DELETE FROM u WHERE id = 1")
    assert_readers_agree(lake, iceberg, "u")
    assert_same_rows(lake.rows("u"), lake.rows("u", "spark"))


def field_ids(path):
    """Columns of carried row ids in the files of a table, by Parquet's ids."""
    columns = "SELECT DISTINCT split_part(name, '-col-', 1), field_id"
    return sorted(duckdb.sql(f"{columns} FROM parquet_schema('{path}/**/part-*.parquet') WHERE name LIKE '%row-%-col-%'").fetchall())


def test_v3_goes_on_in_spark(lake):
    """IcebergCompatV3, which is no matter of Iceberg's metadata yet: rows are tracked, and vectors allowed."""
    lake.weir("CREATE TABLE t (id INT, p STRING, d INT DEFAULT 7) USING delta PARTITIONED BY (p) TBLPROPERTIES ("
              "'delta.enableIcebergCompatV3' = 'true', 'delta.enableDeletionVectors' = 'true')")
    for base, run, name in ((0, lake.weir, "t"), (10, lake.spark, "{t}"), (20, lake.weir, "t")):
        run(f"INSERT INTO {name} (id, p) VALUES " + ", ".join(f"({base + i}, 'a')" for i in range(4)))
        run(f"DELETE FROM {name} WHERE id % 10 = 1")
        run(f"UPDATE {name} SET p = 'b' WHERE id % 10 = 2")
    columns = "id, p, d, _metadata.row_id AS r, _metadata.row_commit_version AS c"
    ours = lake.weir(f"SELECT {columns} FROM t")
    assert_same_rows(ours, lake.spark(f"SELECT {columns} FROM {{t}}"))
    assert len({row["r"] for row in ours}) == 9
    # Of Weir's files and of Spark's alike.
    assert field_ids(lake.path("t")) == [("_row-commit-version", 2147483539), ("_row-id", 2147483540)]
    assert lake.weir("SELECT * FROM weir_check('t')") == []
