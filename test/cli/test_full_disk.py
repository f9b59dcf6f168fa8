# SPDX-License-Identifier: Apache-2.0
"""A disk that is full, or that can only be read: an error that says so, exit status 1, nothing half-written, and all is well
again when there is room."""
import json
import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from test_run_command import CUSTOMERS, Project

WEIR = Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")) / "weir"
MANY = "SELECT i AS a, hash(i) AS b FROM range(1000000) r(i)"


def weir(lake, sql, **options):
    return subprocess.run([WEIR, "sql", "-w", lake, "--format", "csv", "-c", sql], capture_output=True, text=True, timeout=300,
                          check=False, **options)


def files(lake):
    return sorted(str(path.relative_to(lake)) for path in lake.rglob("*"))


def refused(done):
    assert done.returncode == 1 and done.stdout == "", (done.returncode, done.stdout, done.stderr)
    return done.stderr


def check_lake(lake, fails):
    """`fails(sql)`: the statement where there is no room for it."""
    before = files(lake)
    # nothing fits: neither more files of a table, nor rewritten ones, nor a new table
    for sql in (f"INSERT INTO t {MANY}", f"CREATE TABLE u AS {MANY}",
                f"CREATE OR REPLACE TABLE t AS {MANY}",
                f"MERGE INTO t USING ({MANY}) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT *",
                f"BEGIN; DELETE FROM t; INSERT INTO t {MANY}; COMMIT"):
        refused(fails(sql))
        assert files(lake) == before, sql
    done = weir(lake, "SELECT count(*) AS n, sum(a) AS s FROM t")
    assert (done.returncode, done.stdout) == (0, "n,s\n1000,499500\n"), done.stderr
    done = weir(lake, "INSERT INTO t VALUES (1, 1); SELECT count(*) AS n FROM t; SELECT version FROM weir_history('t') LIMIT 1")
    assert (done.returncode, done.stdout) == (0, "n\n1001\nversion\n1\n"), done.stderr


def make_table(lake):
    lake.mkdir()
    done = weir(lake, "CREATE TABLE t AS SELECT i AS a, hash(i) AS b FROM range(1000) r(i)")
    assert done.returncode == 0, done.stderr


def test_files_may_not_grow(tmp_path):
    """By a limit on the size of files, which any user may set: the write fails in the middle."""
    make_table(tmp_path / "lake")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    check_lake(tmp_path / "lake", lambda sql: weir(tmp_path / "lake", sql, preexec_fn=limit, restore_signals=False))


def test_no_space_left(tmp_path):
    """On a file system of two megabytes, first filled by the statement itself, then to the last byte."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mounted], capture_output=True,
                                           check=False).returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    try:
        lake = mounted / "lake"
        make_table(lake)
        check_lake(lake, lambda sql: weir(lake, sql))
        before = files(lake)
        with open(mounted / "filler", "wb", buffering=0) as filler, pytest.raises(OSError, match="No space left"):
            while True:
                filler.write(b"x" * 4096)
        for sql in ("INSERT INTO t VALUES (2, 2)", "UPDATE t SET b = 0 WHERE a = 1", "CREATE TABLE v (a INT)"):
            assert "No space left on device" in refused(weir(lake, sql))
            assert files(lake) == before, sql
        (mounted / "filler").unlink()
        done = weir(lake, "DELETE FROM t WHERE a = 5; SELECT count(*) AS n FROM t")
        assert (done.returncode, done.stdout) == (0, "n\n1000\n"), done.stderr
    finally:
        subprocess.run(["umount", mounted], check=True)
        shutil.rmtree(tmp_path, ignore_errors=True)


def fill(folder):
    with open(folder / "filler", "wb", buffering=0) as filler, pytest.raises(OSError, match="No space left"):
        while True:
            filler.write(b"x" * 4096)


def remount(folder, how):
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, of 24 megabytes."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", mounted], capture_output=True,
                                           check=False).returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    yield mounted
    subprocess.run(["umount", mounted], check=True)


def without_room(disk, command, expected):
    """`command()` on a full disk, on one that cannot be written, and then with room again: it fails twice, and what `expected`
    gives is then as if it never had."""
    before = expected()
    fill(disk)
    done = command()
    assert done.returncode == 1 and "No space left on device" in done.stderr, (done.returncode, done.stderr)
    assert expected() == before
    (disk / "filler").unlink()
    remount(disk, "ro")
    try:
        done = command()
        assert done.returncode == 1 and "Read-only file system" in done.stderr, (done.returncode, done.stderr)
        assert expected() == before
    finally:
        remount(disk, "rw")
    done = command()
    assert done.returncode == 0, done.stderr


def test_upkeep_without_room(small_disk):
    lake = small_disk / "lake"
    lake.mkdir()
    done = weir(lake, "CREATE TABLE t (a INT);" + "".join(f"INSERT INTO t VALUES ({n});" for n in range(5)) +
                "DELETE FROM t WHERE a = 4")
    assert done.returncode == 0, done.stderr

    def rows():
        return weir(lake, "SELECT * FROM t ORDER BY a; SELECT version FROM weir_history('t') LIMIT 1").stdout

    without_room(small_disk, lambda: weir(lake, "OPTIMIZE t"), rows)
    without_room(small_disk, lambda: weir(lake, "SET weir_vacuum_retention_check = false; VACUUM t RETAIN 0 HOURS"), rows)
    done = weir(lake, "SELECT numFiles AS n FROM weir_detail('t')")
    assert done.stdout == "n\n1\n" and rows().startswith("a\n0\n1\n2\n3\n"), done.stderr
    assert subprocess.run([WEIR, "check", lake / "t"], capture_output=True, check=False).returncode == 0


def test_a_pipeline_without_room(small_disk):
    project = Project(small_disk / "project", customers=CUSTOMERS)
    project.arrive("1.json", {"id": 1, "name": "a", "version": 1, "op": "I"})
    project.must_run()
    project.arrive("2.json", {"id": 1, "name": "b", "version": 2, "op": "U"}, {"id": 2, "name": "c", "version": 1, "op": "I"})
    warehouse = project.folder / "warehouse"

    def rows():
        return weir(warehouse, "SELECT id, name FROM customers ORDER BY id").stdout

    without_room(small_disk, project.run, rows)
    assert rows() == "id,name\n1,b\n2,c\n"


def test_a_feed_without_room(small_disk):
    (small_disk / "data.csv").write_text("id,v\n1,a\n2,b\n")
    table = {"Source": "Shop", "Schema": "dbo", "Table": "T", "from": {"csv": "data.csv"}, "keys": ["id"], "LoadType": "IMAGE",
             "DataPlatform": "DL"}
    (small_disk / "feed.yml").write_text(json.dumps({"settings": {"LakeLocation": "feed", "Warehouse": "warehouse"},
                                                     "tables": [table]}))

    def load(run="r2"):
        return subprocess.run([WEIR, "feed", "load", "--run-id", run], cwd=small_disk, capture_output=True, text=True,
                              timeout=300, check=False)

    def rows():
        return weir(small_disk, "SELECT id, v, \"YresAction\" AS a FROM read_parquet('feed/**/*.parquet') ORDER BY ALL",
                    cwd=small_disk).stdout

    done = load("r1")
    assert done.returncode == 0, done.stderr
    (small_disk / "data.csv").write_text("id,v\n1,c\n")
    without_room(small_disk, load, rows)
    assert rows() == "id,v,a\n1,a,I\n1,c,U\n2,b,I\n,,D\n"
