# SPDX-License-Identifier: Apache-2.0
"""`weir run --engine spark` on a real local Spark: one project run by Weir alone and another whose batches alternate between
the engines come to the same tables, hidden columns and side tables included.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys

import pytest

from peers import DEPS, WEIR, weir_sql

SPEC = "name: shop\nstorage: state\nlibraries:\n  - glob:\n      include: transformations/**\n"
PIPELINE = """
CREATE TEMPORARY VIEW events AS
SELECT id, region, struct(seq AS major, 0 AS minor) AS place, seq, op, name, note
FROM STREAM read_files('events', schema => 'id INT, region STRING, seq INT, op STRING, name STRING, note STRING');
CREATE STREAMING TABLE newest TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
CREATE FLOW to_newest AS AUTO CDC INTO newest FROM STREAM(events) KEYS (id, region)
APPLY AS DELETE WHEN op = 'D' SEQUENCE BY place COLUMNS * EXCEPT (op, place);
CREATE STREAMING TABLE versions FLOW AUTO CDC FROM STREAM(events) KEYS (region, id)
APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS (id, region, name, note) STORED AS SCD TYPE 2 TRACK HISTORY ON (name);
CREATE STREAMING TABLE raw (CONSTRAINT named EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW)
AS SELECT id, name, price, seen FROM STREAM read_files('raw');
CREATE STREAMING TABLE prices FLOW AUTO CDC FROM STREAM(main.raw) KEYS (id) SEQUENCE BY seen;
CREATE STREAMING TABLE orders FLOW AUTO CDC FROM STREAM(order_events) KEYS (id) APPLY AS DELETE WHEN __op = 'd'
SEQUENCE BY __ts_ms COLUMNS * EXCEPT (__op, __ts_ms);
CREATE TEMPORARY VIEW order_events AS SELECT * FROM STREAM read_files('orders', format => 'debezium');
CREATE MATERIALIZED VIEW per_region AS SELECT region, count(*) AS n, max(lake.main.newest.seq) AS top
FROM lake.main.newest GROUP BY region;
"""
TABLES = ["newest", "versions", "raw", "prices", "orders", "per_region", *(
    f"__spark_autocdc_aux_state_{name}" for name in ("newest", "versions", "prices", "orders"))]


class Project:
    def __init__(self, folder):
        self.folder = folder
        for name in ("transformations", "events", "raw", "orders"):
            (folder / name).mkdir(parents=True)
        (folder / "spark-pipeline.yml").write_text(SPEC)
        (folder / "transformations" / "all.sql").write_text(PIPELINE)

    def run(self, *arguments):
        return subprocess.run([str(WEIR), "run", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=900,
                              check=False, env={**os.environ, "WEIR_PYTHON": sys.executable})

    def spark(self, *arguments):
        settings = {"spark.jars": ",".join(glob.glob(str(DEPS / "jars" / "*.jar"))), "spark.sql.shuffle.partitions": "2",
                    "spark.databricks.delta.snapshotPartitions": "1", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                    "spark.driver.memory": "2g", "spark.driver.host": "127.0.0.1"}
        options = [word for key, value in settings.items() for word in ("--spark-conf", f"{key}={value}")]
        return self.run("--engine", "spark", "--master", "local[2]", *options, *arguments)

    def must(self, done):
        log = self.folder / "state" / "spark.log"
        assert done.returncode == 0, done.stderr + (log.read_text()[-4000:] if log.exists() else "")
        return done.stderr

    def rows(self, table):
        text = weir_sql(f'SELECT CAST(t AS VARCHAR) AS r FROM "{table}" t', self.folder / "warehouse")
        return sorted(row["r"] for row in text)


def arrive(projects, path, text, at):
    for project in projects:
        file = project.folder / path
        file.write_text(text)
        os.utime(file, (at, at))


def random_events(random_, number):
    """Histories of some keys with ties, late events and deletes before anything else."""
    lines = []
    for i in range(60):
        lines.append(json.dumps({
            "id": random_.randint(1, 12), "region": random_.choice(["eu", "us"]), "seq": random_.randint(1, 12),
            "op": random_.choice("UUUD"), "name": random_.choice([None, "a", "b"]), "note": f"{number}.{i}"}))
    return "\n".join(lines) + "\n"


def phase(random_, projects, number):
    at = 1_700_000_000 + number * 100
    for part in range(3):
        arrive(projects, f"events/{number}-{part}.json", random_events(random_, f"{number}-{part}"), at + part)
    if number == 1:
        return
    arrive(projects, f"raw/{number}.csv", "id,name,price,seen\n" + "".join(
        f"{random_.randint(1, 9)},{random_.choice(['x', 'y', ''])},{random_.randint(1, 99)}.5,{number * 100 + i}\n"
        for i in range(8)), at)
    envelope = lambda op, row, ms: json.dumps({"payload": {  # noqa: E731
        "before": row if op == "d" else None, "after": None if op == "d" else row, "op": op, "ts_ms": ms}})
    key = lambda i: random_.randint(1, 5) if number == 0 else [9, None][i % 2]  # noqa: E731
    arrive(projects, f"orders/{number}.json", "\n".join(
        envelope(random_.choice("cud"), {"id": key(i), "total": random_.randint(1, 99) + 0.25}, number * 50 + i)
        for i in range(9)) + "\n", at)


def lose_the_end_of_the_last_batch(project, table, flow, before):
    """As if the process had died between the side table and the table."""
    shutil.rmtree(project.folder / "warehouse" / table)
    shutil.copytree(before / table, project.folder / "warehouse" / table)
    folder = project.folder / "state" / "_checkpoints" / "lake" / "main" / table / flow / "0" / "commits"
    max(folder.iterdir(), key=lambda file: int(file.name)).unlink()


def test_batches_may_alternate_between_the_engines(tmp_path):
    random_ = random.Random(11)
    alone, mixed = Project(tmp_path / "alone"), Project(tmp_path / "mixed")

    def compare(number):
        for table in TABLES:
            assert mixed.rows(table) == alone.rows(table), f"{table} after phase {number}"

    phase(random_, (alone, mixed), 0)
    alone.must(alone.run())
    assert "completed" in mixed.must(mixed.spark())
    compare(0)
    shutil.copytree(mixed.folder / "warehouse", tmp_path / "before")
    phase(random_, (alone, mixed), 1)
    alone.must(alone.run())
    mixed.must(mixed.run())
    compare(1)
    lose_the_end_of_the_last_batch(mixed, "versions", "versions", tmp_path / "before")
    phase(random_, (alone, mixed), 2)
    for done in (alone.run(), mixed.spark()):
        assert done.returncode == 1 and done.stderr.count("[AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY]") == 1, done.stderr
    compare(2)


def test_a_run_with_nothing_to_do_needs_no_spark(tmp_path):
    project = Project(tmp_path / "shop")
    (project.folder / "transformations" / "all.sql").write_text(
        "CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM read_files('events', schema => 'id INT, seq INT') KEYS (id) "
        "SEQUENCE BY seq;")
    done = subprocess.run([str(WEIR), "run", "--engine", "spark"], cwd=project.folder, capture_output=True, text=True,
                          timeout=60, check=False, env={**os.environ, "WEIR_PYTHON": "/nowhere"})
    assert done.returncode == 0, done.stderr


def test_what_spark_does_not_do_is_refused_before_anything_runs(tmp_path):
    project = Project(tmp_path / "shop")
    (project.folder / "transformations" / "all.sql").write_text(
        "CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM read_files('events', schema => 'id INT, seq INT') KEYS (id) "
        "SEQUENCE BY seq IGNORE NULL UPDATES;")
    done = project.run("--engine", "spark", "--dry-run")
    assert done.returncode == 1 and "[WEIR_SPARK_FLOW_NOT_SUPPORTED]" in done.stderr
    assert project.run("--master", "local").returncode == 2


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
