# SPDX-License-Identifier: Apache-2.0
"""A lake feed as its readers see it: Spark, polars and DuckDB, by the read objects and by what the guide for readers says."""
import glob
import json
import os
import re
import subprocess
from pathlib import Path

import duckdb
import polars as pl
from peers import WEIR

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "lake-feed-readers.md"

# A value of every kind that a source may have.
TYPES = """1.50::DECIMAL(9,2) AS amount, DATE '2024-02-29' AS "day", TIMESTAMP '2024-01-01 10:00:00.123456' AS "at",
TIMESTAMPTZ '2024-01-01 10:00:00+02' AS moment, true AS yes, 'x'::BLOB AS raw, 1.5::DOUBLE AS d, 2.5::FLOAT AS f, [1, NULL] AS list,
{'a': 1, 'b c': 'x'} AS s, MAP {'k': 1} AS m, '00000000-0000-0000-0000-000000000001'::UUID AS u, 7::UTINYINT AS tiny,
TIME '10:00' AS hour, [UUID '00000000-0000-0000-0000-000000000002'] AS ids"""
PLAIN = """id, v, n, "Year", "odd `na]me"[1].x AS odd, amount, "day", "at", yes, raw, d, f, list, s.a AS a, u, tiny, hour, ids, "IsCurrent", "ETL_Date",
"ETL_EndDate", "KeyHash", "RowHash", "YresYear", "YresMonth" """


class Feed:
    def __init__(self, folder):
        self.folder = folder
        self.tables = {}

    def table(self, name, query, **more):
        self.tables[name] = {"Source": "Shop", "Schema": "dbo", "Table": name, "keys": ["id"], "DataPlatform": "DL",
                             "from": {"query": query}, **more}

    def weir(self, *arguments):
        settings = {"settings": {"LakeLocation": "lake-storage"}, "tables": list(self.tables.values())}
        (self.folder / "feed.yml").write_text(json.dumps(settings))
        done = subprocess.run([str(WEIR), "feed", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read_objects(self, query):
        with duckdb.connect(str(self.folder / "feed.duckdb"), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            return sorted(map(plain, connection.sql(query).fetchall()), key=repr)


def plain(row):
    """A row with one spelling of what Python's clients spell in two."""
    return tuple(bytes(value) if isinstance(value, bytearray) else value for value in row)


def example(reader):
    """A block of the guide."""
    return re.search(rf"```\w+ file={reader}\.txt\n(.*?)```", GUIDE.read_text(), re.S).group(1)


def test_spark_polars_and_duckdb_read_one_feed(tmp_path, spark):
    feed = Feed(tmp_path)
    for ids, n, extra, log in (("1, 6", "id * 2", '5 AS "Year"', "1 AS a UNION ALL SELECT 1"),
                               ("2, 7", "id * 2", '5 AS "Year"', "2 AS a"),
                               ("2, 6", "'n' || id", '5 AS "Year", [{\'x\': id}] AS "odd `na]me"', "3 AS a, 'b' AS b"),
                               ("1, 4", "'n' || id", '[{\'x\': id}] AS "odd `na]me"', "4 AS a, 'b' AS b")):
        feed.table("T", f"SELECT id, CASE id WHEN 2 THEN 'Zoë' || {n} ELSE 'v' || id END AS v, {n} AS n, {extra}, {TYPES} FROM range({ids}) r(id)")
        feed.table("Log", f"SELECT {log}", LoadType="ADDITIONAL", keys=[])
        feed.weir("load")
    spark.sql("CREATE SCHEMA IF NOT EXISTS DL")
    for statement in feed.weir("views", "--dialect", "spark").split(";\n"):
        if statement.strip():
            spark.sql(statement)
    query = f"SELECT {PLAIN} FROM DL.T"
    on_spark = query.replace('"odd `na]me"[1]', "`odd ``na]me`[0]").replace('"', "`")
    expected = feed.read_objects(query)
    assert len(expected) == 13
    assert sorted((plain(row) for row in spark.sql(on_spark).collect()), key=repr) == expected
    for query in ("SELECT a, b, IsCurrent, YresMonth FROM DL.Log", "SELECT YresAction, count(*) AS n, count(id) AS ids FROM DL.T_Feed GROUP BY 1"):
        assert sorted(map(tuple, spark.sql(query).collect()), key=repr) == feed.read_objects(query)

    files = glob.glob(f"{tmp_path}/lake-storage/lake/Shop/dbo/T/*/*/*-g[23]-*.parquet")
    by_polars = pl.concat([pl.read_parquet(file, hive_partitioning=False).drop("Year", strict=False) for file in files], how="diagonal")
    current = by_polars.sort("YresDateStart").group_by("KeyHash").last().filter(pl.col("YresAction") != "D")
    assert sorted(current.select("id", "v", "n", "amount", "day", "u").rows()) == sorted(
        feed.read_objects('SELECT id, v, n, amount, "day", u FROM DL.T WHERE IsCurrent = 1'))
    for name in ("T", "T_Feed", "T_Feed_g1", "T_Feed_g2", "T_Feed_g3", "Log", "Log_Feed", "Log_Feed_g1", "Log_Feed_g2"):
        spark.sql(f"DROP VIEW DL.{name}")


def test_the_guide_for_readers(tmp_path, spark):
    feed = Feed(tmp_path)
    state = lambda rows: feed.table("Customers", "SELECT * FROM (VALUES " + ", ".join(map(str, rows)) + ") c(id, name, city)")
    state([(1, "Ann", "Gent"), (2, "Bob", "Ede"), (3, "Cas", "Epe")])
    feed.weir("load", "--run-id", "r1")
    folder = f"{tmp_path}/lake-storage/lake/Shop/dbo/Customers"
    read = lambda query: sorted(tuple(row)[:3] for row in spark.sql(query.replace("lake-storage", f"{tmp_path}/lake-storage")).collect())
    spark.sql("CREATE TABLE customers (id INT, name STRING, city STRING, KeyHash BINARY, RowHash BINARY, YresDateStart TIMESTAMP_NTZ) "
              f"USING delta LOCATION '{tmp_path}/customers'")

    def fold(files):
        spark.read.parquet(*files).createOrReplaceTempView("changes")
        spark.sql(example("fold"))
        return read("SELECT id, name, city FROM customers")

    first = glob.glob(f"{folder}/*/*/*.parquet")
    assert fold(first) == [(1, "Ann", "Gent"), (2, "Bob", "Ede"), (3, "Cas", "Epe")]
    for run, rows in (("r2", [(1, "Ann", "Goes"), (3, "Cas", "Epe")]), ("r3", [(1, "Ann", "Goes"), (2, "Bob", "Oss"), (4, "Dirk", "Ede")])):
        state(rows)
        feed.weir("load", "--run-id", run)
    wanted = [(1, "Ann", "Goes"), (2, "Bob", "Oss"), (4, "Dirk", "Ede")]
    every = glob.glob(f"{folder}/*/*/*.parquet")
    assert fold(set(every) - set(first)) == wanted
    assert fold(every) == wanted
    assert read(example("spark")) == wanted
    home = os.getcwd()
    try:
        os.chdir(tmp_path)
        assert sorted(row[:3] for row in duckdb.sql(example("duckdb")).fetchall()) == wanted
        found = {}
        exec(example("polars"), found)  # noqa: S102
        assert sorted(found["current"].select("id", "name", "city").rows()) == wanted
    finally:
        os.chdir(home)
    assert feed.read_objects("SELECT id, name, city FROM DL.Customers WHERE IsCurrent = 1") == wanted
    spark.sql("DROP TABLE customers")
