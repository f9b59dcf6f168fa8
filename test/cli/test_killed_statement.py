# SPDX-License-Identifier: Apache-2.0
"""kill -9 in the middle of a statement, at whatever moment: the table is as before or as after, the next statement works, and what the
dead process has left is found by VACUUM."""
import os
import subprocess
import time
from pathlib import Path

import pytest

WEIR = Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")) / "weir"
STATE = "SELECT count(*) AS n, sum(a)::BIGINT AS a, sum(b)::BIGINT AS b FROM {rows}"
MERGED = """(SELECT a, if(a % 7 = {k}, b + 10, b) AS b FROM t UNION ALL SELECT {new} + i, 5 FROM range(500) r(i))"""
# a statement, and the rows that it makes of the table's
STATEMENTS = [
    ("UPDATE t SET b = b + 1 WHERE a % 3 = {k}", "(SELECT a, if(a % 3 = {k}, b + 1, b) AS b FROM t)"),
    ("MERGE INTO t USING (SELECT a, b + 10 AS b FROM t WHERE a % 7 = {k} UNION ALL SELECT {new} + i, 5 FROM range(500) r(i)) s "
     "ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT *", MERGED),
    ("DELETE FROM t WHERE a % 50 = {k}", "(SELECT * FROM t WHERE a % 50 <> {k})"),
]
MOMENTS = [0.15, 0.5, 0.8, 0.95]  # of the time that the statement takes


def start(lake, sql):
    return subprocess.Popen([WEIR, "sql", "-w", lake, "--format", "csv", "-c", sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def weir(lake, sql):
    process = start(lake, sql)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def states(lake, *tables):
    return weir(lake, "; ".join(STATE.format(rows=rows) for rows in tables)).splitlines()[1::2]


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_killed(tmp_path, vectors):
    lake = tmp_path / "lake"
    lake.mkdir()
    weir(lake, f"CREATE TABLE t (a BIGINT, b BIGINT) WITH ('delta.enableDeletionVectors' = '{vectors}', 'delta.enableChangeDataFeed' = 'true')")
    for part in range(3):
        weir(lake, f"INSERT INTO t SELECT i, 0 FROM range({part * 40000}, {(part + 1) * 40000}) r(i)")
    for statement, rows in STATEMENTS:
        for k, moment in enumerate([None, *MOMENTS]):
            words = {"k": k % 3, "new": 10**6 + k * 1000}
            before, after = states(lake, "t", rows.format(**words))
            begin = time.monotonic()
            process = start(lake, statement.format(**words))
            if moment is None:
                process.communicate(timeout=300)
                assert process.returncode == 0
                duration = time.monotonic() - begin
            else:
                time.sleep(duration * moment)
                process.kill()
                process.communicate(timeout=300)
            now, = states(lake, "t")
            assert now in (before, after) and (moment is not None or now == after), (statement, words, before, after, now)
    assert weir(lake, "SELECT * FROM weir_check('t')").count("\n") <= 1
    state = states(lake, "t")
    for left in (lake / "t").rglob("*.tmp"):
        os.utime(left, (0, 0))
    weir(lake, "SET weir_vacuum_retention_check = false; VACUUM t RETAIN 0 HOURS")
    assert states(lake, "t") == state
    on_disk = list((lake / "t").glob("*.parquet"))
    assert weir(lake, "SELECT count(DISTINCT _metadata.file_path) AS n FROM t") == f"n\n{len(on_disk)}\n"
    assert not list((lake / "t").rglob("*.tmp"))
