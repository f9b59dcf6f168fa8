# SPDX-License-Identifier: Apache-2.0
"""OPTIMIZE of 1,000 small files and VACUUM of 100,000 files, by Weir and by delta-rs on copies of the same tables.

Printed are wall time, processor time (user and system) and peak memory of each, and the ratios. Each engine runs in a process of
its own. TABLE_CARE_FILES=1000, TABLE_CARE_OLD_FILES=100000.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake

FILES = int(os.environ.get("TABLE_CARE_FILES", "1000"))
OLD_FILES = int(os.environ.get("TABLE_CARE_OLD_FILES", "100000"))
ROWS_PER_FILE = 1000
WEIR = str(pathlib.Path(os.environ["WEIR_BIN"]) / "weir")

DELTA_RS = "from deltalake import DeltaTable; t = DeltaTable('{table}'); {work}"


def small_files(table):
    """A table of many small files: one real commit, and one that adds the others at once."""
    rows = pa.table({"id": pa.array(range(ROWS_PER_FILE), pa.int64()), "name": [f"name{i}" for i in range(ROWS_PER_FILE)],
                     "amount": pa.array([i / 3 for i in range(ROWS_PER_FILE)], pa.float64())})
    write_deltalake(str(table), rows)
    stats = json.dumps({"numRecords": ROWS_PER_FILE, "minValues": {"id": 0}, "maxValues": {"id": ROWS_PER_FILE - 1}, "nullCount": {"id": 0}})
    pq.write_table(rows, table / "part-0.parquet")
    size = (table / "part-0.parquet").stat().st_size
    lines = []
    for i in range(1, FILES):
        shutil.copyfile(table / "part-0.parquet", table / f"part-{i}.parquet")
        lines.append(json.dumps({"add": {"path": f"part-{i}.parquet", "partitionValues": {}, "size": size, "modificationTime": 1700000000000,
                                         "dataChange": True, "stats": stats}}))
    (table / "part-0.parquet").unlink()
    (table / "_delta_log" / f"{1:020}.json").write_text("\n".join(lines) + "\n")


def old_files(table):
    """A table with many files that nobody needs any more, removed long ago."""
    write_deltalake(str(table), pa.table({"id": pa.array([1], pa.int64())}))
    old = time.time() - 30 * 86400
    lines = []
    for i in range(OLD_FILES):
        path = table / f"old-{i}.parquet"
        path.write_bytes(b"x")
        os.utime(path, (old, old))
        lines.append(json.dumps({"remove": {"path": path.name, "deletionTimestamp": int(old * 1000), "dataChange": True, "size": 1,
                                            "extendedFileMetadata": True, "partitionValues": {}}}))
    (table / "_delta_log" / f"{1:020}.json").write_text("\n".join(lines) + "\n")


def measured(command):
    """Wall seconds, processor seconds and peak MB of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stderr = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command}: {stderr.decode()}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(title, make, weir_sql, delta_rs):
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pathlib.Path(folder) / "ours", pathlib.Path(folder) / "theirs"
        make(ours)
        shutil.copytree(ours, theirs)
        results = {
            "weir": measured([WEIR, "sql", "-c", weir_sql.format(table=ours)]),
            "delta-rs": measured([sys.executable, "-c", DELTA_RS.format(table=theirs, work=delta_rs)]),
        }
        left = {name: len(list(path.glob("*.parquet"))) for name, path in (("weir", ours), ("delta-rs", theirs))}
    print(title)
    for name, (wall, cpu, memory) in results.items():
        print(f"  {name:9} {wall:8.2f} s wall {cpu:8.2f} s processor {memory:8.0f} MB, {left[name]} files left")
    print(f"  ratio     {results['weir'][0] / results['delta-rs'][0]:8.2f}        {results['weir'][1] / results['delta-rs'][1]:8.2f}")


compare(f"OPTIMIZE of {FILES} files", small_files, "OPTIMIZE delta.`{table}`", "t.optimize.compact()")
compare(f"VACUUM of {OLD_FILES} files", old_files, "VACUUM delta.`{table}`", "t.vacuum(dry_run=False)")
