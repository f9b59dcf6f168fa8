# SPDX-License-Identifier: Apache-2.0
"""A million change events into a table of a million rows, by `weir run` and by hand in DuckDB.

80 % of the events meet existing keys, 10 % delete, all are shuffled. The same job by hand reads the target as Parquet, folds
the events and writes the new target as Parquet: no late events, no tombstones, no transaction log, no restart.
Printed are wall time, processor time and peak memory of each, and the ratios. Rows: AUTO_CDC_ROWS=1000000.

Then: events into tables of more and more files, once with keys of a single file and once with keys of all
(AUTO_CDC_FILES="1 8 32", each of AUTO_CDC_ROWS rows); and 100 flows in one project.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROWS = int(os.environ.get("AUTO_CDC_ROWS", "1000000"))
WEIR = str(pathlib.Path(os.environ["WEIR_BIN"]) / "weir")

SPEC = "name: bench\nstorage: state\nlibraries:\n  - glob:\n      include: transformations/**\n"
FLOW = """CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM read_files('events', format => 'parquet') KEYS (id)
APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE {scd}"""

GENERATE = f"""
COPY (SELECT i::INT AS id, 'name' || i AS name, i % 100 AS city, (i * 7) % 1000 AS amount, 1::BIGINT AS version,
             i * 1.5::DOUBLE AS price, 'x' || (i % 10) AS note, 'U' AS op, 1::BIGINT AS seq
      FROM range({ROWS}) t(i)) TO 'base.parquet';
COPY (SELECT * FROM (SELECT CASE WHEN hash(i) % 10 < 8 THEN hash(i * 3) % {ROWS}
                                 ELSE {ROWS} + hash(i * 5) % ({ROWS} // 6 + 1) END::INT AS id,
             'n' || i AS name, i % 100 AS city, i % 1000 AS amount, (2 + i)::BIGINT AS version, i * 1.5::DOUBLE AS price,
             'y' AS note, CASE WHEN hash(i * 11) % 10 = 0 THEN 'D' ELSE 'U' END AS op, (2 + i)::BIGINT AS seq
      FROM range({ROWS}) t(i)) ORDER BY hash(seq)) TO 'changes.parquet';
"""

SCD1_BY_HAND = """
COPY (SELECT id, name, city, amount, version, price, note, 1::BIGINT AS seq FROM 'base.parquet') TO 'target.parquet';
COPY (WITH e AS (SELECT * FROM 'changes.parquet' QUALIFY row_number() OVER (PARTITION BY id ORDER BY seq DESC) = 1)
  SELECT id, name, city, amount, version, price, note, seq FROM e WHERE op <> 'D'
  UNION ALL SELECT * FROM 'target.parquet' t WHERE NOT EXISTS (FROM e WHERE e.id = t.id)) TO 'new.parquet';
"""
SCD2_BY_HAND = """
COPY (SELECT id, name, city, amount, version, price, note, 1::BIGINT AS begins, NULL::BIGINT AS ends FROM 'base.parquet')
  TO 'target.parquet';
COPY (WITH all_events AS (SELECT id, name, city, amount, version, price, note, seq, op FROM 'changes.parquet' UNION ALL
        SELECT id, name, city, amount, version, price, note, begins, 'U' FROM 'target.parquet'
        WHERE id IN (SELECT id FROM 'changes.parquet')),
      ended AS (SELECT *, lead(seq) OVER (PARTITION BY id ORDER BY seq) AS ends FROM all_events)
  SELECT id, name, city, amount, version, price, note, seq, ends FROM ended WHERE op <> 'D' UNION ALL
  SELECT * FROM 'target.parquet' WHERE id NOT IN (SELECT id FROM 'changes.parquet')) TO 'new.parquet';
"""


def measured(command, folder):
    """Wall seconds, processor seconds and peak MB of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stderr = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command}: {stderr.decode()}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def show(name, figures):
    wall, cpu, memory = figures
    print(f"  {name:<28} {wall:7.2f} s  {cpu:7.2f} s cpu  {memory:7.0f} MB")


def run(scd, by_hand):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        project(root, t=FLOW.format(scd=scd))
        (root / "events").mkdir()
        subprocess.run([WEIR, "sql", "-c", GENERATE], cwd=root, check=True, stdout=subprocess.DEVNULL)
        prepare, job = by_hand.strip().split(";\n")[:2]
        subprocess.run([WEIR, "sql", "-c", prepare], cwd=root, check=True, stdout=subprocess.DEVNULL)
        hand = measured([WEIR, "sql", "-c", job], root)
        (root / "base.parquet").rename(root / "events" / "1.parquet")
        first = measured([WEIR, "run"], root)
        (root / "changes.parquet").rename(root / "events" / "2.parquet")
        second = measured([WEIR, "run"], root)
        empty = measured([WEIR, "run"], root)
        print(f"SCD type {scd}, {ROWS:,} events into {ROWS:,} rows")
        show("by hand in DuckDB", hand)
        show("weir run", second)
        show("weir run, first load", first)
        show("weir run, nothing new", empty)
        print(f"  weir / by hand: {second[0] / hand[0]:.1f} x wall, {second[1] / hand[1]:.1f} x cpu")


def project(root, **definitions):
    (root / "transformations").mkdir()
    (root / "spark-pipeline.yml").write_text(SPEC)
    for name, text in definitions.items():
        (root / "transformations" / f"{name}.sql").write_text(text)


def run_growing(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        flow = FLOW.replace("format => 'parquet'", "format => 'parquet', maxFilesPerTrigger => 1")
        project(root, t=flow.format(scd=1))
        (root / "events").mkdir()

        def arrive(name, key, count):
            query = f"""COPY (SELECT {key}::INT AS id, 'n' || i AS name, i % 100 AS city, i * 1.5::DOUBLE AS price,
                              CASE WHEN i % 10 = 9 THEN 'D' ELSE 'U' END AS op, {time.time_ns()} AS seq
                       FROM range({count}) t(i)) TO 'events/{name}.parquet'"""
            subprocess.run([WEIR, "sql", "-c", query], cwd=root, check=True, stdout=subprocess.DEVNULL)

        for number in range(files):
            arrive(f"{number:04}", f"({number * ROWS} + i)", ROWS)
        print(f"{ROWS // 10:,} events into {files * ROWS:,} rows in {files} files, SCD type 1")
        show("weir run, first load", measured([WEIR, "run"], root))
        arrive("one", f"(hash(i) % {ROWS})", ROWS // 10)
        show("keys of one file", measured([WEIR, "run"], root))
        arrive("spread", f"(hash(i) % {files * ROWS})", ROWS // 10)
        show("keys of all files", measured([WEIR, "run"], root))


def run_many():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        flow = """CREATE STREAMING TABLE t{i} FLOW AUTO CDC FROM STREAM read_files('events{i}') KEYS (id)
                  SEQUENCE BY v STORED AS SCD TYPE {scd}"""
        project(root, **{f"t{i}": flow.format(i=i, scd=1 + i % 2) for i in range(100)})
        for i in range(100):
            (root / f"events{i}").mkdir()
        print("100 flows in one project")
        for version, step in ((1, 1), (2, 10)):
            for i in range(100):
                lines = "".join(f'{{"id": {key}, "v": {version}}}\n' for key in range(0, 1000, step))
                (root / f"events{i}" / f"{version}.json").write_text(lines)
            show(f"{1000 // step} events each", measured([WEIR, "run"], root))
        show("nothing new", measured([WEIR, "run"], root))


if __name__ == "__main__":
    run(1, SCD1_BY_HAND)
    run(2, SCD2_BY_HAND)
    for count in os.environ.get("AUTO_CDC_FILES", "1 8 32").split():
        run_growing(int(count))
    run_many()
