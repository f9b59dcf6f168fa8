#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads snapshots with Weir, delta-rs and Spark in turn, on the same machine in the same run, and prints the ratios.

    bench/snapshot_load.py [--program FILE] [--files N] [--rounds R] [--no-spark] [TABLE ...]

Without tables it makes two in a scratch folder: N files in commits, and a third as many in a checkpoint with statistics
of 100 columns. Each reader opens the table and lists its files; the best of R rounds counts, so that Java is warm.
"""
import argparse
import glob
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = 100


def schema_string():
    fields = [{"name": "p", "type": "string", "nullable": True, "metadata": {}}]
    fields += [{"name": f"col_{i}", "type": "long", "nullable": True, "metadata": {}} for i in range(COLUMNS)]
    return json.dumps({"type": "struct", "fields": fields})


def first_actions():
    metadata = {"id": "bench", "format": {"provider": "parquet", "options": {}}, "schemaString": schema_string(),
                "partitionColumns": ["p"], "configuration": {}, "createdTime": 0}
    return {"minReaderVersion": 1, "minWriterVersion": 2}, metadata


def add(i):
    return {"path": f"p={i % 100}/part-{i:05d}-c000.snappy.parquet", "partitionValues": {"p": str(i % 100)},
            "size": 1 << 20, "modificationTime": 1_700_000_000_000 + i, "dataChange": True}


def make_commits(table, files):
    log = table / "_delta_log"
    log.mkdir(parents=True)
    protocol, metadata = first_actions()
    (log / f"{0:020d}.json").write_text(
        json.dumps({"protocol": protocol}) + "\n" + json.dumps({"metaData": metadata}) + "\n")
    for version in range(1, 4):
        rows = range(files * (version - 1) // 3, files * version // 3)
        (log / f"{version:020d}.json").write_text("".join(json.dumps({"add": add(i)}) + "\n" for i in rows))


def stats(i):
    bounds = {f"col_{c}": i + c for c in range(COLUMNS)}
    return json.dumps({"numRecords": 1000, "minValues": bounds, "maxValues": bounds,
                       "nullCount": {f"col_{c}": 0 for c in range(COLUMNS)}}, separators=(",", ":"))


def make_checkpoint(table, files):
    log = table / "_delta_log"
    log.mkdir(parents=True)
    protocol, metadata = first_actions()
    (log / f"{0:020d}.json").write_text(
        json.dumps({"protocol": protocol}) + "\n" + json.dumps({"metaData": metadata}) + "\n")
    text_map = pa.map_(pa.string(), pa.string())
    schema = pa.schema([
        ("protocol", pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])),
        ("metaData", pa.struct([("id", pa.string()), ("name", pa.string()), ("description", pa.string()),
                                ("format", pa.struct([("provider", pa.string()), ("options", text_map)])),
                                ("schemaString", pa.string()), ("partitionColumns", pa.list_(pa.string())),
                                ("configuration", text_map), ("createdTime", pa.int64())])),
        ("txn", pa.struct([("appId", pa.string()), ("version", pa.int64())])),
        ("remove", pa.struct([("path", pa.string()), ("deletionTimestamp", pa.int64()), ("dataChange", pa.bool_())])),
        ("add", pa.struct([("path", pa.string()), ("partitionValues", text_map), ("size", pa.int64()),
                           ("modificationTime", pa.int64()), ("dataChange", pa.bool_()), ("stats", pa.string()),
                           ("tags", text_map)]))])
    metadata = dict(metadata, format={"provider": "parquet", "options": []}, configuration=[])
    with pq.ParquetWriter(log / f"{0:020d}.checkpoint.parquet", schema) as writer:
        writer.write_table(pa.Table.from_pylist([{"protocol": protocol}, {"metaData": metadata}], schema=schema))
        for start in range(0, files, 20_000):
            rows = []
            for i in range(start, min(files, start + 20_000)):
                action = add(i)
                action.update(partitionValues=list(action["partitionValues"].items()), dataChange=False, stats=stats(i))
                rows.append({"add": action})
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    (log / "_last_checkpoint").write_text(json.dumps({"version": 0, "size": files + 2}))


def time_delta_rs(table, rounds):
    best, count = None, 0
    for _ in range(rounds):
        start = time.perf_counter()
        count = len(deltalake.DeltaTable(str(table)).file_uris())
        elapsed = (time.perf_counter() - start) * 1000
        best = elapsed if best is None else min(best, elapsed)
    return best, count


def time_weir(program, table, rounds):
    output = subprocess.run([program, str(table), str(rounds)], check=True, capture_output=True, text=True).stdout
    results = [json.loads(line) for line in output.splitlines()]
    best = min(results, key=lambda r: r["load_ms"] + r["list_ms"])
    return best["load_ms"] + best["list_ms"], best["files"], best


def start_spark(scratch):
    """A session with Delta on the cores of this machine."""
    from pyspark.sql import SparkSession

    jars = glob.glob(str(Path(os.environ.get("WEIR_DEPS", "build/deps")) / "jars" / "*.jar"))
    settings = {
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master("local[*]").appName("snapshot_load")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def time_spark(session, table, rounds):
    best, count = None, 0
    delta_log = session._jvm.org.apache.spark.sql.delta.DeltaLog
    for _ in range(rounds):
        delta_log.clearCache()
        start = time.perf_counter()
        snapshot = delta_log.forTable(session._jsparkSession, str(table)).unsafeVolatileSnapshot()
        count = len(snapshot.allFiles().collect())
        elapsed = (time.perf_counter() - start) * 1000
        best = elapsed if best is None else min(best, elapsed)
    return best, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=Path(os.environ.get("WEIR_BIN", "build/release")) / "snapshot_load")
    parser.add_argument("--files", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-spark", action="store_true")
    parser.add_argument("tables", nargs="*", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tables = options.tables
        if not tables:
            tables = [Path(scratch) / "commits", Path(scratch) / "checkpoint"]
            make_commits(tables[0], options.files)
            make_checkpoint(tables[1], options.files // 3)
        session = None if options.no_spark else start_spark(scratch)
        print(f"{'table':36} {'files':>8} {'weir ms':>9} {'delta-rs ms':>12} {'Spark ms':>9} "
              f"{'delta-rs/weir':>14} {'Spark/weir':>11} {'statistics of one column, ms':>29}")
        for table in tables:
            weir_ms, files, detail = time_weir(options.program, table, options.rounds)
            rs_ms, rs_files = time_delta_rs(table, options.rounds)
            spark_ms, spark_files = time_spark(session, table, options.rounds) if session else (float("nan"), files)
            if not files == rs_files == spark_files:
                raise SystemExit(f"{table}: {files} files by weir, {rs_files} by delta-rs, {spark_files} by Spark")
            print(f"{table.name:36} {files:8} {weir_ms:9.0f} {rs_ms:12.0f} {spark_ms:9.0f} "
                  f"{rs_ms / weir_ms:14.1f} {spark_ms / weir_ms:11.1f} {detail['one_column_statistics_ms']:29.0f}")
        if session:
            session.stop()


if __name__ == "__main__":
    main()
