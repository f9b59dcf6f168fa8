# SPDX-License-Identifier: Apache-2.0
"""A feed of ten million changes, by Weir inside Python's DuckDB and by delta-rs: summed up by change type, and as an Arrow table.

The table has 5 million rows that came in 5 commits and of which half were updated: 5 million inserts and as many images of
updates. The sums are DuckDB's, of delta-rs over its Arrow stream. DuckDB converts a relation to an Arrow table on all its threads
where the order of rows need not be kept; both ways are measured. The stream of Arrow IPC is what `weir changes` prints, beside
pyarrow's of delta-rs's batches. Printed are wall time, processor time and peak memory of each, and the ratios.
Rows: CHANGES_ROWS=5000000.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROWS = int(os.environ.get("CHANGES_ROWS", "5000000"))
BUILD = pathlib.Path(os.environ["WEIR_BIN"])

WEIR = f"""
import duckdb
connection = duckdb.connect(config={{"allow_unsigned_extensions": True}})
connection.execute("LOAD '{BUILD / 'weir.duckdb_extension'}'; SET enable_progress_bar = false")
feed = "FROM table_changes_by_path('lake/t', 0)"
"""
DELTA_RS = """
import pyarrow
from deltalake import DeltaTable
feed = DeltaTable("lake/t").load_cdf(starting_version=0)
"""
SUMS = "SELECT _change_type, count(*), sum(price), max(name), max(city) FROM {} GROUP BY 1"
SUM_UP = f"\nprint(sum(row[1] for row in connection.execute('{SUMS}'.format(source)).fetchall()))"
OVER_ARROW = """
import duckdb
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
rows = pyarrow.RecordBatchReader.from_stream(feed)
source = "rows"
"""
ARROW_TABLE = "print(pyarrow.RecordBatchReader.from_stream(feed).read_all().num_rows)"
WEIR_IPC = f"""
import os
null = os.open("/dev/null", os.O_WRONLY)
os.posix_spawn("{BUILD / 'weir'}", ["weir", "changes", "t", "-w", "lake", "--from", "0", "--format", "arrow"], os.environ,
               file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
assert os.wait()[1] == 0
print(0)
"""
DELTA_RS_IPC = """
rows = pyarrow.RecordBatchReader.from_stream(feed)
with open("/dev/null", "wb") as null, pyarrow.ipc.new_stream(null, rows.schema) as stream:
    for batch in rows:
        stream.write_batch(batch)
print(0)
"""
# Each prints the number of rows that it has read.
JOBS = {
    "summed up": (WEIR + "source = feed.removeprefix('FROM ')" + SUM_UP, DELTA_RS + OVER_ARROW + SUM_UP),
    "as Arrow": (WEIR + "print(connection.sql(feed).to_arrow_table().num_rows)", DELTA_RS + ARROW_TABLE),
    "as Arrow, in any order": (
        WEIR + "connection.execute('SET preserve_insertion_order = false')\nprint(connection.sql(feed).to_arrow_table().num_rows)",
        DELTA_RS + ARROW_TABLE),
    "as Arrow IPC": (WEIR_IPC, DELTA_RS + DELTA_RS_IPC),
}


def generate(folder):
    statements = ["CREATE TABLE t (id BIGINT, name VARCHAR, city INT, price DOUBLE) WITH ('delta.enableChangeDataFeed' = 'true')"]
    for part in range(5):
        part_rows = f"range({ROWS * part // 5}, {ROWS * (part + 1) // 5}) r(i)"
        statements.append(f"INSERT INTO t SELECT i, 'name' || i, i % 100, i * 1.5 FROM {part_rows}")
    statements.append("UPDATE t SET price = price + 1 WHERE id % 2 = 0")
    (folder / "lake").mkdir()
    subprocess.run([BUILD / "weir", "sql", "-w", "lake", "-c", "; ".join(statements)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def measured(script, folder):
    """Rows, wall seconds, processor seconds and peak MB of a Python script."""
    start = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE)
    rows = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {script}")
    return int(rows), time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generate(folder)
        for job, scripts in JOBS.items():
            results = [measured(script, folder) for script in scripts]
            for reader, (rows, wall, processor, memory) in zip(("weir", "delta-rs"), results):
                print(f"{job:22} {reader:9} {rows:>10} rows  {wall:6.2f} s  {processor:6.2f} s of processor  {memory:6.0f} MB")
            if results[0][0] != results[1][0]:
                sys.exit("the readers found different numbers of rows")
            print(f"{job:22} weir is {results[1][1] / results[0][1]:.2f} times as fast "
                  f"({results[1][2] / results[0][2]:.2f} by processor time)")


if __name__ == "__main__":
    main()
