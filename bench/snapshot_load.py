#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads snapshots with Weir and with delta-rs in turn, on the same machine in the same run, and prints the ratios.

    bench/snapshot_load.py [--program build/release/snapshot_load] [--files N] [--rounds R] [TABLE ...]

Without tables it makes two in a scratch folder: N files in commits, and the same in a checkpoint with statistics
of 100 columns. Each reader opens the table and lists its files; the best of R rounds counts.
"""
import argparse
import json
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/release/snapshot_load")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("tables", nargs="*", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tables = options.tables
        if not tables:
            tables = [Path(scratch) / "commits", Path(scratch) / "checkpoint"]
            make_commits(tables[0], options.files)
            make_checkpoint(tables[1], options.files)
        print(f"{'table':40} {'files':>8} {'weir ms':>10} {'delta-rs ms':>12} {'ratio':>7} {'one column of statistics ms':>28}")
        for table in tables:
            weir_ms, weir_files, detail = time_weir(options.program, table, options.rounds)
            rs_ms, rs_files = time_delta_rs(table, options.rounds)
            if weir_files != rs_files:
                raise SystemExit(f"{table}: {weir_files} files here, {rs_files} there")
            print(f"{table.name:40} {weir_files:8} {weir_ms:10.1f} {rs_ms:12.1f} {rs_ms / weir_ms:7.1f} "
                  f"{detail['one_column_statistics_ms']:28.1f}")


if __name__ == "__main__":
    main()
