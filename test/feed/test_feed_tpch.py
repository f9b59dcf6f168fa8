# SPDX-License-Identifier: Apache-2.0
"""TPC-H's orders and lineitem as a lake feed, its refresh functions as the days that go by: after each of them the current state by
the readers' pattern answers TPC-H's queries as the source does."""
import json
import os
import pathlib
import subprocess

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = pathlib.Path(os.environ.get("WEIR_BIN", ROOT / "build")) / "weir"
EXTENSIONS = pathlib.Path(os.environ.get("WEIR_DEPS", ROOT / "build" / "deps")) / "duckdb" / "extensions"
SCALE = float(os.environ.get("WEIR_TPCH_SCALE", "0.01"))

CURRENT = """(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY KeyHash ORDER BY YresDateStart DESC) AS rn
             FROM read_parquet('{lake}/lake/Tpch/main/{table}/*/*/*.parquet')) WHERE rn = 1 AND YresAction <> 'D')"""


def test_refresh_functions(tmp_path):
    source = duckdb.connect()
    source.execute(f"LOAD '{EXTENSIONS}/tpch.duckdb_extension'; CALL dbgen(sf = {SCALE})")
    reader = duckdb.connect()
    reader.execute(f"LOAD '{EXTENSIONS}/tpch.duckdb_extension'")
    for table in ("customer", "nation", "region", "part", "supplier"):
        source.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
        reader.execute(f"CREATE TABLE {table} AS FROM '{tmp_path}/{table}.parquet'")
    tables = [{"Source": "Tpch", "Schema": "main", "Table": table, "from": {"parquet": f"{table}.parquet"}, "keys": keys,
               "DataPlatform": "DWH,DL"} for table, keys in (("orders", ["o_orderkey"]), ("lineitem", ["l_orderkey", "l_linenumber"]))]
    (tmp_path / "feed.yml").write_text(json.dumps({"settings": {"LakeLocation": "lake"}, "tables": tables}))

    def count(table, where="true"):
        return source.sql(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]

    def load(run, inserted, deleted):
        for table in ("orders", "lineitem"):
            source.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
        done = subprocess.run([str(WEIR), "feed", "load", "--run-id", run], cwd=tmp_path, capture_output=True, text=True, timeout=600,
                              check=False)
        assert done.returncode == 0, done.stderr
        for table in ("orders", "lineitem"):
            unchanged = count(table) - inserted[table]
            expected = f"Tpch.main.{table}  IMAGE  {count(table)} rows: {inserted[table]} I, 0 U, {deleted[table]} D, {unchanged} unchanged"
            assert expected in done.stderr, (expected, done.stderr)

    nothing = {"orders": 0, "lineitem": 0}
    load("initial", {table: count(table) for table in nothing}, nothing)
    for table in nothing:
        reader.execute(f"CREATE VIEW {table} AS SELECT * EXCLUDE (ETL_Date, KeyHash, RowHash, YresAction, YresDateStart, rn, Year, Month) FROM "
                       + CURRENT.format(lake=tmp_path / "lake", table=table))
    orders = max(1, count("orders") // 1000)
    # Of each 32 order keys the data uses 8; the refresh inserts orders of the same kind between them, and deletes old ones.
    for day in range(1, 4):
        source.execute(f"CREATE OR REPLACE TEMP TABLE newly AS SELECT o_orderkey AS key FROM orders WHERE o_orderkey % 32 BETWEEN 1 AND 7 "
                       f"ORDER BY hash(o_orderkey + {day}) LIMIT {orders}")
        source.execute(f"CREATE OR REPLACE TEMP TABLE old AS SELECT o_orderkey AS key FROM orders WHERE o_orderkey NOT IN (FROM newly) "
                       f"ORDER BY o_orderkey LIMIT {orders}")
        deleted = {"orders": orders, "lineitem": count("lineitem", "l_orderkey IN (FROM old)")}
        inserted = {"orders": orders, "lineitem": count("lineitem", "l_orderkey IN (FROM newly)")}
        shift = 8 * day  # each day has its own gap
        source.execute(f"INSERT INTO lineitem SELECT * REPLACE (l_orderkey + {shift} AS l_orderkey) FROM lineitem WHERE l_orderkey IN (FROM newly)")
        source.execute(f"INSERT INTO orders SELECT * REPLACE (o_orderkey + {shift} AS o_orderkey) FROM orders WHERE o_orderkey IN (FROM newly)")
        source.execute("DELETE FROM lineitem WHERE l_orderkey IN (FROM old); DELETE FROM orders WHERE o_orderkey IN (FROM old)")
        load(f"day{day}", inserted, deleted)
        for query in (1, 4, 5, 6, 12, 14, 19):
            assert reader.execute(f"PRAGMA tpch({query})").fetchall() == source.execute(f"PRAGMA tpch({query})").fetchall(), (day, query)
    history = "SELECT count(*) AS n, sum(IsCurrent) AS current FROM lake.HIS.Tpch_main_orders"
    found = json.loads(subprocess.run([str(WEIR), "sql", "-w", "warehouse", "--format", "json", "-c", history], cwd=tmp_path,
                                      capture_output=True, text=True, check=True).stdout)
    assert (found[0]["n"], int(found[0]["current"])) == (count("orders") + 3 * orders, count("orders"))
