# SPDX-License-Identifier: Apache-2.0
"""A load of the lake feed: an image of which 1 % of the rows have changed, by Weir, by hand in DuckDB SQL, and by dbt's snapshots.

Weir runs three times: on DL (index and feed), on DWH (the history), and on DL again behind LAKE_FEED_DAYS more loads, to see what the
past costs. By hand is the same comparison on hashes, its index in a DuckDB file, its feed in Parquet. dbt (dbt-core with dbt-duckdb in
the virtual environment LAKE_FEED_DBT, left out without it) keeps a history of all columns as Weir does on DWH.

Printed are wall time, processor time (user and system) and peak memory of each second load, and the ratios. LAKE_FEED_ROWS=10000000,
LAKE_FEED_DAYS=20, LAKE_FEED_MEMORY=4GB (Weir's --memory-limit).
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

import duckdb

ROWS = int(os.environ.get("LAKE_FEED_ROWS", "10000000"))
DAYS = int(os.environ.get("LAKE_FEED_DAYS", "20"))
MEMORY = os.environ.get("LAKE_FEED_MEMORY", "4GB")
DBT = os.environ.get("LAKE_FEED_DBT")
WEIR = str(pathlib.Path(os.environ["WEIR_BIN"]) / "weir")

# Of 1,000 rows of day d nine have changed, one has come and one has gone.
IMAGE = """SELECT id, 'name ' || id AS name, CASE WHEN id % 1000 BETWEEN 10 AND 18 THEN id % 7 + {day} ELSE id % 7 END AS status,
    (id * 7919 % 100000)::DECIMAL(12,2) AS amount, TIMESTAMP '2024-01-01' + INTERVAL (id % 1000000) SECOND AS changed,
    md5(id::VARCHAR) AS note FROM range({rows}) r(id) WHERE {day} = 1 OR id % 1000 <> 5
    UNION ALL SELECT {rows} + id, 'new', 1, 1, TIMESTAMP '2024-01-01', 'new' FROM range({rows} // 1000) r(id) WHERE {day} > 1"""

BY_HAND = """
import duckdb, sys
folder, source, first = sys.argv[1], sys.argv[2], sys.argv[3] == "1"
db = duckdb.connect(folder + "/index.duckdb")
db.execute("CREATE TABLE IF NOT EXISTS idx (k BLOB, r BLOB, since TIMESTAMP)")
db.execute(f\"\"\"CREATE TEMP TABLE stage AS SELECT *, unhex(sha256(id::VARCHAR)) AS k,
    unhex(sha256(concat_ws('|', coalesce(name, '~'), coalesce(status::VARCHAR, '~'), coalesce(amount::VARCHAR, '~'),
    coalesce(changed::VARCHAR, '~'), coalesce(note, '~')))) AS r FROM '{source}'\"\"\")
assert not db.sql("SELECT k FROM stage GROUP BY k HAVING count(*) > 1 LIMIT 1").fetchall()
db.execute(\"\"\"CREATE TEMP TABLE feed AS SELECT s.* EXCLUDE (k, r), coalesce(s.k, i.k) AS k, coalesce(s.r, i.r) AS r, now()::TIMESTAMP AS since,
    CASE WHEN s.k IS NULL THEN 'D' WHEN i.k IS NULL THEN 'I' ELSE 'U' END AS action
    FROM stage s FULL JOIN idx i ON s.k = i.k WHERE s.k IS NULL OR i.k IS NULL OR s.r <> i.r\"\"\")
db.execute(f"COPY feed TO '{folder}/feed-{first}.parquet'")
db.execute("BEGIN; DELETE FROM idx WHERE k IN (SELECT k FROM feed WHERE action <> 'I'); "
           "INSERT INTO idx SELECT k, r, since FROM feed WHERE action <> 'D'; COMMIT; CHECKPOINT")
print(db.sql("SELECT action, count(*) FROM feed GROUP BY 1 ORDER BY 1").fetchall())
"""


def measured(command, folder):
    """Wall seconds, processor seconds and peak MB of a command."""
    start = time.monotonic()
    pid = os.posix_spawn(command[0], command, dict(os.environ, DBT_SEND_ANONYMOUS_USAGE_STATS="false"), file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, folder + "/out", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), (os.POSIX_SPAWN_DUP2, 1, 2)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{command} failed: " + pathlib.Path(folder + "/out").read_text())
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def weir_feed(folder, platform, days):
    """The load of the last of `days` days."""
    os.makedirs(folder)
    table = {"Source": "S", "Schema": "d", "Table": "T", "from": {"parquet": "image.parquet"}, "keys": ["id"], "DataPlatform": platform}
    pathlib.Path(folder, "feed.yml").write_text(json.dumps({"settings": {"LakeLocation": "store"}, "tables": [table]}))
    result = None
    for day in range(1, days + 1):
        shutil.copy(f"{folder}/../day{min(day, 2) if days == 2 else 1 + day % 2}.parquet", f"{folder}/image.parquet")
        result = measured([WEIR, "feed", "load", "--project", folder + "/feed.yml", "--memory-limit", MEMORY], folder)
    return result


def by_hand(folder):
    os.makedirs(folder)
    for day in (1, 2):
        result = measured([sys.executable, "-c", BY_HAND, folder, f"{folder}/../day{day}.parquet", str(int(day == 1))], folder)
    return result


def dbt_snapshot(folder):
    os.makedirs(folder + "/snapshots")
    home = pathlib.Path(folder)
    (home / "dbt_project.yml").write_text("name: bench\nversion: 1.0.0\nprofile: bench\nsnapshot-paths: [snapshots]\n")
    (home / "profiles.yml").write_text(f"bench: {{target: dev, outputs: {{dev: {{type: duckdb, path: {folder}/dbt.duckdb, threads: 2}}}}}}\n")
    (home / "snapshots" / "t.sql").write_text(
        "{% snapshot t %}{{ config(target_schema='main', unique_key='id', strategy='check', check_cols='all', hard_deletes='invalidate') }}\n"
        f"SELECT * FROM '{folder}/image.parquet'\n{{% endsnapshot %}}\n")
    for day in (1, 2):
        shutil.copy(f"{folder}/../day{day}.parquet", f"{folder}/image.parquet")
        result = measured([DBT + "/bin/dbt", "snapshot", "--project-dir", folder, "--profiles-dir", folder], folder)
    return result


def main():
    lake = tempfile.mkdtemp(prefix="lake-feed-")
    try:
        for day in (1, 2):
            duckdb.execute(f"COPY ({IMAGE.format(day=day, rows=ROWS)}) TO '{lake}/day{day}.parquet'")
        results = {"Weir, DL": weir_feed(lake + "/dl", "DL", 2), "by hand": by_hand(lake + "/hand"),
                   "Weir, DWH": weir_feed(lake + "/dwh", "DWH", 2)}
        if DBT:
            results["dbt snapshot"] = dbt_snapshot(lake + "/dbt")
        if DAYS:
            results[f"Weir, DL, load {DAYS + 2}"] = weir_feed(lake + "/days", "DL", DAYS + 2)
        print(f"{ROWS:,} rows, 1 % changed")
        for name, (wall, cpu, peak) in results.items():
            print(f"  {name:<22} {wall:7.2f} s  {cpu:7.2f} s of the processor  {peak:7.0f} MB")
        print(f"  Weir on DL takes {results['Weir, DL'][1] / results['by hand'][1]:.2f} times the processor time of the hand-written job")
        if DBT:
            print(f"  dbt takes {results['dbt snapshot'][1] / results['Weir, DWH'][1]:.2f} times that of Weir on DWH")
    finally:
        shutil.rmtree(lake, ignore_errors=True)


if __name__ == "__main__":
    main()
