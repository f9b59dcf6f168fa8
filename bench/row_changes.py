#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MERGE, UPDATE and DELETE by Weir, by delta-rs and (with --spark) by Spark on copies of one table, in one run.

    bench/row_changes.py [--spark] [--rows N] [--source N] [CASE ...]

The table has N rows x 5 columns and a change feed; the source of the MERGE has a tenth of that, four fifths of which meet keys all
over the table. delta-rs writes no deletion vectors, so it rewrites files where the others need not. Each statement runs in a
process of its own on a fresh copy; start-up of Python and the JVM is not counted, Weir's is. After each case the tables must be
equal. Printed are wall and processor seconds, the peak of memory, and how many times less processor time than delta-rs it took.
"""
import argparse
import glob
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

WEIR = str(pathlib.Path(os.environ.get("WEIR_BIN", "build/release")) / "weir")
DEPS = pathlib.Path(os.environ.get("WEIR_DEPS", "build/deps"))

ROW = """name VARCHAR, city INT, amount DOUBLE, updated TIMESTAMPTZ"""
VALUES = """'name ' || hash(i)::VARCHAR AS name, (hash(i * 3) % 1000)::INT AS city, (hash(i * 7) % 1000000) / 100.0 AS amount,
  TIMESTAMPTZ '2024-01-01 00:00:00Z' + to_seconds((hash(i * 11) % 10000000)::BIGINT) AS updated"""
SOURCE_VALUES = """'new ' || i AS name, (i % 1000)::INT AS city, i * 0.5::DOUBLE AS amount,
  TIMESTAMPTZ '2025-01-01 00:00:00Z' + to_seconds(i) AS updated"""
FEED = "WITH ('delta.enableChangeDataFeed' = 'true')"

MERGE = """MERGE INTO {table} t USING {source} s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
MERGE_PART = "MERGE INTO {table} t USING {source} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET amount = s.amount"
DELETE = "DELETE FROM {table} WHERE id % 100 = 7"
UPDATE = "UPDATE {table} SET amount = amount + 1 WHERE id % 100 = 7"

# name: (table, source, statement, what delta-rs is told)
CASES = {
    "merge": ("plain", "source", MERGE, "merge"),
    "merge-vectors": ("vectors", "source", MERGE, "merge"),
    "merge-one-column": ("plain", "source", MERGE_PART, "merge-part"),
    "merge-one-column-vectors": ("vectors", "source", MERGE_PART, "merge-part"),
    "merge-1-of-100-files": ("hundred", "few", MERGE_PART, "merge-part"),
    "delete-1%": ("plain", "source", DELETE, "delete"),
    "delete-1%-vectors": ("vectors", "source", DELETE, "delete"),
    "update-1%": ("plain", "source", UPDATE, "update"),
    "update-1%-vectors": ("vectors", "source", UPDATE, "update"),
}


def weir(folder, sql):
    return subprocess.run([WEIR, "sql", "-w", str(folder), "--format", "json", "-c", sql], check=True, capture_output=True,
                          text=True).stdout


def prepare(root, rows, source_rows, tables):
    print(f"making tables of {rows:,} rows ...", file=sys.stderr)
    weir(root, f"""COPY (SELECT CASE WHEN i % 5 < 4 THEN hash(i) % {rows} ELSE {rows} + i END::BIGINT AS id, {SOURCE_VALUES}
      FROM range({source_rows * 21 // 20}) t(i) QUALIFY row_number() OVER (PARTITION BY id ORDER BY i) = 1 LIMIT {source_rows})
      TO '{root}/source.parquet'""")
    if {"plain", "vectors"} & tables:
        weir(root, f"CREATE TABLE plain {FEED} AS SELECT i::BIGINT AS id, {VALUES} FROM range({rows}) t(i)")
        shutil.copytree(root / "plain", root / "vectors")
        weir(root, "ALTER TABLE vectors SET ('delta.enableDeletionVectors' = 'true')")
    if "hundred" in tables:
        # Every file's range of keys spans the table.
        statements = [f"CREATE TABLE hundred (id BIGINT, {ROW}) {FEED}"]
        statements += [f"INSERT INTO hundred SELECT i * 100 + {k} AS id, {VALUES} FROM range({rows // 100}) t(i)"
                       for k in range(100)]
        weir(root, ";".join(statements))
        weir(root, f"""COPY (SELECT i * 1000 + 42 AS id, {SOURCE_VALUES} FROM range({rows // 1000}) t(i))
          TO '{root}/few.parquet'""")


def run_weir(table, source, statement, _):
    start = time.monotonic()
    sql = statement.format(table=table.name, source=f"'{source}'")
    process = subprocess.Popen([WEIR, "sql", "-w", str(table.parent), "-c", sql], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"weir failed: {sql}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def delta_rs_child(table, source, operation):
    import pyarrow.parquet as pq
    from deltalake import DeltaTable

    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    target = DeltaTable(table)
    if operation == "delete":
        target.delete("id % 100 = 7")
    elif operation == "update":
        target.update(predicate="id % 100 = 7", updates={"amount": "amount + 1"})
    else:
        merge = target.merge(pq.read_table(source), predicate="t.id = s.id", source_alias="s", target_alias="t")
        if operation == "merge":
            merge = merge.when_matched_update_all().when_not_matched_insert_all()
        else:
            merge = merge.when_matched_update(updates={"amount": "s.amount"})
        merge.execute()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([time.monotonic() - start, cpu, after.ru_maxrss / 1024]))


def run_delta_rs(table, source, _, operation):
    child = [sys.executable, __file__, "--delta-rs-child", str(table), str(source), operation]
    return tuple(json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout))


def jvm_figures():
    """Processor seconds and peak MB of the JVM, a child of this process."""
    for status in glob.glob("/proc/[0-9]*/status"):
        text = pathlib.Path(status).read_text()
        if f"\nPPid:\t{os.getpid()}\n" not in text or "\nName:\tjava" not in "\n" + text:
            continue
        fields = pathlib.Path(status).with_name("stat").read_text().rsplit(")", 1)[1].split()
        peak = next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak) / 1024
    sys.exit("no JVM among the children")


def spark_child(table, source, statement):
    from pyspark.sql import SparkSession

    jars = ",".join(glob.glob(str(DEPS / "jars" / "*.jar")))
    builder = SparkSession.builder.master(f"local[{os.cpu_count()}]").config("spark.jars", jars)
    for key, value in {"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
                       "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
                       "spark.driver.memory": "4g", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
                       "spark.sql.shuffle.partitions": "8", "spark.ui.enabled": "false", "spark.log.level": "ERROR",
                       "spark.ui.showConsoleProgress": "false"}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.read.format("delta").load(table).limit(1).count()
    start, before = time.monotonic(), jvm_figures()[0]
    spark.sql(statement.format(table=f"delta.`{table}`", source=f"parquet.`{source}`")).collect()
    wall, (cpu, peak) = time.monotonic() - start, jvm_figures()
    print(json.dumps([wall, cpu - before, peak]))
    spark.stop()


def run_spark(table, source, statement, _):
    child = [sys.executable, __file__, "--spark-child", str(table), str(source), statement]
    output = subprocess.run(child, check=True, capture_output=True, text=True).stdout
    return tuple(json.loads(output.splitlines()[-1]))


def content(table):
    version = max(int(commit.stem) for commit in (table / "_delta_log").glob("*.json"))
    return weir(table.parent, f"""SELECT count(*) AS n, sum(hash(id, name, city, updated) % 1000) AS h, round(sum(amount)) AS a
      FROM {table.name}; SELECT _change_type, count(*) AS n, sum(hash(id, name, city, updated) % 1000) AS h
      FROM table_changes('{table.name}', {version}) GROUP BY 1 ORDER BY 1""")


def run_case(root, name, engines):
    table, source, statement, operation = CASES[name]
    print(name)
    baseline, contents = None, {}
    for engine in engines:
        scratch = root / engine
        scratch.mkdir()
        # Without vectors for delta-rs, which cannot write to such a table.
        shutil.copytree(root / ("plain" if engine == "delta-rs" and table == "vectors" else table), scratch / "t")
        run = {"weir": run_weir, "delta-rs": run_delta_rs, "spark": run_spark}[engine]
        wall, cpu, memory = run(scratch / "t", root / f"{source}.parquet", statement, operation)
        if engine == "delta-rs":
            baseline = cpu
        ratio = f"{baseline / cpu:8.1f} x" if baseline and engine != "delta-rs" else ""
        print(f"  {engine:<10} {wall:8.2f} s {cpu:8.2f} s cpu {memory:8.0f} MB {ratio}", flush=True)
        contents[engine] = content(scratch / "t")
        shutil.rmtree(scratch)
    if len(set(contents.values())) > 1:
        sys.exit(f"{name}: the results differ: {contents}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--source", type=int, default=1_000_000)
    parser.add_argument("--delta-rs-child", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--spark-child", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    options = parser.parse_args()
    if options.delta_rs_child:
        return delta_rs_child(*options.delta_rs_child)
    if options.spark_child:
        return spark_child(*options.spark_child)
    cases = options.cases or list(CASES)
    engines = ["delta-rs", "weir"] + (["spark"] if options.spark else [])
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        prepare(root, options.rows, options.source, {CASES[name][0] for name in cases})
        for name in cases:
            run_case(root, name, engines)
    return None


if __name__ == "__main__":
    main()
