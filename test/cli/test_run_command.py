# SPDX-License-Identifier: Apache-2.0
"""`weir init` and `weir run` as processes, on projects in a folder of their own."""
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WEIR = str(Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")).resolve() / "weir")
ROOT = Path(__file__).resolve().parents[2]

SPEC = "name: shop\nstorage: state\nlibraries:\n  - glob:\n      include: transformations/**\n"
CUSTOMERS = """
CREATE TEMPORARY VIEW customer_events AS
SELECT * FROM STREAM read_files('events', schema => 'id INT, name STRING, version BIGINT, op STRING');
CREATE STREAMING TABLE customers TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
CREATE FLOW customers_cdc AS AUTO CDC INTO customers FROM STREAM(customer_events)
KEYS (id) APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version COLUMNS * EXCEPT (op);
"""


class Project:
    def __init__(self, folder, **definitions):
        self.folder = folder
        (folder / "transformations").mkdir(parents=True)
        (folder / "events").mkdir()
        (folder / "spark-pipeline.yml").write_text(SPEC)
        for name, text in definitions.items():
            self.define(name + ".sql", text)

    def define(self, name, text):
        (self.folder / "transformations" / name).write_text(text)

    def arrive(self, name, *events):
        lines = [json.dumps(event) for event in events]
        (self.folder / "events" / name).write_text("".join(line + "\n" for line in lines))

    def run(self, *arguments):
        return subprocess.run([WEIR, "run", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              check=False)

    def must_run(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done

    def fails(self, name, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 1, done.stderr
        assert f"[{name}]" in done.stderr, done.stderr
        return done.stderr

    def must_sql(self, text):
        done = subprocess.run([WEIR, "sql", "-w", "warehouse", "--format", "json", "-c", text], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sql(self, text):
        return json.loads(self.must_sql(text))

    def customers(self):
        return [(row["id"], row["name"], row["version"])
                for row in self.sql("SELECT id, name, version FROM customers ORDER BY id")]

    def versions(self, table="customers"):
        return len(list((self.folder / "warehouse" / table / "_delta_log").glob("*.json")))

    def events(self):
        lines = []
        for file in sorted((self.folder / "state" / "events").iterdir()):
            lines += [json.loads(line) for line in file.read_text().splitlines()]
        return lines


def event(key, name, version, op="UPSERT"):
    return {"id": key, "name": name, "version": version, "op": op}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "shop", customers=CUSTOMERS)


def test_the_guides_example_in_three_formats(project):
    project.arrive("1.json", event(1, "alice", 1), event(2, "bob", 1))
    summary = project.must_run().stderr
    assert "customers_cdc" in summary and "completed" in summary
    assert project.customers() == [(1, "alice", 1), (2, "bob", 1)]
    (project.folder / "events" / "2.csv").write_text(
        "id,name,version,op\n1,alice,1,UPSERT\n1,alicia,2,UPSERT\n2,bob,2,DELETE\n3,carol,1,UPSERT\n")
    project.must_run()
    assert project.customers() == [(1, "alicia", 2), (3, "carol", 1)]
    project.must_sql("COPY (SELECT 1::INT AS id, 'alice' AS name, 1::BIGINT AS version, 'UPSERT' AS op) "
                     "TO 'events/3.parquet'")
    versions = project.versions()
    project.must_run()
    project.must_run()
    assert project.customers() == [(1, "alicia", 2), (3, "carol", 1)]
    assert project.versions() == versions, "late events and empty runs commit nothing"
    project.must_run("--full-refresh", "customers")
    assert project.customers() == [(1, "alicia", 2), (3, "carol", 1)]


def test_an_initial_project_runs(tmp_path):
    done = subprocess.run([WEIR, "init", "shop"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    project = Project.__new__(Project)
    project.folder = tmp_path / "shop"
    project.must_run()
    assert project.customers() == [(1, "alicia", 2), (2, "bob", 1), (3, "carol", 1)]
    assert project.sql("FROM customers_per_city ORDER BY city") == [
        {"city": "Lima", "customers": 2}, {"city": "Oslo", "customers": 1}]


def test_a_python_project_runs_and_equals_the_sql_one(tmp_path):
    done = subprocess.run([WEIR, "init", "shop", "--language", "python"], cwd=tmp_path, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    project = Project.__new__(Project)
    project.folder = tmp_path / "shop"
    project.must_run()
    assert project.customers() == [(1, "alicia", 2), (2, "bob", 1), (3, "carol", 1)]


def test_definitions_written_for_pyspark_run(tmp_path):
    project = Project(tmp_path / "shop")
    project.define("customers_cdc.py", f"""
from pyspark import pipelines as dp
from pyspark.sql import DataFrame
from pyspark.sql.types import (
    IntegerType, LongType, StringType, StructField, StructType)

SCHEMA = StructType([
    StructField("id", IntegerType()),
    StructField("name", StringType()),
    StructField("version", LongType()),
    StructField("op", StringType()),
])

@dp.temporary_view
def cdc_events() -> DataFrame:
    return spark.readStream.schema(SCHEMA).json("file://{project.folder}/events")

dp.create_streaming_table("customers")

dp.create_auto_cdc_flow(
    target="customers",
    source="cdc_events",
    keys=["id"],
    sequence_by="version",
    apply_as_deletes="op = 'DELETE'",
    except_column_list=["op"],
    stored_as_scd_type=1,
)
""")
    project.arrive("1.json", event(1, "alice", 1), event(2, "bob", 1))
    project.must_run()
    project.arrive("2.json", event(1, "alicia", 2), event(2, None, 2, "DELETE"))
    project.must_run()
    assert project.customers() == [(1, "alicia", 2)]


DLT = """
import dlt
from pyspark.sql.functions import *
from pyspark.sql.window import Window

FOLDER = spark.conf.get("shop.folder")

@dlt.expect_or_drop("named", "name IS NOT NULL")
@dlt.table(temporary=True, comment="raw", cluster_by_auto=True)
def raw():
    return (spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
            .schema("id INT, name STRING, version BIGINT, op STRING").load(FOLDER))

dlt.create_streaming_live_table("customers")
dlt.apply_changes(target="LIVE.customers", source="LIVE.raw", keys=["id"], sequence_by=col("version"),
                  apply_as_deletes=expr("op = 'DELETE'"), except_column_list=["op"])

@dlt.table
def newest():
    order = Window.partitionBy("id").orderBy(desc("version"))
    return dlt.read("raw").withColumn("place", row_number().over(order)).where(col("place") == 1).select("id", upper("name").alias("name"))

@dlt.table
def feed():
    return spark.readStream.option("readChangeFeed", "true").table("LIVE.customers").select("id", "_change_type")
"""
LIVE_SQL = """
SET shop.in = events;
CREATE OR REFRESH STREAMING LIVE TABLE raw (CONSTRAINT named EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW)
AS SELECT id, name, version, op FROM cloud_files('${shop.in}', 'json', map('schema', 'id INT, name STRING, version BIGINT, op STRING'));
CREATE OR REFRESH STREAMING LIVE TABLE customers;
APPLY CHANGES INTO LIVE.customers FROM STREAM(LIVE.raw) KEYS (id) APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version
COLUMNS * EXCEPT (op);
CREATE VIEW ranked AS SELECT *, row_number() OVER (PARTITION BY id ORDER BY version DESC) AS place FROM LIVE.raw;
CREATE LIVE TABLE newest AS SELECT id, upper(name) AS name FROM LIVE.ranked WHERE place = 1;
CREATE STREAMING LIVE TABLE feed AS SELECT id, _change_type FROM STREAM(LIVE.customers WITH (readChangeFeed => true));
"""


@pytest.mark.parametrize("name, text", [("shop.py", DLT), ("shop.sql", LIVE_SQL)])
def test_what_databricks_wrote_before_runs(tmp_path, name, text):
    project = Project(tmp_path)
    (tmp_path / "spark-pipeline.yml").write_text(SPEC + "configuration:\n  shop.folder: events\n")
    project.define(name, text)
    project.arrive("1.json", {"id": 1, "name": "a", "version": 1}, {"id": 2, "name": "b", "version": 1},
                   {"id": 3, "name": None, "version": 1})
    project.must_run()
    project.arrive("2.json", {"id": 2, "name": "b", "version": 2, "op": "DELETE"}, {"id": 1, "name": "c", "version": 3})
    project.must_run()
    assert project.customers() == [(1, "c", 3)]
    assert project.sql("SELECT * FROM newest ORDER BY id") == [{"id": 1, "name": "C"}, {"id": 2, "name": "B"}]
    assert project.sql("SELECT _change_type AS kind, count(*) AS n FROM feed GROUP BY 1 ORDER BY 1") == [
        {"kind": "delete", "n": 1}, {"kind": "insert", "n": 2}, {"kind": "update_postimage", "n": 1},
        {"kind": "update_preimage", "n": 1}]


def test_python_errors_name_file_and_line(tmp_path):
    project = Project(tmp_path / "shop")
    project.define("bad.py", "from weir import pipelines as dp\n\ndp.create_auto_cdc_flow(target='t', source='s', keys=[],"
                             " sequence_by='v')\n")
    assert "bad.py:3" in project.fails("AUTOCDC_EMPTY_KEYS")
    project.define("bad.py", "x = 1\nraise ValueError('no')\n")
    assert "bad.py:2" in project.fails("WEIR_PYTHON_DEFINITION_FAILED")


FLOW = "dp.create_auto_cdc_flow(target='t', source={source}, keys=['id'], sequence_by={sequence}{more})"
WRONG_DEFINITIONS = {
    "AUTOCDC_MISSING_SOURCE": FLOW.format(source="''", sequence="'v'", more=""),
    "AUTOCDC_MISSING_SEQUENCE_BY": FLOW.format(source="'s'", sequence="''", more=""),
    "AUTOCDC_BOTH_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST": FLOW.format(
        source="'s'", sequence="'v'", more=", column_list=['id'], except_column_list=['op']"),
    "AUTOCDC_BOTH_TRACK_HISTORY_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST": FLOW.format(
        source="'s'", sequence="'v'", more=", stored_as_scd_type=2, track_history_column_list=['a'],"
                                           " track_history_except_column_list=['b']"),
    "NOT_EXPECTED_TYPE": FLOW.format(source="'s'", sequence="'v'", more=", stored_as_scd_type=3"),
    "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION":
        "@dp.materialized_view\ndef v():\n    return spark.read.table('t').limit(spark.table('t').count())",
    "UNSUPPORTED_FEATURE": "dp.create_sink('s', 'kafka', {})",
    "SQL_CONF_NOT_FOUND": "spark.conf.get('nope')",
    "SESSION_MUTATION_IN_DECLARATIVE_PIPELINE.SET_RUNTIME_CONF": "spark.conf.set('a', 'b')",
    "WEIR_STREAM_OPTION_NOT_SUPPORTED":
        "@dp.table\ndef v():\n    return spark.readStream.option('skipChangeCommits', 'true').table('t')",
    "WEIR_PYTHON_FUNCTION_UNKNOWN": "@dp.table\ndef v():\n    return spark.readStream.table('t').withWatermark('a', '1 hour')",
    "AUTOCDC_MULTIPART_COLUMN_IDENTIFIER": FLOW.format(source="'s'", sequence="'v'", more="").replace(
        "['id']", "[spark_col('s.id')]"),
}


@pytest.mark.parametrize("name", WRONG_DEFINITIONS)
def test_wrong_python_definitions_are_refused(tmp_path, name):
    project = Project(tmp_path / "shop")
    project.define("bad.py", "from pyspark import pipelines as dp\nfrom pyspark.sql.functions import col as spark_col\n"
                   + WRONG_DEFINITIONS[name] + "\n")
    assert "bad.py:" in project.fails(name, "--dry-run")


def test_wrong_sql_definitions_are_refused(tmp_path):
    source = "STREAM read_files('events', schema => 'id INT, name STRING, version INT')"
    wrong = {
        "INVALID_FLOW_QUERY_TYPE.AUTOCDC_RELATION_FOR_TEMPORARY_VIEW": f"""CREATE TEMPORARY VIEW t AS SELECT 1 AS a;
            CREATE STREAMING TABLE u AS SELECT * FROM {source};
            CREATE FLOW f AS AUTO CDC INTO t FROM {source} KEYS (id) SEQUENCE BY version;""",
        "USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE": f"""CREATE STREAMING TABLE t (id INT, city STRING);
            CREATE FLOW f AS AUTO CDC INTO t FROM {source} KEYS (id) SEQUENCE BY version;""",
        "INVALID_FLOW_QUERY_TYPE.STREAMING_RELATION_FOR_MATERIALIZED_VIEW":
            f"CREATE MATERIALIZED VIEW v AS SELECT * FROM {source};",
    }
    for number, (name, text) in enumerate(wrong.items()):
        project = Project(tmp_path / f"shop{number}", pipeline=text)
        assert "transformations/pipeline.sql:" in project.fails(name, "--dry-run")


def test_definitions_outside_of_a_pipeline_are_refused():
    done = subprocess.run([sys.executable, "-c", "from weir import pipelines as dp; dp.create_streaming_table('t')"],
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "belongs into a definition file of a pipeline" in done.stderr


def test_a_dry_run_finds_errors_and_writes_nothing(project):
    project.arrive("1.json", event(1, "alice", 1))
    project.must_run("--dry-run")
    assert not (project.folder / "state").exists()
    assert not (project.folder / "warehouse").exists()
    project.define("customers.sql", CUSTOMERS.replace("KEYS (id)", "KEYS (nope)"))
    assert "transformations/customers.sql" in project.fails("AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA", "--dry-run")


def test_a_dry_run_predicts_drift(project):
    project.arrive("1.json", event(1, "alice", 1))
    project.must_run()
    project.define("customers.sql", CUSTOMERS.replace("KEYS (id)", "KEYS (id, name)"))
    project.fails("AUTOCDC_INVALID_STATE.KEY_SCHEMA_DRIFT", "--dry-run")
    project.fails("AUTOCDC_INVALID_STATE.KEY_SCHEMA_DRIFT")
    project.must_run("--full-refresh", "customers")
    assert project.customers() == [(1, "alice", 1)]


def test_wrong_names_and_options(project):
    project.arrive("1.json", event(1, "alice", 1))
    assert "customers" in project.fails("WEIR_PIPELINE_TABLE_UNKNOWN", "--refresh", "nope")
    project.fails("WEIR_PIPELINE_TABLE_UNKNOWN", "--full-refresh", "customers,nope")
    project.fails("CONFLICTING_PIPELINE_REFRESH_OPTIONS", "--full-refresh-all", "--refresh", "customers")
    project.fails("PIPELINE_SPEC_FILE_DOES_NOT_EXIST", "--spec", "none.yml")
    assert project.run("--nope").returncode == 2


def test_a_second_run_at_once_is_refused(project):
    project.arrive("1.json", event(1, "alice", 1))
    project.must_run()
    with open(project.folder / "state" / "run.lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        project.fails("WEIR_PIPELINE_ALREADY_RUNNING")
    project.must_run()


def test_bad_files_stop_a_batch_and_mended_ones_go_on(project):
    project.arrive("1.json", event(1, "alice", 1))
    project.must_run()
    broken = project.folder / "events" / "2.json"
    broken.write_text('{"id": 2, "name": "bob", "version": 1, "op": "UPS')
    done = project.run()
    assert done.returncode == 1 and "2.json" in done.stderr
    assert project.customers() == [(1, "alice", 1)]
    project.arrive("2.json", event(2, "bob", 1))
    project.must_run()
    assert project.customers() == [(1, "alice", 1), (2, "bob", 1)]
    broken = project.folder / "events" / "3.json"
    broken.write_text("{")
    project.run()
    broken.unlink()
    project.must_run()


def test_null_sequences_refuse_the_whole_batch(project):
    project.arrive("1.json", event(1, "alice", 1), event(2, "bob", None))
    assert "1 of 2 events" in project.fails("AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE")
    project.arrive("1.json", event(1, "alice", 1), event(None, "bob", 1))
    project.fails("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY")


def test_a_folder_that_vanishes(project):
    project.arrive("1.json", event(1, "alice", 1))
    project.must_run()
    os.rename(project.folder / "events", project.folder / "elsewhere")
    project.fails("PATH_NOT_FOUND")
    os.rename(project.folder / "elsewhere", project.folder / "events")
    project.must_run()


def test_bronze_silver_gold(tmp_path):
    project = Project(tmp_path / "shop", pipeline="""
        CREATE MATERIALIZED VIEW gold AS SELECT count(*) AS n, max(version) AS top FROM silver;
        CREATE STREAMING TABLE silver FLOW AUTO CDC FROM STREAM(bronze) KEYS (id) SEQUENCE BY version;
        CREATE STREAMING TABLE bronze AS SELECT id, name, version FROM STREAM read_files('events');""")
    project.arrive("1.json", event(1, "a", 1), event(2, "b", 1))
    project.must_run()
    assert project.sql("FROM gold") == [{"n": 2, "top": 1}]
    project.arrive("2.json", event(1, "c", 5))
    summary = project.must_run("--refresh", "gold").stderr
    assert summary.count("excluded") == 2
    assert project.sql("FROM gold") == [{"n": 2, "top": 1}]
    project.must_run()
    assert project.sql("FROM gold") == [{"n": 2, "top": 5}]
    assert project.sql("SELECT count(*) AS n FROM bronze") == [{"n": 3}]
    silver = project.versions("silver")
    project.must_run()
    assert project.versions("silver") == silver


def test_a_stream_of_appends_refuses_changes_and_a_feed_reads_them(tmp_path):
    flow = """
        CREATE STREAMING TABLE customers FLOW AUTO CDC FROM STREAM read_files('events') KEYS (id)
        APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version COLUMNS * EXCEPT (op);
        CREATE STREAMING TABLE copy FLOW AUTO CDC FROM {source} KEYS (id) {clauses} COLUMNS (id, name);"""
    project = Project(tmp_path / "shop", pipeline=flow.format(source="STREAM(customers)",
                                                              clauses="SEQUENCE BY version"))
    project.arrive("1.json", event(1, "a", 1), event(2, "b", 1))
    project.must_run()
    project.arrive("2.json", event(1, "c", 2), event(2, None, 2, "DELETE"))
    project.fails("DELTA_SOURCE_TABLE_IGNORE_CHANGES")
    project.define("pipeline.sql", flow.format(
        source="STREAM(changes)", clauses="SEQUENCE BY _commit_version APPLY AS DELETE WHEN _change_type = 'delete'") + """
        CREATE TEMPORARY VIEW changes AS SELECT * FROM STREAM(customers WITH (readChangeFeed => true))
        WHERE _change_type <> 'update_preimage';""")
    project.must_run("--full-refresh", "copy")
    project.arrive("3.json", event(1, "d", 3), event(3, "e", 1))
    project.must_run()
    project.arrive("4.json", event(3, None, 2, "DELETE"))
    project.must_run()
    assert project.sql("SELECT id, name FROM copy ORDER BY id") == [{"id": 1, "name": "d"}]


def test_deletes_are_forgotten_when_the_table_says_so(tmp_path):
    flow = """
        CREATE STREAMING TABLE t TBLPROPERTIES ('pipelines.cdc.tombstoneGCThresholdInSeconds' = '{seconds}');
        CREATE FLOW f AS AUTO CDC INTO t FROM STREAM read_files('events') KEYS (id) APPLY AS DELETE WHEN op = 'DELETE'
        SEQUENCE BY version COLUMNS * EXCEPT (op) STORED AS SCD TYPE {kind};"""
    for kind in (1, 2):
        project = Project(tmp_path / f"shop{kind}", pipeline=flow.format(seconds=3600, kind=kind))
        aside = lambda: project.sql("SELECT count(*) AS n FROM __spark_autocdc_aux_state_t")[0]["n"]
        project.arrive("1.json", event(1, "a", 5, "DELETE"), event(2, "b", 1))
        project.must_run()
        assert aside() == 1
        project.define("pipeline.sql", flow.format(seconds=0, kind=kind))
        project.must_run()
        assert aside() == 1, "a run without events changes nothing"
        project.arrive("2.json", event(3, "c", 1))
        project.must_run()
        assert aside() == 0
        project.arrive("3.json", event(1, "late", 3))
        project.must_run()
        assert project.sql("SELECT count(*) AS n FROM t WHERE id = 1") == [{"n": 1}]
        project.define("pipeline.sql", flow.format(seconds="two days", kind=kind))
        project.fails("WEIR_PROPERTY_VALUE_INVALID", "--dry-run")


def test_unreadable_lines_may_be_kept_aside(tmp_path):
    flow = """CREATE STREAMING TABLE people FLOW AUTO CDC FROM STREAM read_files('events', {options}) KEYS (id)
        SEQUENCE BY version COLUMNS (id, name, tags);"""
    schema = "schema => 'id INT, name STRING, version BIGINT, tags ARRAY<STRING>'"
    project = Project(tmp_path / "shop", pipeline=flow.format(options=schema))
    lines = ['{"id": 1, "name": "a, \\"b\\"", "version": 1, "tags": ["x"]}', '{"id": 2, "name": "cut o', "", "[1]",
             '{"id": "three", "version": 1}', '{"id": 4, "version": 1, "other": 1}']
    (project.folder / "events" / "1.json").write_text("\n".join(lines) + "\n")
    assert project.run().returncode == 1
    project.define("pipeline.sql", flow.format(options=schema + ", badRecordsPath => '_unreadable'"))
    assert "3 records could not be read" in project.must_run().stderr
    assert project.sql("SELECT id, name, tags FROM people ORDER BY id") == [
        {"id": 1, "name": 'a, "b"', "tags": ["x"]}, {"id": 4, "name": None, "tags": None}]
    kept = [json.loads(line) for file in (project.folder / "_unreadable").iterdir() for line in file.read_text().splitlines()]
    assert [entry["record"] for entry in kept] == [lines[1], lines[3], lines[4]]
    assert all(entry["path"].endswith("events/1.json") for entry in kept)
    batch = [line for line in project.events() if line["event"] == "batch"]
    assert batch[-1]["details"]["num_unreadable_records"] == 3


def test_independent_flows_run_at_once_and_show_it(tmp_path):
    tables = "".join(f"""
        CREATE STREAMING TABLE t{i} FLOW AUTO CDC FROM STREAM read_files('events', maxFilesPerTrigger => 1) KEYS (id)
        SEQUENCE BY version COLUMNS * EXCEPT (op);
        CREATE MATERIALIZED VIEW n{i} AS SELECT count(*) AS n FROM lake.main.t{i};""" for i in range(6))
    project = Project(tmp_path / "shop", pipeline=tables)
    for number in range(3):
        project.arrive(f"{number}.json", *[event(key, f"n{number}", number) for key in range(10 * number, 10 * number + 20)])
    leader, follower = os.openpty()
    process = subprocess.Popen([WEIR, "run", "--parallel", "3"], cwd=project.folder, stderr=follower)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    assert process.wait() == 0, shown.decode()
    running = most = 0
    for line in project.events():
        if line["event"] == "flow_progress":
            running += {"RUNNING": 1, "COMPLETED": -1}[line["details"]["state"]]
            most = max(most, running)
    assert most == 3
    assert b"\x1b[" in shown and b"files wait" in shown and b"more to run" in shown
    assert project.sql("SELECT (SELECT n FROM n0) AS a, (SELECT n FROM n5) AS b") == [{"a": 40, "b": 40}]


def test_a_failed_flow_stops_only_what_reads_it(tmp_path):
    project = Project(tmp_path / "shop", pipeline="""
        CREATE STREAMING TABLE bad FLOW AUTO CDC FROM STREAM read_files('events') KEYS (id) SEQUENCE BY version;
        CREATE MATERIALIZED VIEW over_bad AS SELECT count(*) AS n FROM bad;
        CREATE STREAMING TABLE good AS SELECT name FROM STREAM read_files('events');""")
    project.arrive("1.json", event(None, "a", 1), event(2, "b", 1))
    stderr = project.fails("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY")
    assert "SKIPPED" in stderr
    assert project.sql("SELECT count(*) AS n FROM good") == [{"n": 2}]
    states = {line["details"]["flow"]: line["details"]["state"] for line in project.events()
              if line["event"] == "flow_progress"}
    assert states == {"bad": "FAILED", "over_bad": "SKIPPED", "good": "COMPLETED"}


def test_new_columns_arrive(tmp_path):
    project = Project(tmp_path / "shop", pipeline="""
        CREATE STREAMING TABLE customers FLOW AUTO CDC FROM STREAM read_files('events') KEYS (id) SEQUENCE BY version;""")
    project.arrive("1.json", event(1, "a", 1))
    project.must_run()
    project.arrive("2.json", {"id": 2, "version": 1, "city": "Oslo"})
    project.must_run()
    assert project.sql("SELECT id, name, city FROM customers ORDER BY id") == [
        {"id": 1, "name": "a", "city": None}, {"id": 2, "name": None, "city": "Oslo"}]
    project.arrive("3.json", {"id": 3, "version": "text"})
    assert "version" in project.fails("WEIR_SOURCE_TYPE_CHANGED")


@pytest.mark.parametrize("kind", [1, 2])
def test_a_column_becomes_wider(tmp_path, kind):
    flow = """
        CREATE STREAMING TABLE t TBLPROPERTIES ('delta.enableTypeWidening' = '{widen}');
        CREATE FLOW f AS AUTO CDC INTO t FROM STREAM read_files('events', schema => 'id INT, version INT, n {type}')
        KEYS (id) SEQUENCE BY version COLUMNS (id, n) STORED AS SCD TYPE {kind};"""
    project = Project(tmp_path / "shop", pipeline=flow.format(widen="true", type="INT", kind=kind))
    project.arrive("1.json", {"id": 1, "version": 5, "n": 7})
    project.must_run()
    project.define("pipeline.sql", flow.format(widen="true", type="BIGINT", kind=kind))
    project.arrive("2.json", {"id": 1, "version": 9, "n": 7}, {"id": 2, "version": 1, "n": 5000000000})
    project.must_run("--dry-run")
    project.must_run()
    assert project.sql("SELECT id, n, typeof(n) AS k FROM t ORDER BY id") == [
        {"id": 1, "n": 7, "k": "BIGINT"}, {"id": 2, "n": 5000000000, "k": "BIGINT"}]
    project.define("pipeline.sql", flow.format(widen="true", type="STRING", kind=kind))
    project.fails("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", "--dry-run")


def test_several_flows_fill_one_table_and_once_runs_once(tmp_path):
    project = Project(tmp_path / "shop", pipeline="""
        CREATE STREAMING TABLE people;
        CREATE FLOW live AS INSERT INTO people SELECT name FROM STREAM read_files('events');
        CREATE FLOW old AS INSERT INTO ONCE people SELECT 'old' AS name;""")
    project.arrive("1.json", event(1, "a", 1))
    project.must_run()
    project.arrive("2.json", event(2, "b", 1))
    project.must_run()
    names = [row["name"] for row in project.sql("FROM people ORDER BY name")]
    assert names == ["a", "b", "old"]
    project.must_run("--full-refresh-all")
    names = [row["name"] for row in project.sql("FROM people ORDER BY name")]
    assert names == ["a", "b", "old"]


@pytest.mark.parametrize("kind", [1, 2])
def test_several_auto_cdc_flows_fill_one_table(tmp_path, kind):
    clauses = f"KEYS (id) APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version COLUMNS (id, name) STORED AS SCD TYPE {kind};"
    project = Project(tmp_path / "shop", pipeline=f"""
        CREATE STREAMING TABLE t;
        CREATE FLOW backfill AS AUTO CDC ONCE INTO t FROM read_files('old', format => 'json') {clauses}
        CREATE FLOW live AS AUTO CDC INTO t FROM STREAM read_files('events') {clauses}""")
    (project.folder / "old").mkdir()
    project.arrive("../old/1.json", event(1, "old", 1), event(2, "old", 5), event(3, "old", 1))
    project.arrive("1.json", event(1, "new", 2), event(2, "late", 2), event(3, None, 2, "DELETE"))
    project.must_run()
    project.arrive("../old/2.json", event(9, "never", 1))
    project.arrive("2.json", event(3, "late", 1), event(4, "d", 1))
    project.must_run()
    state = "SELECT id, name FROM t" + (" WHERE __END_AT IS NULL" if kind == 2 else "") + " ORDER BY id"
    assert project.sql(state) == [{"id": 1, "name": "new"}, {"id": 2, "name": "old"}, {"id": 4, "name": "d"}]
    if kind == 2:
        assert project.sql("SELECT name, __START_AT AS b, __END_AT AS e FROM t WHERE id = 2 ORDER BY b") == [
            {"name": "late", "b": 2, "e": 5}, {"name": "old", "b": 5, "e": None}]
    project.define("pipeline.sql", f"""CREATE STREAMING TABLE t;
        CREATE FLOW live AS AUTO CDC INTO t FROM STREAM read_files('events') {clauses}
        CREATE FLOW more AS INSERT INTO t SELECT * FROM STREAM read_files('events');""")
    project.fails("AUTOCDC_MULTIPLE_FLOWS_TO_TARGET", "--dry-run")


def test_expectations_drop_and_count(tmp_path):
    project = Project(tmp_path / "shop", pipeline="""
        CREATE STREAMING TABLE people (
          CONSTRAINT named EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW,
          CONSTRAINT new EXPECT (version > 1))
        AS SELECT * FROM STREAM read_files('events');""")
    project.arrive("1.json", event(1, "a", 1), event(2, None, 2), event(3, "c", 3))
    summary = project.must_run().stderr
    assert "named: 2 rows passed, 1 failed and were dropped" in summary
    assert "new: 2 rows passed, 1 failed" in summary
    assert project.sql("SELECT count(*) AS n FROM people") == [{"n": 2}]
    project.define("pipeline.sql", """CREATE STREAMING TABLE people (
        CONSTRAINT named EXPECT (name IS NOT NULL) ON VIOLATION FAIL UPDATE)
        AS SELECT * FROM STREAM read_files('events');""")
    project.arrive("2.json", event(4, None, 4))
    project.fails("EXPECTATION_VIOLATION")
    assert project.sql("SELECT count(*) AS n FROM people") == [{"n": 2}]


def test_snapshots_are_compared(tmp_path):
    project = Project(tmp_path / "shop", pipeline="""
        CREATE STREAMING TABLE people;
        CREATE FLOW f AS AUTO CDC INTO people FROM SNAPSHOT read_files('events', format => 'json') KEYS (id);
        CREATE STREAMING TABLE history;
        CREATE FLOW g AS AUTO CDC INTO history FROM SNAPSHOT read_files('events', format => 'json') KEYS (id)
        STORED AS SCD TYPE 2;""")
    people = lambda: [(row["id"], row["name"]) for row in project.sql("SELECT id, name FROM people ORDER BY id")]
    project.arrive("snapshot.json", {"id": 1, "name": "a"}, {"id": 2, "name": "b"})
    project.must_run()
    assert people() == [(1, "a"), (2, "b")]
    versions = project.versions("people"), project.versions("history")
    project.must_run()
    assert (project.versions("people"), project.versions("history")) == versions
    project.arrive("snapshot.json", {"id": 1, "name": "x"}, {"id": 3, "name": "c"})
    project.must_run()
    assert people() == [(1, "x"), (3, "c")]
    history = project.sql("SELECT id, name, __END_AT IS NULL AS open FROM history ORDER BY id, __START_AT")
    assert [(row["id"], row["name"], row["open"]) for row in history] == [
        (1, "a", False), (1, "x", True), (2, "b", False), (3, "c", True)]
    project.arrive("snapshot.json", {"id": 1, "name": "x"}, {"id": 2, "name": "b"}, {"id": 2, "name": "bb"})
    assert "id = 2" in project.fails("AUTOCDC_SNAPSHOT_DUPLICATE_KEY")


def remove_commit(project, table):
    """Takes a table's newest commit away, as if it had never been written."""
    log = project.folder / "warehouse" / table / "_delta_log"
    newest = sorted(log.glob("*.json"))[-1]
    newest.unlink()
    for crc in log.glob(newest.stem + ".crc"):
        crc.unlink()


def batch_commits(project):
    folder = project.folder / "state" / "_checkpoints" / "lake" / "main" / "customers" / "customers_cdc"
    return sorted(folder.glob("*/commits/*"), key=lambda file: int(file.name))


@pytest.mark.parametrize("lost", ["mark", "target", "both"])
def test_a_crash_between_two_writes_is_healed(project, lost):
    project.arrive("1.json", event(1, "a", 1), event(2, "b", 1))
    project.must_run()
    project.arrive("2.json", event(1, "c", 2), event(2, None, 2, "DELETE"), event(3, "d", 1))
    project.must_run()
    expected = project.customers()
    versions = project.versions()
    batch_commits(project)[-1].unlink()
    if lost in ("target", "both"):
        remove_commit(project, "customers")
    if lost == "both":
        remove_commit(project, "__spark_autocdc_aux_state_customers")
    project.must_run()
    assert project.customers() == expected
    assert project.versions() == versions, "no change is committed twice"
    assert len(batch_commits(project)) == 2


def test_kill_at_any_time(tmp_path):
    """Batches arrive while runs are killed; in the end the tables are those of one clean run."""
    random.seed(7)
    definitions = {"customers": CUSTOMERS, "history": """
        CREATE STREAMING TABLE history FLOW AUTO CDC FROM STREAM(customer_events) KEYS (id)
        APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version COLUMNS * EXCEPT (op) STORED AS SCD TYPE 2;"""}
    clean = Project(tmp_path / "clean", **definitions)
    killed = Project(tmp_path / "killed", **definitions)
    for number in range(6):
        events = [event(random.randint(1, 20), f"n{i}", random.randint(1, 50), random.choice(["UPSERT", "DELETE"]))
                  for i in range(30)]
        for project in (clean, killed):
            project.arrive(f"{number}.json", *events)
        for _ in range(3):
            process = subprocess.Popen([WEIR, "run"], cwd=killed.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.0, 0.5))
            process.send_signal(signal.SIGKILL)
            process.wait()
        if number % 2 == 1:
            killed.must_run()
        clean.must_run()
    killed.must_run()
    for table in ("customers", "history"):
        state = f"SELECT CAST(t AS VARCHAR) AS r FROM {table} t ORDER BY r"
        assert killed.sql(state) == clean.sql(state)
    feed = """SELECT sum(CASE _change_type WHEN 'insert' THEN 1 WHEN 'delete' THEN -1 ELSE 0 END) -
        (SELECT count(*) FROM customers) AS doubles FROM table_changes('customers', 0)"""
    assert killed.sql(feed) == [{"doubles": 0}]


def test_a_continuous_run_follows_and_ends_on_sigterm(project):
    process = subprocess.Popen([WEIR, "run", "--continuous", "--interval", "0.2"], cwd=project.folder,
                               stderr=subprocess.PIPE, text=True)
    project.arrive("1.json", event(1, "alice", 1))

    def wait_for(expected):
        for _ in range(200):
            if project.versions() > 1 and project.customers() == expected:
                return
            time.sleep(0.2)
        raise AssertionError(project.customers())

    wait_for([(1, "alice", 1)])
    project.arrive("2.json", event(1, "alicia", 2))
    wait_for([(1, "alicia", 2)])
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert stderr.count("completed") == 2, "idle runs say nothing"
    assert len(list((project.folder / "state" / "events").iterdir())) == 2


def test_events_are_a_delta_table(project):
    project.arrive("1.json", event(1, "alice", 1), event(2, "bob", 1))
    project.must_run()
    project.arrive("2.json", event(1, None, 2, "DELETE"), event(None, "x", 3))
    project.fails("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY")
    log = str(project.folder / "state" / "event_log")
    assert project.sql(f"SELECT flow, num_rows_in, num_upserted_rows FROM '{log}' WHERE event = 'batch'") == [
        {"flow": "customers_cdc", "num_rows_in": 2, "num_upserted_rows": 2}]
    assert project.sql(f"SELECT error_name FROM '{log}' WHERE state = 'FAILED' AND flow IS NOT NULL") == [
        {"error_name": "AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY"}]


@pytest.mark.parametrize("example", sorted(path.parent.name for path in ROOT.glob("examples/*/spark-pipeline.yml")))
def test_examples_run(tmp_path, example):
    folder = tmp_path / example
    subprocess.run(["cp", "-r", str(ROOT / "examples" / example), str(folder)], check=True)
    for _ in range(2):
        done = subprocess.run([WEIR, "run"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["text", "dot", "mermaid", "html"])
def test_the_graph_is_drawn(project, form):
    done = subprocess.run([WEIR, "graph", "--format", form], cwd=project.folder, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert "customer_events" in done.stdout and "customers" in done.stdout


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
