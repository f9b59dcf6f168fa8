# SPDX-License-Identifier: Apache-2.0
"""A feed of ten million changes read as Arrow, by Weir inside Python's DuckDB and by delta-rs.

The table has 5 million rows that came in 5 commits and of which half were updated: 5 million inserts and as many images of
updates. Printed are wall time, processor time and peak memory of each, and the ratios. Rows: CHANGES_ROWS=5000000.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROWS = int(os.environ.get("CHANGES_ROWS", "5000000"))
BUILD = pathlib.Path(os.environ["WEIR_BIN"])

BY_WEIR = """
import duckdb
connection = duckdb.connect(config={"allow_unsigned_extensions": True})
connection.execute("LOAD '%s'")
table = connection.execute("FROM table_changes_by_path('lake/t', 0)").fetch_arrow_table()
""" % (BUILD / "weir.duckdb_extension")
BY_DELTA_RS = """
import pyarrow
from deltalake import DeltaTable
table = pyarrow.table(DeltaTable("lake/t").load_cdf(starting_version=0))
"""
COUNT = "\nprint(table.num_rows)\n"


def generate(folder):
    statements = ["CREATE TABLE t (id BIGINT, name VARCHAR, city INT, price DOUBLE) WITH ('delta.enableChangeDataFeed' = 'true')"]
    for part in range(5):
        statements.append(f"INSERT INTO t SELECT i, 'name' || i, i % 100, i * 1.5 FROM range({ROWS * part // 5}, {ROWS * (part + 1) // 5}) r(i)")
    statements.append("UPDATE t SET price = price + 1 WHERE id % 2 = 0")
    (folder / "lake").mkdir()
    subprocess.run([BUILD / "weir", "sql", "-w", "lake", "-c", "; ".join(statements)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def measured(script, folder):
    """Rows, wall seconds, processor seconds and peak MB of a Python script."""
    start = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", script + COUNT], cwd=folder, stdout=subprocess.PIPE)
    rows = int(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {script}")
    return rows, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generate(folder)
        results = {}
        for reader, script in (("weir", BY_WEIR), ("delta-rs", BY_DELTA_RS)):
            results[reader] = measured(script, folder)
            rows, wall, processor, memory = results[reader]
            print(f"{reader:10} {rows:>10} rows  {wall:6.2f} s  {processor:6.2f} s of processor  {memory:7.0f} MB")
        if len({result[0] for result in results.values()}) != 1:
            sys.exit("the readers found different numbers of rows")
        ratio = [results["delta-rs"][i] / results["weir"][i] for i in (1, 2)]
        print(f"weir is {ratio[0]:.2f} times as fast ({ratio[1]:.2f} by processor time)")


if __name__ == "__main__":
    main()
