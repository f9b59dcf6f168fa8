# SPDX-License-Identifier: Apache-2.0
"""OPTIMIZE of 1,000 small files and VACUUM of 100,000 files, by Weir, delta-rs and Spark on copies of the same tables.

Printed are wall time and processor time (user and system) of each, and the ratios. Each engine runs in a process of
its own; of Spark the wall time of the statement alone is told, without the start of Java. TABLE_CARE_FILES=1000,
TABLE_CARE_OLD_FILES=100000, TABLE_CARE_SPARK=0 leaves Spark out.
"""
import glob
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

SPARK = """
import sys, time
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[*]").config("spark.jars", sys.argv[1])
for key, value in {{"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension", "spark.driver.memory": "2g",
                   "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog", "spark.ui.enabled": "false",
                   "spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2",
                   "spark.databricks.delta.snapshotPartitions": "2", "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
                   "spark.databricks.delta.vacuum.parallelDelete.enabled": "true"}}.items():
    builder = builder.config(key, value)
session = builder.getOrCreate()
session.sql("SELECT count(*) FROM delta.`{table}`").collect()
start = time.monotonic()
session.sql("{sql}").collect()
print("SECONDS", time.monotonic() - start)
"""


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
    """Wall seconds and processor seconds of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stderr = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command}: {stderr.decode()}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


def spark_seconds(table, sql):
    """Wall seconds of the statement."""
    jars = ",".join(glob.glob(str(pathlib.Path(os.environ["WEIR_DEPS"]) / "jars" / "*.jar")))
    done = subprocess.run([sys.executable, "-c", SPARK.format(table=table, sql=sql), jars], capture_output=True, text=True, check=False)
    seconds = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("SECONDS")]
    return float(seconds[0]) if seconds else sys.exit(done.stderr[-2000:])


def compare(title, make, weir_sql, delta_rs):
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pathlib.Path(folder) / "ours", pathlib.Path(folder) / "theirs"
        make(ours)
        make(theirs)
        results = {
            "weir": measured([WEIR, "sql", "-c", weir_sql.format(table=ours)]),
            "delta-rs": measured([sys.executable, "-c", DELTA_RS.format(table=theirs, work=delta_rs)]),
        }
        spark = None
        if os.environ.get("TABLE_CARE_SPARK", "1") != "0":
            of_spark = pathlib.Path(folder) / "spark"
            make(of_spark)
            spark = spark_seconds(of_spark, weir_sql.format(table=of_spark))
        left = {name: len(list(path.glob("*.parquet"))) for name, path in (("weir", ours), ("delta-rs", theirs))}
    print(title)
    for name, (wall, cpu) in results.items():
        print(f"  {name:9} {wall:8.2f} s wall {cpu:8.2f} s processor, {left[name]} files left")
    if spark is not None:
        print(f"  spark     {spark:8.2f} s wall of the statement, {spark / results['weir'][0]:.1f} times Weir's whole process")
    print(f"  ratio     {results['weir'][0] / results['delta-rs'][0]:8.2f}        {results['weir'][1] / results['delta-rs'][1]:8.2f}")


compare(f"OPTIMIZE of {FILES} files", small_files, "OPTIMIZE delta.`{table}`", "t.optimize.compact()")
compare(f"VACUUM of {OLD_FILES} files", old_files, "VACUUM delta.`{table}`", "t.vacuum(dry_run=False)")
