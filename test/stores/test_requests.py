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


def requests(lake, faults, folder, sql):
    """The method and the file's name of each; of a listing the bucket's. (A lost connection makes one come twice.)"""
    faults.arm(folder, 10**9, "denied")
    lake.rows(sql, folder=folder)
    faults.disarm()
    return [(method, path.rstrip("/").rpartition("/")[2]) for method, path in faults.requests]


def test_opening_and_committing(lake, faults):
    """Listings tell what is there, and each file of the log is read: no question comes before another that answers it."""
    lake.rows("CREATE TABLE t (i INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)", folder="counted")
    opening = {("GET", "weir-faults"), ("GET", "_last_checkpoint"), ("GET", f"{2:020}.crc"),
               *(("GET", f"{version:020}.json") for version in range(3))}
    assert set(requests(lake, faults, "counted", "SELECT numFiles FROM weir_detail('t')")) == opening
    asked = requests(lake, faults, "counted", "INSERT INTO t VALUES (3)")
    # The data, and an object by which the server shows that it honours conditions, have names of their own.
    named = {(method, name) for method, name in asked if not name.endswith((".parquet", ".tmp"))}
    assert named == {*opening, ("PUT", f"{3:020}.json"), ("GET", f"{3:020}.json"), ("PUT", f"{3:020}.crc")}


def test_a_checkpoint_is_not_asked_for_its_size(lake, faults):
    lake.rows("CREATE TABLE t (i INT); INSERT INTO t VALUES (1); SELECT * FROM weir_checkpoint('t')", folder="checkpoint")
    asked = requests(lake, faults, "checkpoint", "SELECT numFiles FROM weir_detail('t')")
    assert {method for method, name in asked if name.endswith(".checkpoint.parquet")} == {"GET"}


def test_a_scan_of_many_files_does_not_ask_twice(lake, faults):
    """Also not for files so young that DuckDB reads them twice: they are kept where they are read ahead."""
    lake.rows("CREATE TABLE t (i INT, p INT) PARTITIONED BY (p); INSERT INTO t SELECT i, i FROM range(50) r(i)", folder="many")
    asked = [name for _, name in requests(lake, faults, "many", "SELECT sum(i) FROM t") if name.endswith(".parquet")]
    assert len(set(asked)) == 50 and len(asked) < 75
