#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lake feed as its users see it: scenarios, and a random walk against a model.

    python3 test/feed/run_feed.py [--bin BUILD_DIR] [--seed N] [--steps N]

After each step of the walk the current state by the readers' pattern (the last row of each KeyHash, D rows left out)
must equal the source, the feed's versions those that the model has seen, and no key may have two rows of one moment. In
the calm walk, without resets and OVERWRITE, the history table must have the very intervals that LEAD gives of the feed. Closes with "N passed, N failed".
"""
import argparse
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
def checks(feed):
    feed.source([(1, "a")])
    feed.load("r1")
    feed.run("check")
    with duckdb.connect(str(feed.folder / "feed.duckdb")) as db:
        db.sql("DROP VIEW DL.T; CREATE VIEW DL.Gone_Feed AS SELECT 1")
    found = feed.run("check", ok=False)
    assert "2.14" in found and "2.15" in found, found
    assert "DROP VIEW" in feed.run("check", "--script", ok=False)
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


@scenario
def killed_at_any_moment(feed):
    feed.configure(DataPlatform="DWH,DL")
    feed.source([(i, "a") for i in range(200)])
    start = time.monotonic()
    feed.load("r0")
    seconds = time.monotonic() - start
    chance = random.Random(7)
    for step in range(1, 9):
        rows = [(i, f"v{step if i % 7 == step % 7 else 0}") for i in range(step, 200 + step)]
        feed.source(rows)
        process = subprocess.Popen([feed.weir, "feed", "load", "--run-id", f"r{step}"], cwd=feed.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds * chance.uniform(0.2, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        feed.load(f"r{step}" if step % 2 else f"r{step}b")
        same(feed.current(), sorted(rows))
        history = feed.sql("SELECT id, v FROM lake.HIS.Src_dbo_T WHERE IsCurrent = 1 ORDER BY id")
        same([(row["id"], row["v"]) for row in history], sorted(rows))
        same(feed.feed("SELECT count(*) FROM (SELECT KeyHash, YresDateStart FROM {feed} GROUP BY ALL HAVING count(*) > 1)"),
             [(0,)])


@scenario
def tables_cut_short_before_their_first_commit(feed):
    feed.configure(DataPlatform="DWH,DL")
    for schema in ("LAKE", "HIS"):
        (feed.folder / "warehouse" / schema / "Src_dbo_T" / "_delta_log").mkdir(parents=True)
    feed.source([(1, "a")])
    feed.load("r1")
    same(feed.current(), [(1, "a")])


class Walk:
    """Random steps, and what must be true behind each."""

    def __init__(self, feed, chance, calm):
        self.feed, self.chance, self.calm = feed, chance, calm
        self.rows = {}  # id -> values
        self.states = []  # what each run has found: id -> (v, n)
        self.columns = ["v"]
        self.run = 0
        self.load_type = "IMAGE"
        feed.configure(DataPlatform="DWH,DL", LoadType="IMAGE")

    def value(self, column):
        return self.chance.choice([None, "a", "b", "c'", "d,"[0]]) if column != "n" else self.chance.randint(0, 5)

    def mutate(self):
        for _ in range(self.chance.randint(0, 6)):
            key = self.chance.randint(1, 15)
            if self.chance.random() < 0.3:
                self.rows.pop(key, None)
            else:
                self.rows[key] = {c: self.value(c) for c in self.columns}

    def change_columns(self):
        if len(self.columns) == 1:
            self.columns.append("n")
            for row in self.rows.values():
                row["n"] = self.value("n")
        else:
            self.columns.remove("n")
            for row in self.rows.values():
                row.pop("n")

    def write(self):
        rows = [(key, *(row[c] for c in self.columns)) for key, row in sorted(self.rows.items())]
        self.feed.source([(0, *(["x"] + [1] * (len(self.columns) - 1)))] + rows, "id," + ",".join(self.columns))
        self.wanted = sorted([(0, *(["x"] + [1] * (len(self.columns) - 1)))] + rows, key=lambda r: r[0])

    def step(self):
        action = self.chance.choice(["load"] * 6 + ["repeat", "columns", "type", "kill"] + ["reset"] * (not self.calm))
        self.mutate()
        if action == "columns":
            self.change_columns()
        if action == "type":
            self.load_type = self.chance.choice(["IMAGE", "RELOAD"] + ["OVERWRITE"] * (not self.calm))
            self.feed.configure(LoadType=self.load_type)
        if action == "reset" and self.run:
            self.feed.run("reset")
        self.write()
        if action != "repeat" or self.run == 0:
            self.run += 1
        if action == "kill":
            process = subprocess.Popen([self.feed.weir, "feed", "load", "--run-id", f"w{self.run}"], cwd=self.feed.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.chance.uniform(0.1, 1.5))
            process.kill()
            process.wait()
            self.run += self.chance.randint(0, 1)
        self.feed.load(f"w{self.run}")
        if action == "repeat" and self.states:
            self.states.pop()
        self.states.append({row[0]: (row[1], row[2] if len(row) > 2 else None) for row in self.wanted})
        self.verify(action)
        self.verify_history(action)

    def verify(self, action):
        columns = ", ".join(["id"] + self.columns)
        found = sorted(self.feed.feed(f"SELECT {columns} FROM ({CURRENT})"), key=lambda r: r[0])
        same((action, found), (action, self.wanted))
        history = self.feed.sql(f"SELECT {columns} FROM lake.HIS.Src_dbo_T WHERE IsCurrent = 1 ORDER BY id")
        same((action, [tuple(row.values()) for row in history]), (action, self.wanted))
        same(self.feed.feed("SELECT count(*) FROM (SELECT KeyHash, YresDateStart FROM {feed} GROUP BY ALL HAVING count(*) > 1)"),
             [(0,)])
        same(self.feed.feed("SELECT count(*) FROM (SELECT id FROM {feed} WHERE id IS NOT NULL GROUP BY id "
                            "HAVING count(DISTINCT KeyHash) > 1)"), [(0,)])


    def verify_history(self, action):
        """The versions of each key, as the model has seen them come and go."""
        wanted = {}
        for state in self.states:
            for key in wanted.keys() | state.keys():
                versions = wanted.setdefault(key, [])
                if (versions or [None])[-1] != state.get(key):
                    versions.append(state.get(key))
        has_n = any("n" in c for (c,) in self.feed.feed("SELECT column_name FROM (DESCRIBE SELECT * FROM {feed}) WHERE column_name = 'n'"))
        found = {}
        names = {}
        for hash_, key, v, n, act in self.feed.feed(f"SELECT KeyHash, id, v, {'n' if has_n else 'NULL'}, YresAction FROM {{feed}} "
                                                    "ORDER BY YresDateStart"):
            names[hash_] = key if key is not None else names[hash_]
            versions = found.setdefault(names[hash_], [])
            version = None if act == "D" else (v, n)
            if (versions or [None])[-1] != version:  # rows sent again behind a reset are no new version
                versions.append(version)
        same((action, found), (action, wanted))
        if not self.calm:
            return
        derived = self.feed.feed("SELECT id, YresDateStart, coalesce(LEAD(YresDateStart) OVER (PARTITION BY KeyHash ORDER BY "
                                 "YresDateStart), '2999-01-01') AS e, YresAction FROM {feed} ORDER BY ALL")
        derived = [(id_, f"{start:%Y-%m-%d %H:%M:%S.%f}", f"{end:%Y-%m-%d %H:%M:%S.%f}") for id_, start, end, act in derived if act != "D"]
        history = self.feed.sql("SELECT id, ETL_Date, ETL_EndDate FROM lake.HIS.Src_dbo_T ORDER BY ALL")
        same((action, [tuple(row.values()) for row in history]), (action, derived))


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
    args = parser.parse_args()
    weir = pathlib.Path(args.bin).resolve() / "weir"
    tests = [(test.__name__, test) for test in SCENARIOS]
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
