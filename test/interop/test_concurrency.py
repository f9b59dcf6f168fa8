# SPDX-License-Identifier: Apache-2.0
"""Many writers at once, of several engines: nothing is lost, nothing doubled."""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from canonical import assert_same_rows
from peers import WEIR, weir_process

APPENDS_EACH = 3

# delta-rs gives up after 15 lost races of its own accord, which fifty writers on a slow machine reach.
DELTA_RS_WRITER = """
import sys
import pyarrow as pa
from deltalake import CommitProperties, write_deltalake
path, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for n in range(first, first + count):
    write_deltalake(path, pa.table({"id": pa.array([n], pa.int32()), "who": ["delta-rs"]}), mode="append",
                    commit_properties=CommitProperties(max_commit_retries=100_000))
"""


def weir_writer(lake, first):
    """One process with several transactions."""
    script = "".join(f"INSERT INTO t VALUES ({n}, 'weir');\n" for n in range(first, first + APPENDS_EACH))
    return subprocess.run([WEIR, "sql", "-w", lake.directory], input=script, capture_output=True, text=True, timeout=500, check=False)


def delta_rs_writer(lake, first):
    return subprocess.run([sys.executable, "-c", DELTA_RS_WRITER, lake.path("t"), str(first), str(APPENDS_EACH)],
                          capture_output=True, text=True, timeout=500, check=False)


def spark_writer(lake, first):
    for n in range(first, first + APPENDS_EACH):
        lake.spark(f"INSERT INTO {{t}} VALUES ({n}, 'spark')")
    return None


def test_fifty_appenders(lake):
    lake.spark("CREATE TABLE {t} (id INT, who STRING) USING DELTA TBLPROPERTIES ('delta.checkpointInterval' = '10')")
    writers = [weir_writer] * 30 + [spark_writer] * 10 + [delta_rs_writer] * 10
    names = {weir_writer: "weir", spark_writer: "spark", delta_rs_writer: "delta-rs"}
    expected = []
    with ThreadPoolExecutor(len(writers)) as pool:
        running = []
        for n, writer in enumerate(writers):
            first = n * APPENDS_EACH
            running.append(pool.submit(writer, lake, first))
            expected += [{"id": first + i, "who": names[writer]} for i in range(APPENDS_EACH)]
        for writer in running:
            done = writer.result()
            assert done is None or done.returncode == 0, done.stderr
    lake.check("t", expected)
    versions = [row["version"] for row in lake.spark("DESCRIBE HISTORY {t}")]
    assert sorted(versions) == list(range(len(expected) + 1))


def test_creators_race(lake):
    """Of many who create one table exactly one succeeds; the others say why."""
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(weir_process, f"CREATE TABLE t AS SELECT {n} AS n", lake.directory) for n in range(8)]
        done = [run.result() for run in runs]
    assert [one.returncode for one in done].count(0) == 1, [one.stderr for one in done]
    winner = [one.returncode for one in done].index(0)
    for n, one in enumerate(done):
        assert n == winner or "DELTA_" in one.stderr
    assert_same_rows(lake.check("t"), [{"n": winner}])
