# SPDX-License-Identifier: Apache-2.0
"""Weir and delta-rs writing one table, killed with -9 at any moment, for as long as one likes.

(Spark is not among them: on a disk its commit is a look and a rename, which may replace another's.)

  python test/interop/soak_writers.py --seconds 300 [--writers 8] [--seed N]

Each writer notes, on disk, what it begins and what it was told of; then every row that was told of is there once, every
row is one that somebody began, and `weir check` finds nothing. Needs build/weir (WEIR_BIN) and the Python environment."""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WEIR = str(Path(os.environ.get("WEIR_BIN", "build")) / "weir")

# A line is flushed to the disk before the next step: it holds after a kill.
NOTE = """
import os, random, subprocess, sys, time
weir, lake, name, seed = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
journal = open(f"{lake}-journal/{name}", "a")
chance = random.Random(seed)
def note(what, n):
    journal.write(f"{what} {n}\\n"); journal.flush(); os.fsync(journal.fileno())
"""
WEIR_WRITER = NOTE + """
def sql(text):
    return subprocess.run([weir, "sql", "-w", lake, "-c", text], capture_output=True).returncode
n = 0
while True:
    n += 1
    note("begin", f"{name}-{seed}-{n}")
    if sql(f"INSERT INTO t VALUES ('{name}-{seed}-{n}', 0)") == 0:
        note("done", f"{name}-{seed}-{n}")
    # These may lose against others: then nothing of them is there.
    if chance.random() < 0.2:
        sql(f"UPDATE t SET v = v + 1 WHERE k LIKE '{name}-%' AND v < 3")
    if chance.random() < 0.03:
        sql("OPTIMIZE t")
"""
DELTA_RS_WRITER = NOTE + """
import pyarrow as pa
from deltalake import CommitProperties, write_deltalake
n = 0
while True:
    n += 1
    note("begin", f"{name}-{seed}-{n}")
    write_deltalake(f"{lake}/t", pa.table({"k": [f"{name}-{seed}-{n}"], "v": pa.array([0], pa.int32())}), mode="append",
                    commit_properties=CommitProperties(max_commit_retries=100_000))
    note("done", f"{name}-{seed}-{n}")
"""
WRITERS = {"weir": WEIR_WRITER, "delta-rs": DELTA_RS_WRITER}


def start(kind, name, lake, seed):
    return subprocess.Popen([sys.executable, "-c", WRITERS[kind], WEIR, lake, name, str(seed)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)


def kill(process):
    """The writer and what it runs, all at once."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def notes(lake):
    begun, told = set(), set()
    for journal in Path(f"{lake}-journal").iterdir():
        for line in journal.read_text().splitlines():
            what, _, row = line.partition(" ")
            (begun if what == "begin" else told).add(row)
    return begun, told


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--writers", type=int, default=8)
    arguments.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = arguments.parse_args()
    chance = random.Random(options.seed)
    lake = str(Path(tempfile.mkdtemp(prefix="weir-soak-")) / "lake")
    os.makedirs(lake)
    os.makedirs(f"{lake}-journal")
    subprocess.run([WEIR, "sql", "-w", lake, "-c", "CREATE TABLE t (k VARCHAR, v INTEGER)"], check=True,
                   capture_output=True)
    kinds = ["delta-rs" if n % 4 == 3 else "weir" for n in range(options.writers)]
    running = [start(kind, f"{kind}{n}", lake, options.seed) for n, kind in enumerate(kinds)]
    kills, end = 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        time.sleep(chance.uniform(0, 4))
        n = chance.randrange(len(kinds))
        kill(running[n])
        kills += 1
        running[n] = start(kinds[n], f"{kinds[n]}{n}", lake, options.seed + kills)
    for process in running:
        kill(process)

    begun, told = notes(lake)
    listed = subprocess.run([WEIR, "sql", "-w", lake, "--format", "csv", "-c", "SELECT k FROM t"], check=True,
                            capture_output=True, text=True).stdout.splitlines()[1:]
    there = set(listed)
    assert len(there) == len(listed), f"doubled rows in {lake}"
    assert told <= there, f"lost rows in {lake}: {sorted(told - there)[:5]}"
    assert there <= begun, f"rows of nobody in {lake}: {sorted(there - begun)[:5]}"
    commits = sorted(int(path.name[:20]) for path in Path(f"{lake}/t/_delta_log").glob("*.json") if len(path.name) == 25)
    assert commits == list(range(commits[0], commits[-1] + 1)), f"versions are missing in {lake}"
    checked = subprocess.run([WEIR, "check", f"{lake}/t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    by_kind = {kind: sum(row.startswith(kind) for row in there) for kind in sorted(set(kinds))}
    print(f"seed {options.seed}: {kills} kills, {commits[-1]} commits, rows {by_kind}, of them {len(there - told)} whose "
          f"writer was killed before it was told; nothing lost, doubled or damaged")


if __name__ == "__main__":
    main()
