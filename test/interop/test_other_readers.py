# SPDX-License-Identifier: Apache-2.0
"""Tables of Weir in the hands of readers that are neither Spark nor delta-rs: DuckDB's own delta extension, and polars."""
import duckdb
import polars
import pytest

from all_types import ROWS, columns_sql, insert_sql
from canonical import assert_same_rows, rows_of_arrow
from peers import DEPS, Lake


def by_duckdb(path):
    connection = duckdb.connect()
    connection.execute(f"LOAD '{DEPS}/duckdb/extensions/delta.duckdb_extension'; SET TimeZone = 'UTC'")
    return rows_of_arrow(connection.execute(f"SELECT * FROM delta_scan('{path}')").to_arrow_table())


def by_polars(path):
    return rows_of_arrow(polars.read_delta(str(path)).to_arrow())


READERS = {"DuckDB's delta extension": by_duckdb, "polars": by_polars}


@pytest.fixture
def own_lake(tmp_path):
    return Lake(tmp_path)


def check(lake, table, readers=READERS):
    expected = lake.rows(table)
    for name in readers:
        assert_same_rows(READERS[name](lake.path(table)), expected, f"{table} read by {name}")
    return expected


def test_every_type(own_lake):
    own_lake.weir(f"CREATE TABLE t ({columns_sql('duckdb')})")
    own_lake.weir(insert_sql("t", ROWS, "duckdb"))
    check(own_lake, "t")


def test_partitions_after_changes_and_a_checkpoint(own_lake):
    own_lake.weir("CREATE TABLE t (id INT, p VARCHAR, v DOUBLE) PARTITIONED BY (p)")
    own_lake.weir("INSERT INTO t SELECT i, ['a b', 'é/=%', 'x', NULL][1 + i % 4], i / 7 FROM range(100) r(i)")
    own_lake.weir("UPDATE t SET v = -1 WHERE id < 10; DELETE FROM t WHERE id % 5 = 0; CHECKPOINT")
    assert len(check(own_lake, "t")) == 80


# polars refuses column mapping by name.
@pytest.mark.parametrize("mapping, readers", [("none", READERS), ("name", ["DuckDB's delta extension"])])
def test_deletion_vectors(own_lake, mapping, readers):
    own_lake.weir("CREATE TABLE t (id INT, name VARCHAR) WITH "
                  f"('delta.enableDeletionVectors' = true, 'delta.columnMapping.mode' = '{mapping}')")
    own_lake.weir("INSERT INTO t SELECT i, 'v' || i FROM range(1000) r(i)")
    own_lake.weir("DELETE FROM t WHERE id % 3 = 0; UPDATE t SET name = 'new' WHERE id = 1")
    assert len(check(own_lake, "t", readers)) == 666
