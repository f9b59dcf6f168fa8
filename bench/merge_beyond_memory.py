#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A MERGE whose source does not fit in memory: 10M rows into 50M under memory_limit = 2 GiB.

    bench/merge_beyond_memory.py [--rows N] [--source N] [--memory 2GiB]

All keys of the source's first half meet a row; every update keeps a column, so new values wait for the second pass, and the change
feed is on. Prints the times and the peak of memory of each way to write, and checks the rows.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WEIR = str(pathlib.Path(os.environ.get("WEIR_BIN", "build/release")) / "weir")


def weir(folder, sql, memory):
    start = time.monotonic()
    process = subprocess.Popen([WEIR, "sql", "-w", str(folder), "--format", "csv", "-c", f"SET memory_limit = '{memory}'; {sql}"],
                               stdout=subprocess.PIPE, text=True, cwd=folder)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed under {memory}: {sql}")
    return output, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def run(root, rows, source, memory, vectors):
    weir(root, f"""CREATE TABLE t WITH ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '{vectors}') AS
      SELECT i::BIGINT AS id, 'name ' || hash(i)::VARCHAR AS name, (hash(i * 3) % 1000)::INT AS city,
             (hash(i * 7) % 1000000) / 100.0::DOUBLE AS amount, i * 2 AS twice FROM range({rows}) t(i)""", memory)
    _, wall, cpu, peak = weir(root, """MERGE INTO t USING 'source.parquet' s ON t.id = s.id
      WHEN MATCHED THEN UPDATE SET name = s.name, city = s.city, amount = s.amount WHEN NOT MATCHED THEN INSERT *""", memory)
    print(f"  {'deletion vectors' if vectors == 'true' else 'files rewritten':<18} {wall:8.1f} s {cpu:8.1f} s cpu {peak:8.0f} MB")
    found = weir(root, f"""SELECT count(*), count(*) FILTER (name LIKE 'new %'), count(*) FILTER (twice <> id * 2),
      count(*) FILTER (name LIKE 'new %' AND city <> 7) FROM t""", memory)[0].splitlines()[-1]
    expected = f"{rows + source - source // 2},{source},0,0"
    if found != expected:
        sys.exit(f"wrong rows: {found}, expected {expected}")
    weir(root, "DROP TABLE t", memory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--source", type=int, default=10_000_000)
    parser.add_argument("--memory", default="2GiB")
    options = parser.parse_args()
    rows, source, half = options.rows, options.source, options.source // 2
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        # Not in the order of the table.
        weir(root, f"""COPY (SELECT CASE WHEN i < {half} THEN i * {rows // half} ELSE {rows} + i END::BIGINT AS id,
          'new ' || hash(i)::VARCHAR AS name, 7 AS city, i / 2.0::DOUBLE AS amount,
          2 * CASE WHEN i < {half} THEN i * {rows // half} ELSE {rows} + i END AS twice
          FROM range({source}) t(i) ORDER BY hash(i)) TO 'source.parquet'""", options.memory)
        print(f"{source:,} rows into {rows:,} under {options.memory}")
        for vectors in ("false", "true"):
            run(root, rows, source, options.memory, vectors)


if __name__ == "__main__":
    main()
