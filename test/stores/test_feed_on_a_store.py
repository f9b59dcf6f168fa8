# SPDX-License-Identifier: Apache-2.0
"""The lake feed with its files, its index and its notes on an object store."""
import json
import subprocess

from conftest import BUILD


def test_loads_repeats_and_resets(store, tmp_path):
    def weir(*arguments):
        done = subprocess.run([str(BUILD / "weir"), *arguments], cwd=tmp_path, env=store.environment, capture_output=True,
                              text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def load(run, rows):
        (tmp_path / "data.csv").write_text("id,v\n" + "".join(f"{row}\n" for row in rows))
        weir("feed", "load", "--run-id", run)

    def feed():
        found = weir("sql", "--format", "jsonl", "-c",
                     "SELECT id, v, \"YresAction\" AS a, filename.regexp_extract('-g1-(.*)[.]parquet', 1) AS run "
                     f"FROM read_parquet('{store.root}/feed/lake/Shop/dbo/T/**/*.parquet', filename = true) ORDER BY ALL")
        return [tuple(json.loads(row).values()) for row in found]

    table = {"Source": "Shop", "Schema": "dbo", "Table": "T", "from": {"csv": "data.csv"}, "keys": ["id"],
             "LoadType": "IMAGE", "DataPlatform": "DL"}
    settings = {"LakeLocation": f"{store.root}/feed", "Warehouse": f"{store.root}/feed-warehouse"}
    (tmp_path / "feed.yml").write_text(json.dumps({"settings": settings, "tables": [table]}))

    load("r1", ["1,a", "2,b"])
    assert feed() == [(1, "a", "I", "r1"), (2, "b", "I", "r1")]
    load("r2", ["1,c"])
    load("r2", ["1,c"])
    assert feed() == [(1, "a", "I", "r1"), (1, "c", "U", "r2"), (2, "b", "I", "r1"), (None, None, "D", "r2")]
    load("r3", ["1,c"])
    assert len(feed()) == 4
    weir("feed", "reset")
    load("r4", ["1,c"])
    assert (1, "c", "I", "r4") in feed()
    assert weir("feed", "check", "--format", "jsonl") == []
