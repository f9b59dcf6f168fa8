# SPDX-License-Identifier: Apache-2.0
"""How often a store is asked: each request of a small file costs as much as its megabytes."""


def test_a_scan_does_not_ask_for_what_the_log_tells(lake, faults):
    """No size is asked for. (DuckDB opens a file twice; it keeps what it has read of one that is ten seconds old.)"""
    lake.rows("CREATE TABLE t (i INT, p INT) PARTITIONED BY (p); INSERT INTO t SELECT i, i FROM range(5) r(i)",
              folder="requests")
    faults.arm("requests", 10**9, "denied")
    assert lake.rows("SELECT sum(i)::INT AS s FROM t", folder="requests") == ['{"s":10}']
    faults.disarm()
    asked = {method for method, path in faults.requests if path.endswith(".parquet")}
    assert asked == {"GET"}


def test_a_file_that_is_gone_is_named(lake):
    """No request asks whether it is there before it is read."""
    lake.rows("CREATE TABLE t AS SELECT 1 AS i", folder="gone")
    files = lake.rows("SELECT _metadata.file_path AS f FROM t", folder="gone")
    lake.rows("SET weir_vacuum_retention_check = false; DELETE FROM t; "
              "VACUUM t RETAIN 0 HOURS", folder="gone")
    done = lake.weir("-c", "FROM t AT (VERSION => 0)", folder="gone")
    assert done.returncode == 1 and "DELTA_FILE_NOT_FOUND" in done.stderr and files, done.stderr
