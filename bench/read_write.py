#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writing and reading 10M rows x 5 columns: Weir beside DuckDB's own Parquet reader and writer, its delta extension and delta-rs.

    bench/read_write.py [--rows N]

All read the same Parquet files. Processor time counts, in the best of three runs; ratios are to DuckDB's own COPY or read_parquet,
which know nothing of tables.
"""
import argparse
import glob
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

WEIR = str(pathlib.Path(os.environ.get("WEIR_BIN", "build/release")) / "weir")
DEPS = pathlib.Path(os.environ.get("WEIR_DEPS", "build/deps"))
RUNS = 3

GENERATE = """COPY (SELECT i::BIGINT AS id, 'name ' || hash(i)::VARCHAR AS name, (hash(i * 3) % 1000)::INT AS city,
  (hash(i * 7) % 1000000) / 100.0::DOUBLE AS amount,
  TIMESTAMPTZ '2024-01-01 00:00:00Z' + to_seconds((hash(i * 11) % 10000000)::BIGINT) AS updated
  FROM range({rows}) t(i)) TO 'rows.parquet'"""
ALL = "max(id), max(name), max(city), max(amount), max(updated)"


def measured(command, folder):
    """Wall and processor seconds and peak MB."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {command}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def delta_rs_child(source, table):
    import pyarrow.dataset
    from deltalake import write_deltalake

    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    write_deltalake(table, pyarrow.dataset.dataset(source).scanner().to_reader(), mode="overwrite")
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([time.monotonic() - start, cpu, after.ru_maxrss / 1024]))


def compare(title, runs):
    print(title)
    baseline = None
    for name, run in runs:
        wall, cpu, memory = min((run() for _ in range(RUNS)), key=lambda figures: figures[1])
        baseline = baseline or cpu
        print(f"  {name:<40} {wall:7.2f} s {cpu:7.2f} s cpu {memory:7.0f} MB {cpu / baseline:6.2f} x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--delta-rs-child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.delta_rs_child:
        return delta_rs_child(*options.delta_rs_child)
    with tempfile.TemporaryDirectory() as folder:
        def sql(text):
            return lambda: measured([WEIR, "sql", "-w", folder, "-c", text], folder)

        def delta_rs():
            child = [sys.executable, os.path.abspath(__file__), "--delta-rs-child", "rows.parquet", "rs"]
            return tuple(json.loads(subprocess.run(child, cwd=folder, check=True, capture_output=True, text=True).stdout))

        sql(GENERATE.format(rows=options.rows))()
        compare("writing", [
            ("COPY TO parquet, zstd", sql("COPY (FROM 'rows.parquet') TO 'copy.parquet' (COMPRESSION zstd)")),
            ("COPY TO parquet, zstd at level 1",
             sql("COPY (FROM 'rows.parquet') TO 'copy.parquet' (COMPRESSION zstd, COMPRESSION_LEVEL 1)")),
            ("weir, CREATE TABLE AS", sql("CREATE OR REPLACE TABLE t AS FROM 'rows.parquet'")),
            ("delta-rs, write_deltalake", delta_rs)])
        sql("CREATE OR REPLACE TABLE t WITH ('delta.enableDeletionVectors' = 'true') AS FROM 'rows.parquet'")()
        live = [json.loads(line) for line in max(pathlib.Path(folder, 't', '_delta_log').glob('*.json')).read_text().splitlines()]
        weir_files = [f"{folder}/t/{action['add']['path']}" for action in live if 'add' in action]
        files = "read_parquet([" + ", ".join(f"'{file}'" for file in weir_files) + "])"
        extension = glob.glob(str((DEPS / "duckdb" / "extensions" / "delta.duckdb_extension").resolve()))
        queries = [("five columns", "SELECT " + ALL + " FROM {}"), ("five columns, filtered", "SELECT " + ALL + " FROM {} WHERE city = 7"),
                   ("one column", "SELECT city, count(*) FROM {} GROUP BY ALL")]
        for title, query in queries:
            runs = [("read_parquet", sql(query.format(files))), ("weir", sql(query.format("t")))]
            if extension:
                load = f"LOAD '{extension[0]}'; "
                runs.append(("duckdb's delta extension", sql(load + query.format("delta_scan('t')"))))
            compare("reading, " + title, runs)
        sql("DELETE FROM t WHERE hash(id) % 10 = 0")()
        for title, query in queries:
            runs = [("read_parquet, deleted rows and all", sql(query.format(files))), ("weir", sql(query.format("t")))]
            if extension:
                runs.append(("duckdb's delta extension", sql(load + query.format("delta_scan('t')"))))
            compare("reading, every tenth row deleted by vectors, " + title, runs)
    return None


if __name__ == "__main__":
    main()
