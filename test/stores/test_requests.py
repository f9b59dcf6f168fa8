# SPDX-License-Identifier: Apache-2.0
"""How often a store is asked: each request of a small file costs as much as its megabytes."""
import subprocess

from conftest import BUILD
from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID


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


def test_following_costs_the_new_commits_alone(lake, faults):
    """Behind 1,100 commits a follower asks a store for as much as behind 3, but for one more page of names at its start: the
    times of commits are told from all that came before."""
    asked = {commits: requests_of_a_follower(lake, faults, commits) for commits in (3, 1100)}
    # Lists of the whole log would be a dozen more, reads of its commits a thousand; a slow answer is asked for again.
    assert asked[1100] <= asked[3] + 4, asked


def requests_of_a_follower(lake, faults, commits):
    folder = f"follow{commits}"
    lake.rows("CREATE TABLE t (id BIGINT) WITH ('delta.enableChangeDataFeed' = 'true', 'delta.checkpointInterval' = '1000000');"
              "INSERT INTO t VALUES (1)", folder=folder)
    # Nobody reads the files of these commits.
    s3 = get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"]
    commit = s3.get_object("weir-faults", f"{folder}/t/_delta_log/{1:020}.json").value
    for version in range(2, commits):
        s3.put_object("weir-faults", f"{folder}/t/_delta_log/{version:020}.json", commit)
    lake.rows("CALL weir_checkpoint('t')", folder=folder)
    command = [str(BUILD / "weir"), "changes", "t", "-w", f"{lake.root}/{folder}", "--follow", "--from", "latest", "--available-now",
               "--consumer", "c", "--offsets", f"{lake.root}/offsets/{folder}"]
    subprocess.run(command, env=lake.environment, capture_output=True, timeout=300, check=True)
    lake.rows("INSERT INTO t VALUES (2)", folder=folder)
    faults.arm(folder, 10**9, "denied")
    done = subprocess.run(command, env=lake.environment, capture_output=True, text=True, timeout=300, check=True)
    faults.disarm()
    assert done.stdout.count("\n") == 1, done.stdout
    # Parquet is DuckDB's to read, of which it keeps files of some age.
    return sum(not path.endswith(".parquet") for _, path in faults.requests)
