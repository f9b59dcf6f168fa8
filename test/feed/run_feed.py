#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lake feed as its users see it: scenarios, and a random walk against a model.

    python3 test/feed/run_feed.py [--bin BUILD_DIR] [--seed N] [--steps N]

After each step of the walk the current state by the readers' pattern (the last row of each KeyHash, D rows left out)
must equal the source, the feed's versions those that the model has seen, and no key may have two rows of one moment. In
the calm walk, without resets and OVERWRITE, the history table must have the very intervals that LEAD gives of the feed. Closes with "N passed, N failed".
"""
import argparse
import copy
import glob
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
CURRENT = """SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY KeyHash ORDER BY YresDateStart DESC) AS rn
             FROM {feed}) WHERE rn = 1 AND YresAction <> 'D'"""


class Feed:
    """A feed project in a folder of its own, with one table T of source Src, schema dbo."""

    def __init__(self, weir, folder, **table):
        self.weir, self.folder = str(weir), pathlib.Path(folder)
        self.table = dict({"keys": ["id"], "LoadType": "IMAGE", "DataPlatform": "DL", "from": {"csv": "t.csv"}}, **table)
        self.settings = {"LakeLocation": "store"}
        self.configure()

    def configure(self, **changes):
        self.table.update(changes)
        entry = dict({"Source": "Src", "Schema": "dbo", "Table": "T"}, **self.table)
        # JSON is YAML.
        (self.folder / "feed.yml").write_text(json.dumps({"settings": self.settings, "tables": [entry]}))

    def source(self, rows, header="id,v"):
        text = header + "\n" + "".join(",".join("" if c is None else str(c) for c in row) + "\n" for row in rows)
        (self.folder / "t.csv").write_text(text)

    def run(self, *arguments, ok=True):
        done = subprocess.run([self.weir, "feed", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)
        if ok is not None and (done.returncode == 0) != ok:
            raise AssertionError(f"weir feed {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def load(self, run_id, *more, ok=True):
        return self.run("load", "--run-id", run_id, *more, ok=ok)

    def sql(self, query):
        done = subprocess.run([self.weir, "sql", "-w", "warehouse", "--format", "json", "-c", query], cwd=self.folder,
                              capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout or "[]")

    def files(self):
        return sorted(glob.glob(f"{self.folder}/store/lake/Src/dbo/T/Year=*/Month=*/*.parquet"))

    def feed(self, query):
        """Rows of a query over {feed}, all files, with DuckDB's own Python package."""
        files = self.files()
        relation = f"read_parquet({files!r}, union_by_name = true, hive_partitioning = false)"
        return duckdb.sql(query.format(feed=relation)).fetchall() if files else []

    def actions(self, run_id):
        return "".join(a for (a,) in self.feed("SELECT YresAction FROM {feed} ORDER BY ALL")) if run_id is None else "".join(
            a for (a,) in duckdb.sql(f"SELECT YresAction FROM read_parquet({[f for f in self.files() if f.endswith(f'-{run_id}.parquet')]!r}) ORDER BY 1").fetchall())

    def current(self, columns="id, v"):
        return sorted(self.feed(f"SELECT {columns} FROM ({CURRENT})"))

    def read_objects(self, query):
        with duckdb.connect(str(self.folder / "feed.duckdb"), read_only=True) as db:
            return db.sql(query).fetchall()


SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


def same(found, wanted):
    assert found == wanted, f"found {found!r}, expected {wanted!r}"


@scenario
def image(feed):
    feed.source([(1, "a"), (2, "b"), (3, "c")])
    assert "3 I, 0 U, 0 D" in feed.load("r1")
    (path,) = feed.files()
    year, month = time.strftime("%Y %m", time.gmtime()).split()
    assert path.endswith(f"store/lake/Src/dbo/T/Year={year}/Month={month}/T-g1-r1.parquet"), path
    columns = [c[0] for c in duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]
    same([c for c in columns if c not in ("Year", "Month")],
         ["id", "v", "ETL_Date", "KeyHash", "RowHash", "YresAction", "YresDateStart"])
    feed.load("r2")
    same(len(feed.files()), 1)  # nothing changed, no file
    feed.source([(1, "a"), (3, "C"), (4, None)])
    assert "1 I, 1 U, 1 D, 1 unchanged" in feed.load("r3")
    same(feed.current(), [(1, "a"), (3, "C"), (4, None)])
    ((hidden, hashes),) = feed.feed("SELECT count(id) + count(v), min(octet_length(KeyHash) + octet_length(RowHash)) "
                                    "FROM {feed} WHERE YresAction = 'D'")
    same((hidden, hashes), (0, 128))
    ((key, row),) = feed.feed("SELECT KeyHash, RowHash FROM {feed} WHERE id = 4")
    same((key, row), (hashlib.sha512(b"0:n1:4").digest(), hashlib.sha512(b"").digest()))
    ((row,),) = feed.feed("SELECT RowHash FROM {feed} WHERE id = 3 AND YresAction = 'U'")
    same(row, hashlib.sha512(b"1:vs1:C").digest())


@scenario
def read_objects(feed):
    feed.source([(1, "a"), (2, "b")])
    feed.load("r1")
    feed.source([(1, "A"), (3, "c")])
    feed.load("r2")
    same(feed.read_objects("SELECT id, v, IsCurrent, ETL_EndDate = '2999-01-01' FROM DL.T ORDER BY ALL"),
         [(1, "A", 1, True), (1, "a", 0, False), (2, "b", 0, False), (3, "c", 1, True)])
    same(feed.read_objects("SELECT YresAction, count(*) FROM DL.T_Feed GROUP BY 1 ORDER BY 1"),
         [("D", 1), ("I", 3), ("U", 1)])
    feed.source([(1, "A", 7), (3, "c", None)], "id,v,extra")
    feed.load("r3")
    same(feed.read_objects("SELECT id, v, extra FROM DL.T WHERE IsCurrent = 1 ORDER BY 1"), [(1, "A", 7), (3, "c", None)])
    same(feed.read_objects("SELECT count(*) FROM DL.T_Feed_g1"), [(5,)])
    same(feed.read_objects("SELECT id FROM DL.T_Feed_g2"), [(1,)])  # a NULL in a new column changes no row
    same([os.path.basename(f).split("-")[1] for f in feed.files()], ["g1", "g1", "g2"])
    same(feed.run("check"), feed.run("check"))
    for dialect in ("duckdb", "spark", "tsql", "fabric"):
        assert "T_Feed_g2" in feed.run("views", "--dialect", dialect)


@scenario
def repeating_a_run(feed):
    feed.configure(DataPlatform="DWH,DL")
    feed.source([(1, "a"), (2, "b")])
    feed.load("r1")
    feed.source([(1, "A"), (3, "c")])
    feed.load("r2")
    before = feed.feed("SELECT * FROM {feed} ORDER BY ALL"), feed.sql("SELECT * FROM lake.HIS.Src_dbo_T ORDER BY ALL")
    feed.load("r2")
    same((feed.feed("SELECT * FROM {feed} ORDER BY ALL"), feed.sql("SELECT * FROM lake.HIS.Src_dbo_T ORDER BY ALL")), before)
    feed.source([(1, "A"), (2, "b")])  # the source went on meanwhile
    feed.load("r2")
    same(feed.actions("r2"), "U")
    same(feed.current(), [(1, "A"), (2, "b")])
    feed.source([(1, "a"), (2, "b")])  # now the run has nothing to say
    feed.load("r2")
    same(len(feed.files()), 1)
    same(feed.sql("SELECT id, v, IsCurrent FROM lake.HIS.Src_dbo_T ORDER BY ALL"),
         [{"id": 1, "v": "a", "IsCurrent": 1}, {"id": 2, "v": "b", "IsCurrent": 1}])
    feed.load("r3")
    assert "WEIR_FEED_RUN_SUPERSEDED" in feed.load("r1", ok=False)


@scenario
def bad_input_writes_nothing(feed):
    feed.source([(1, "a"), (1, "b")])
    assert "[WEIR_FEED_DUPLICATE_KEY]" in feed.load("r1", ok=False)
    feed.source([(1, "a"), (None, "b")])
    assert "[WEIR_FEED_NULL_KEY]" in feed.load("r1", ok=False)
    feed.source([(1, "a")], "nr,v")
    assert "[WEIR_FEED_COLUMN_MISSING]" in feed.load("r1", ok=False)
    feed.source([(1, "a")], "id,KeyHash")
    assert "[WEIR_FEED_RESERVED_COLUMN]" in feed.load("r1", ok=False)
    os.remove(feed.folder / "t.csv")
    assert "[WEIR_FEED_SOURCE_MISSING]" in feed.load("r1", ok=False)
    feed.source([(1, "a")])
    feed.settings = {}
    feed.configure()
    assert "[WEIR_FEED_LAKE_LOCATION_UNSET]" in feed.load("r1", ok=False)
    for changes, error in (({"LoadType": "SOMETIMES"}, "LOAD_TYPE_UNKNOWN"), ({"LoadType": "IMAGE", "DataPlatform": "X"}, "DATA_PLATFORM_UNKNOWN"),
                           ({"DataPlatform": "DL", "kyes": 1}, "CONFIG_UNKNOWN_KEY")):
        feed.configure(**changes)
        assert f"[WEIR_FEED_{error}]" in feed.load("r1", ok=False)
    same(feed.files(), [])
    same([p for p in glob.glob(f"{feed.folder}/warehouse/LAKE/*") + glob.glob(f"{feed.folder}/warehouse/HIS/*")], [])


@scenario
def duplicates_last(feed):
    feed.configure(duplicates="last", delta="at", **{"tracked": ["v"]})
    feed.source([(1, "old", 1), (1, "new", 2), (2, "x", 1)], "id,v,at")
    feed.load("r1")
    same(feed.current(), [(1, "new"), (2, "x")])
    feed.source([(1, "p", 3), (1, "q", 3)], "id,v,at")
    assert "[WEIR_FEED_DUPLICATE_KEY]" in feed.load("r2", ok=False)


@scenario
def load_types(feed):
    feed.configure(LoadType="DELTA")
    feed.source([(1, "a"), (2, "b")])
    feed.load("r1")
    feed.source([(2, "B"), (3, "c")])
    assert "1 I, 1 U, 0 D" in feed.load("r2")
    same(feed.current(), [(1, "a"), (2, "B"), (3, "c")])
    feed.source([(2, "B")])
    assert "RELOAD" in feed.load("r3", "--full")
    same(feed.current(), [(2, "B")])
    feed.configure(LoadType="ADDITIONAL")
    feed.source([(2, "B"), (2, "B"), (9, "n")])
    assert "3 I, 0 U, 0 D" in feed.load("r4")
    same(feed.read_objects("SELECT count(*), min(IsCurrent) FROM DL.T"), [(7, 1)])
    feed.configure(LoadType="IMAGE")
    feed.source([(2, "z"), (5, "e")])
    feed.load("r5")
    same(feed.current(), [(2, "z"), (5, "e")])


@scenario
def versions_behind_additional_loads(feed):
    """DELTA leaves keys as they are that it does not bring; of their appended rows the last one is the current."""
    feed.configure(LoadType="ADDITIONAL", DataPlatform="DWH,DL")
    for run, v in enumerate("abc"):
        feed.source([(1, v), (2, v)])
        feed.load(f"r{run}")
    feed.configure(LoadType="DELTA")
    feed.source([(2, "d"), (3, "e")])
    feed.load("r3")
    same(feed.current(), [(1, "c"), (2, "d"), (3, "e")])
    history = "SELECT id, v, IsCurrent, ETL_Date, ETL_EndDate FROM lake.HIS.Src_dbo_T ORDER BY id, ETL_Date"
    rows = feed.sql(history)
    same([(row["id"], row["v"], row["IsCurrent"]) for row in rows],
         [(1, "a", 0), (1, "b", 0), (1, "c", 1), (2, "a", 0), (2, "b", 0), (2, "c", 0), (2, "d", 1), (3, "e", 1)])
    for row, after in zip(rows, rows[1:]):
        same(row["ETL_EndDate"], "2999-01-01 00:00:00.000000" if row["IsCurrent"] else after["ETL_Date"])
    feed.load("r3")  # taken back and made again
    same(feed.sql(history), rows)
    # Somebody has lost the notes, and nobody knows what the loads before were.
    feed.configure(LoadType="ADDITIONAL")
    feed.load("r4")
    for note in (feed.folder / "warehouse" / "_weir_feed").glob("*T.json"):
        note.unlink()
    feed.configure(LoadType="IMAGE")
    feed.source([(1, "c"), (2, "z"), (3, "e")])
    feed.load("r5")
    same(feed.sql("SELECT id, v, IsCurrent FROM lake.HIS.Src_dbo_T WHERE IsCurrent = 1 ORDER BY id, v"),
         [{"id": id_, "v": v, "IsCurrent": 1} for id_, v in ((1, "c"), (2, "z"), (3, "e"))])


@scenario
def other_keys(feed):
    feed.configure(LoadType="ADDITIONAL", keys=[], DataPlatform="DWH,DL")
    feed.source([(1, "a"), (1, "b")])
    feed.load("r1")
    feed.configure(LoadType="DELTA", keys=["id"])
    feed.source([(1, "c")])
    assert "[WEIR_FEED_KEYS_CHANGED] table Src.dbo.T: its keys were none and are now id" in feed.load("r2", ok=False)
    same(len(feed.files()), 1)
    feed.load("r2", "--full")
    same(feed.current(), [(1, "c")])
    same(feed.sql("SELECT id, v FROM lake.HIS.Src_dbo_T WHERE IsCurrent = 1"), [{"id": 1, "v": "c"}])
    feed.source([(2, "d")])
    feed.load("r3")
    same(feed.current(), [(1, "c"), (2, "d")])


@scenario
def deltaimage(feed):
    feed.configure(LoadType="DELTAIMAGE", delta="at", tracked=["v"])
    feed.source([(1, "a", 1), (2, "b", 5), (3, "c", 9)], "id,v,at")
    feed.load("r1")
    feed.source([(3, "c", 9), (4, "d", 5)], "id,v,at")  # the part from 5 on: 2 is gone, 1 is outside
    assert "1 I, 0 U, 1 D" in feed.load("r2")
    same(feed.current(), [(1, "a"), (3, "c"), (4, "d")])
    feed.configure(delta_from="6")
    feed.source([(4, "not read", 5)], "id,v,at")
    assert "0 I, 0 U, 1 D" in feed.load("r3")
    same(feed.current(), [(1, "a"), (4, "d")])


@scenario
def the_delta_column_may_change(feed):
    feed.configure(LoadType="DELTAIMAGE", delta="at", tracked=["v"])
    feed.source([(1, "a", 1, "x"), (2, "b", 5, "y")], "id,v,at,word")
    feed.load("r1")
    feed.configure(delta="word")
    feed.source([(1, "a", 1, "x"), (2, "b", 5, "y")], "id,v,at,word")
    assert "2 unchanged" in feed.load("r2")
    feed.source([(1, "a", 1, "x")], "id,v,at,word")
    assert "1 D" in feed.load("r3")
    same(feed.current(), [(1, "a")])


@scenario
def overwrite_keeps_current_rows_only(feed):
    feed.configure(DataPlatform="DWH", LoadType="IMAGE")
    feed.source([(1, "a"), (2, "b")])
    feed.load("r1")
    feed.source([(1, "A")])
    feed.load("r2")
    same(feed.sql("SELECT count(*) AS n FROM lake.HIS.Src_dbo_T"), [{"n": 3}])
    feed.configure(LoadType="OVERWRITE")
    feed.source([(1, "AA"), (7, "x")])
    feed.load("r3")
    same(feed.sql("SELECT id, v, IsCurrent FROM lake.HIS.Src_dbo_T ORDER BY 1"),
         [{"id": 1, "v": "AA", "IsCurrent": 1}, {"id": 7, "v": "x", "IsCurrent": 1}])
    same(feed.files(), [])


@scenario
def reset(feed):
    feed.source([(1, "a"), (2, "b")])
    feed.load("r1")
    feed.run("reset")
    assert "2.12" in feed.run("check", ok=False)
    feed.source([(1, "a"), (3, "c")])
    assert "2 I, 0 U, 1 D" in feed.load("r2")
    same(feed.current(), [(1, "a"), (3, "c")])
    feed.run("check")


@scenario
def files_of_older_layouts_stay(feed):
    """Whatever else is under LakeLocation, also where the feed's own folders begin, is neither read nor touched."""
    feed.source([(1, "a")])
    feed.load("r1")
    others = [feed.folder / "store" / name for name in (
        "Src/dbo/2023/11/T-20231130", "lake/T.parquet", "lake/Src/dbo/T/T-g1-old.parquet", "lake/Src/dbo/T/Year=2023/T-g1-old.parquet",
        "lake/Src/dbo/T/Year=2023/Month=11/T-20231130", "lake/Src/dbo/T/Year=2023/Month=11/Tea-g1-old.parquet")]
    for file in others:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("of before")
        os.utime(file, (1, 1))
    feed.source([(1, "b"), (2, "c")])
    feed.load("r2")
    feed.load("r2")
    feed.run("reset")
    feed.source([(2, "c")], "id,w")
    feed.load("r3")
    feed.run("fold", "T", "INTO", "gold.t")
    same(feed.read_objects("SELECT id, w FROM DL.T WHERE IsCurrent = 1"), [(2, "c")])
    feed.configure(DataPlatform="DWH")
    feed.load("r4")
    feed.run("check", "--fix", ok=None)
    for file in others:
        same((file, file.read_text(), file.stat().st_mtime), (file, "of before", 1))


@scenario
def checks(feed):
    feed.source([(1, "a")])
    feed.load("r1")
    feed.run("check")
    with duckdb.connect(str(feed.folder / "feed.duckdb")) as db:
        db.sql("DROP VIEW DL.T; CREATE VIEW DL.Gone_Feed AS SELECT 1")
    found = feed.run("check", ok=False)
    assert "2.14" in found and "2.15" in found, found
    # The scripts of all findings are a script of the shell.
    script = subprocess.run([feed.weir, "feed", "check", "--script"], cwd=feed.folder, capture_output=True, text=True, check=False).stdout
    environment = dict(os.environ, PATH=f"{pathlib.Path(feed.weir).parent}:{os.environ['PATH']}")
    subprocess.run(["sh", "-e"], input=script, cwd=feed.folder, text=True, check=True, env=environment, capture_output=True)
    feed.run("check")
    with duckdb.connect(str(feed.folder / "feed.duckdb")) as db:
        db.sql("DROP VIEW DL.T; CREATE VIEW DL.Gone_Feed AS SELECT 1")
    feed.run("check", "--fix")
    same(feed.read_objects("SELECT id FROM DL.T"), [(1,)])
    database = (feed.folder / "feed.duckdb").read_bytes()
    # A version that is still to come, of a database whose first header begins with a checksum of 8 bytes and "DUCK".
    same(database[8:12], b"DUCK")
    (feed.folder / "feed.duckdb").write_bytes(database[:12] + (9999).to_bytes(8, "little") + database[20:])
    found = feed.run("check", ok=False)
    assert "2.17" in found, found
    feed.run("check", "--fix")
    same(feed.read_objects("SELECT id FROM DL.T"), [(1,)])
    feed.configure(DataPlatform="DWH")
    found = feed.run("check", ok=False)
    assert "2.13" in found and "2.15" in found, found
    feed.run("check", "--fix")
    same(len(feed.files()), 1)
    feed.configure(DataPlatform="DL")
    feed.load("r2")
    (feed.folder / "feed.duckdb").write_bytes(b"not a database" * 1000)
    feed.source([(1, "b")])
    assert "warning" in feed.load("r3")
    found = feed.run("check", ok=False)
    assert "2.17" in found and "2.18" in found, found
    feed.run("check", "--fix", ok=None)
    feed.load("r4")
    feed.run("check")
    same(feed.read_objects("SELECT v FROM DL.T WHERE IsCurrent = 1"), [("b",)])
    feed.settings = {"LakeLocation": "store", "SchemaDL": ""}
    feed.configure()
    assert "2.16" in feed.run("check", ok=False)


@scenario
def fold(feed):
    feed.source([(1, "a"), (2, "b")])
    feed.load("r1")
    feed.run("fold", "T", "INTO", "gold.t")
    query = "SELECT id, v FROM lake.gold.t ORDER BY 1"
    same(feed.sql(query), [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    feed.source([(2, "B"), (3, "c")])
    feed.load("r2")
    feed.run("fold", "T", "INTO", "gold.t")
    same(feed.sql(query), [{"id": 2, "v": "B"}, {"id": 3, "v": "c"}])
    feed.source([(2, "b"), (4, "d")])
    feed.load("r2")
    assert "anew" in feed.run("fold", "T", "INTO", "gold.t")
    same(feed.sql(query), [{"id": 2, "v": "b"}, {"id": 4, "v": "d"}])
    assert "0 rows folded from 0" in feed.run("fold", "T", "INTO", "gold.t")


@scenario
def other_formats_give_the_same_hashes(feed):
    feed.source([(1, "a", "1.50", "2024-01-31 00:00:00"), (2, "b", "2", "2024-02-01 10:00:00")], "id,v,n,moment")
    feed.load("r1")
    duckdb.sql(f"COPY (SELECT id::INT AS id, v, n::DECIMAL(9,3) AS n, moment FROM '{feed.folder}/t.csv') TO '{feed.folder}/t.parquet'")
    feed.configure(**{"from": {"parquet": "t.parquet"}})
    assert "0 I, 0 U, 0 D, 2 unchanged" in feed.load("r2")


def killed(feed, run_id, at, shim):
    """A load that is killed right before its at-th change of the file system, and how many there were if it came through."""
    count = feed.folder / "count"
    count.unlink(missing_ok=True)
    environment = dict(os.environ, LD_PRELOAD=str(shim), KILL_AT=str(at), KILL_COUNT=str(count))
    done = subprocess.run([feed.weir, "feed", "load", "--run-id", run_id], cwd=feed.folder, capture_output=True, text=True, timeout=300,
                          env=environment, check=False)
    assert done.returncode in (0, -signal.SIGKILL), (done.returncode, done.stderr)
    return int(count.read_text()) if done.returncode == 0 else None


@scenario
def killed_at_every_step(feed, stride=9):
    shim = feed.folder / "kill_at.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(shim), str(ROOT / "test/feed/kill_at.c"), "-ldl"], check=True)
    feed.configure(DataPlatform="DWH,DL")
    feed.source([(i, "a") for i in range(50)])
    for at in range(1, 1000, stride):
        if at > 1:  # before that there is nothing yet: the first load is killed too
            feed.source(rows := [(i, f"v{at if i % 7 == at % 7 else 0}") for i in range(at % 40, 50 + at % 40)])
        else:
            rows = [(i, "a") for i in range(50)]
        through = killed(feed, f"r{at}", at, shim)
        if at % 2:
            killed(feed, f"r{at}", 1 + at // 2, shim)  # while it is taken back
        feed.load(f"r{at}" if at % 4 else f"r{at}b")
        where = f"killed before step {at}"
        same((where, feed.current()), (where, sorted(rows)))
        history = feed.sql("SELECT id, v FROM lake.HIS.Src_dbo_T WHERE IsCurrent = 1 ORDER BY id")
        same((where, [(row["id"], row["v"]) for row in history]), (where, sorted(rows)))
        same((where, feed.feed("SELECT count(*) FROM (SELECT KeyHash, YresDateStart FROM {feed} GROUP BY ALL HAVING count(*) > 1)")),
             (where, [(0,)]))
        if through is not None:
            assert at > 20, f"only {through} steps"
            return
    raise AssertionError("no load came through")


@scenario
def tables_cut_short_before_their_first_commit(feed):
    feed.configure(DataPlatform="DWH,DL")
    for schema in ("LAKE", "HIS"):
        (feed.folder / "warehouse" / schema / "Src_dbo_T" / "_delta_log").mkdir(parents=True)
    feed.source([(1, "a")])
    feed.load("r1")
    same(feed.current(), [(1, "a")])


class Model:
    """What one table must hold after each run: the current rows, its versions, and the history's rows.

    Rows are id -> (v, n), with n None where the source has no such column; `at` is the delta column's value."""

    def __init__(self):
        self.state, self.at = {}, {}
        self.versions = {}  # id -> list of (v, n), None for a delete
        self.history = []  # [id, (v, n), is_current]
        self.appended = 0  # rows of ADDITIONAL runs
        self.last_type = None

    def close(self, key):
        for row in self.history:
            if row[0] == key:
                row[2] = 0

    def make_versions(self):
        """Of the rows of ADDITIONAL runs the last of a key is the current one."""
        last = {row[0]: place for place, row in enumerate(self.history) if row[2]}
        for place, row in enumerate(self.history):
            if row[2] and last[row[0]] != place:
                row[2] = 0

    def run(self, load_type, rows, at):
        """A run whose source gives `rows` (of all, or of a part), with these delta values."""
        if load_type == "ADDITIONAL":
            for key, row in rows.items():
                self.put(key, row)
                self.history.append([key, row, 1])
            self.appended += len(rows)
        else:
            gone = set()
            if load_type != "DELTA":
                gone = self.state.keys() - rows.keys()
            if load_type == "DELTAIMAGE":
                boundary = min(at.values(), default=None)
                gone = {key for key in gone if boundary is not None and self.at[key] >= boundary}
            resend = self.last_type == "ADDITIONAL"
            if resend:
                self.make_versions()
            for key in gone:
                del self.state[key], self.at[key]
                self.versions[key].append(None)
                self.close(key)
            for key, row in rows.items():
                if resend or self.state.get(key) != row:
                    self.close(key)
                    self.history.append([key, row, 1])
                self.put(key, row)
        self.at.update(at)
        if load_type == "OVERWRITE":
            self.history = [row for row in self.history if row[2]]
        self.last_type = load_type

    def put(self, key, row):
        versions = self.versions.setdefault(key, [])
        if not versions or versions[-1] != row:
            versions.append(row)
        self.state[key] = row


def text(row):
    return tuple(None if value is None else str(value) for value in row)


class Walk:
    """Random steps of two tables with one source: T on DWH,DL and L on DL alone. And what must be true behind each.

    A calm walk has no resets and no ADDITIONAL, so there the history has the very intervals that LEAD gives of the feed."""

    FULL = ("IMAGE", "RELOAD", "OVERWRITE")

    def __init__(self, feed, chance, calm):
        self.feed, self.chance, self.calm = feed, chance, calm
        self.rows, self.at, self.clock = {0: ("x", None)}, {0: 0}, 0
        self.n = None  # how the source has column n: not at all, as "number" or as "text"
        self.run_number = 0
        self.load_type = "IMAGE"
        self.model = Model()
        self.before = self.model  # as it was before the last run

    def value_of_n(self):
        number = self.chance.choice([None, 1, 2, 3])
        return number if self.n == "number" or number is None else f"n{number}"

    def mutate(self):
        for _ in range(self.chance.randint(0, 6)):
            key = self.chance.randint(1, 15)
            self.clock += 1
            if self.chance.random() < 0.3:
                self.rows.pop(key, None)
                self.at.pop(key, None)
            elif self.chance.random() < 0.2 and key in self.rows:
                self.at[key] = self.clock  # touched, and not changed
            else:
                self.rows[key] = (self.chance.choice([None, "", "a", "b", "c'd"]), self.value_of_n() if self.n else None)
                self.at[key] = self.clock

    def change_columns(self):
        self.n = self.chance.choice([kind for kind in (None, "number", "text") if kind != self.n])
        for key, (v, _) in self.rows.items():
            # Row 0 says what type the column has.
            n = (1 if self.n == "number" else "n1") if key == 0 else self.value_of_n()
            self.rows[key] = (v, n if self.n else None)
            self.clock += 1
            self.at[key] = self.clock

    def change_type(self):
        self.load_type = self.chance.choice(self.FULL + ("DELTA", "DELTAIMAGE") + (() if self.calm else ("ADDITIONAL",)))

    def part(self):
        """What the source shows: all rows, or the part that the load type asks for. Row 0 fixes the columns' types."""
        if self.load_type in self.FULL:
            return set(self.rows)
        if self.load_type == "DELTAIMAGE":
            self.clock += 1
            self.at[0] = self.clock  # always in the part
            boundary = self.chance.randint(0, self.clock)
            return {key for key, at in self.at.items() if at >= boundary}
        return {0} | {key for key in self.rows if self.chance.random() < 0.6}

    def write(self, keys):
        names = ["id", "v"] + (["n"] if self.n else []) + ["at"]

        def cell(value):
            return "" if value is None else '""' if value == "" else str(value)

        lines = [",".join(names)]
        for key in sorted(keys):
            v, n = self.rows[key]
            lines.append(",".join(map(cell, [key, v] + ([n] if self.n else []) + [self.at[key]])))
        (self.feed.folder / "t.csv").write_text("\n".join(lines) + "\n")
        # An empty field is NULL, an empty text in quotes is not.
        table = {"Source": "Src", "Schema": "dbo", "from": {"csv": "t.csv", "options": {"allow_quoted_nulls": "false"}}, "keys": ["id"],
                 "LoadType": self.load_type, "delta": "at", "tracked": names[1:-1]}
        (self.feed.folder / "feed.yml").write_text(json.dumps({
            "settings": self.feed.settings,
            "tables": [dict(table, Table="T", DataPlatform="DWH,DL"), dict(table, Table="L", DataPlatform="DL")]}))

    def kill_a_load(self):
        process = subprocess.Popen([self.feed.weir, "feed", "load", "--run-id", f"w{self.run_number}"], cwd=self.feed.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.chance.uniform(0.05, 0.6))
        process.kill()
        process.wait()
        if self.load_type != "ADDITIONAL":  # which would append twice when the first had come through
            self.run_number += self.chance.randint(0, 1)

    def step(self):
        action = self.chance.choice(["load"] * 5 + ["repeat", "columns", "type", "type", "kill"] + ["reset"] * (not self.calm))
        self.mutate()
        if action == "columns":
            self.change_columns()
        repeat = action == "repeat" and self.run_number > 0
        if repeat:
            self.model = self.before
        if action == "type":
            self.change_type()
        if action == "reset" and self.run_number and self.load_type != "ADDITIONAL" and self.model.last_type != "ADDITIONAL":
            self.feed.run("reset")
        if not repeat:
            self.run_number += 1
        keys = self.part()
        self.write(keys)
        if action == "kill":
            self.kill_a_load()
        self.feed.load(f"w{self.run_number}")
        self.before = copy.deepcopy(self.model)
        self.model.run(self.load_type, {key: self.rows[key] for key in keys}, {key: self.at[key] for key in keys})
        where = f"{action}, {self.load_type}"
        for name in "TL":
            self.verify_feed(where, name)
        self.verify_history(where)
        self.verify_read_objects(where)

    def files(self, name):
        return sorted(glob.glob(f"{self.feed.folder}/store/lake/Src/dbo/{name}/Year=*/Month=*/*.parquet"))

    def verify_feed(self, where, name):
        where = f"{where}, feed of {name}"
        rows = []
        for file in self.files(name):
            with_n = "n" in [column for (column, *_) in duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'").fetchall()]
            rows += duckdb.sql(f"SELECT KeyHash, YresDateStart, id, v, {'n' if with_n else 'NULL'}, YresAction FROM '{file}'").fetchall()
        rows.sort(key=lambda row: row[1])
        same((where, len({row[:2] for row in rows})), (where, len(rows)))  # no key has two rows of one moment
        keys, versions = {}, {}
        for hash_, _, key, v, n, action in rows:
            if action != "D":
                same((where, keys.setdefault(hash_, key)), (where, key))  # hashes are stable
            mine = versions.setdefault(keys[hash_], [])
            version = None if action == "D" else text((v, n))
            if not mine or mine[-1] != version:  # rows that were sent again are no new version
                mine.append(version)
        same((where, len(keys)), (where, len(set(keys.values()))))
        same((where, versions), (where, {key: [row and text(row) for row in mine] for key, mine in self.model.versions.items()}))
        current = {key: mine[-1] for key, mine in versions.items() if mine[-1] is not None}
        same((where, current), (where, {key: text(row) for key, row in self.model.state.items()}))

    def verify_history(self, where):
        rows = self.feed.sql("SELECT * FROM lake.HIS.Src_dbo_T")
        found = sorted(((row["id"], text((row["v"], row.get("n"))), row["IsCurrent"]) for row in rows), key=repr)
        same((where, found), (where, sorted(((key, text(row), current) for key, row, current in self.model.history), key=repr)))
        if not self.calm:
            return
        files = " UNION ALL ".join(f"SELECT KeyHash, YresDateStart, YresAction FROM '{file}'" for file in self.files("T"))
        derived = duckdb.sql("SELECT KeyHash, strftime(YresDateStart, '%Y-%m-%d %H:%M:%S.%f'), LEAD(YresDateStart, 1, TIMESTAMP '2999-01-01') "
                             f"OVER (PARTITION BY KeyHash ORDER BY YresDateStart)::VARCHAR AS e, YresAction FROM ({files})").fetchall()
        intervals = {(bytes(hash_).hex(), start, end[:19]) for hash_, start, end, action in derived if action != "D"}
        for row in rows:
            interval = (row["KeyHash"], row["ETL_Date"], row["ETL_EndDate"][:19])
            assert interval in intervals, (where, interval, sorted(intervals))

    def verify_read_objects(self, where):
        has_n = "n" in [column for (column, *_) in self.feed.read_objects("DESCRIBE DL.L")]
        select = f"SELECT id, v, {'n' if has_n else 'NULL'}::VARCHAR"
        found = self.feed.read_objects(f"{select}, IsCurrent FROM DL.L")
        if self.load_type == "ADDITIONAL":
            same((where, {row[3] for row in found}), (where, {1}))
            return
        current = sorted(((row[0], row[1:3]) for row in found if row[3] == 1), key=repr)
        same((where, current), (where, sorted(((key, text(row)) for key, row in self.model.state.items()), key=repr)))
        if self.chance.random() < 0.3:
            self.feed.run("fold", "L", "INTO", "gold.l")
            folded = self.feed.sql("SELECT * FROM lake.gold.l")
            same((where, "fold", sorted(((row["id"], text((row["v"], row.get("n")))) for row in folded), key=repr)), (where, "fold", current))
        if self.model.appended == 0 and "reset" not in where and self.calm:
            # The versions of L are those that the history of T has, or had before an OVERWRITE.
            versions = sorted(((row[0], row[1:3]) for row in found), key=repr)
            wanted = sorted(((key, text(row)) for key, mine in self.model.versions.items() for row in mine if row is not None), key=repr)
            same((where, versions), (where, wanted))


def random_walk(feed, seed, steps, calm):
    walk = Walk(feed, random.Random(seed), calm)
    for number in range(steps):
        try:
            walk.step()
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}, step {number}: {problem}") from problem


def main():
    parser = argparse.ArgumentParser(description="Tests the lake feed.")
    parser.add_argument("--bin", default=str(ROOT / "build"), help="the folder of the weir binary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("names", nargs="*", help="scenarios to run (default: all)")
    parser.add_argument("--every-step", action="store_true", help="kill loads at each of their steps, and not at every ninth")
    args = parser.parse_args()
    weir = pathlib.Path(args.bin).resolve() / "weir"
    tests = [(test.__name__, test) for test in SCENARIOS]
    if args.every_step:
        tests.append(("killed_at_every_single_step", lambda feed: killed_at_every_step(feed, 1)))
    tests.append(("random_walk", lambda feed: random_walk(feed, args.seed, args.steps, False)))
    tests.append(("calm_walk", lambda feed: random_walk(feed, args.seed, args.steps, True)))
    passed = failed = 0
    for name, test in tests:
        if args.names and name not in args.names:
            continue
        folder = tempfile.mkdtemp(prefix="weir-feed-")
        try:
            test(Feed(weir, folder))
            passed += 1
        except Exception:  # each failure is told and counted
            failed += 1
            print(f"{name} FAILED")
            traceback.print_exc(file=sys.stdout)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
