# SPDX-License-Identifier: Apache-2.0
"""The lake feed from databases: a PostgreSQL and a MariaDB server of Debian's, started here, and SQLite."""
import glob
import json
import os
import pathlib
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
import time

import duckdb
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = pathlib.Path(os.environ.get("WEIR_BIN", ROOT / "build")) / "weir"
EXTENSIONS = pathlib.Path(os.environ.get("WEIR_DEPS", ROOT / "build" / "deps")) / "duckdb" / "extensions"

ROWS = [(1, "Utrecht", "1.50", "2024-01-31"), (2, "", "20.00", "2024-02-01"), (3, None, None, None), (4, "Zoë's", "-0.25", "1999-12-31")]
TABLE = "CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR(40), amount DECIMAL(9,2), since DATE)"


def literal(value):
    return "NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def inserts(rows):
    return "INSERT INTO city VALUES " + ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False, **more)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def postgres():
    """Runs SQL on a server of its own; the connection string is in its attribute."""
    (initdb,) = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1:]
    programs = os.path.dirname(initdb)
    folder = tempfile.mkdtemp(prefix="weir-pg-")
    as_user = []
    if os.geteuid() == 0:  # which PostgreSQL will not run as
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
        as_user = ["runuser", "-u", "postgres", "--"]
    run(*as_user, initdb, "-D", f"{folder}/data", "-A", "trust", "-U", "weir", "--no-sync", "-E", "UTF8", cwd=folder)
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    control = [*as_user, f"{programs}/pg_ctl", "-D", f"{folder}/data", "-w", "-t", "200"]
    run(*control, "-o", options, "-l", f"{folder}/log", "start", cwd=folder)

    def sql(*statements):
        for statement in statements:
            run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "weir", "-d", "postgres", "-c", statement)

    sql.connection = f"host={folder} user=weir dbname=postgres password=secret"
    try:
        yield sql
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def mariadb():
    folder = tempfile.mkdtemp(prefix="weir-my-")
    user = pwd.getpwuid(os.geteuid()).pw_name
    run("mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", "--auth-root-authentication-method=normal",
        "--skip-test-db", f"--user={user}")
    server = subprocess.Popen(["/usr/sbin/mariadbd", "--no-defaults", f"--datadir={folder}/data", f"--socket={folder}/socket",
                               "--skip-networking", f"--pid-file={folder}/pid", f"--user={user}", "--character-set-server=utf8mb4",
                               f"--log-error={folder}/log"])
    client = ["mariadb", "--no-defaults", f"--socket={folder}/socket", "-u", "root", "--default-character-set=utf8mb4"]
    try:
        for _ in range(600):
            if subprocess.run([*client, "-e", "SELECT 1"], capture_output=True, check=False).returncode == 0:
                break
            assert server.poll() is None, pathlib.Path(f"{folder}/log").read_text()
            time.sleep(0.2)

        def sql(*statements):
            for statement in statements:
                run(*client, "-e", statement)

        sql.connection = f"host=localhost user=root socket={folder}/socket database=shop"
        sql("CREATE DATABASE shop")
        yield sql
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


class Feed:
    """One table City, whose source changes."""

    def __init__(self, folder):
        self.folder = folder
        self.tables = [{"Source": "Shop", "Schema": "s", "Table": "City", "keys": ["id"], "DataPlatform": "DWH,DL"}]

    def configure(self, source, **changes):
        self.tables[0].update({"from": source}, **changes)
        setup = [f"LOAD '{EXTENSIONS}/{name}_scanner.duckdb_extension'" for name in ("postgres", "sqlite", "mysql")]
        (self.folder / "feed.yml").write_text(json.dumps({
            "settings": {"LakeLocation": "store"}, "setup": ["SET autoinstall_known_extensions = false", *setup], "tables": self.tables}))

    def load(self, *arguments, ok=True):
        done = subprocess.run([str(WEIR), "feed", "load", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              check=False)
        assert (done.returncode == 0) == ok, done.stderr
        return done.stderr

    def rows(self, table="City", columns="id, name, amount::VARCHAR, since::VARCHAR"):
        files = f"{self.folder}/store/lake/Shop/s/{table}/*/*/*.parquet"
        return duckdb.sql(f"SELECT {columns} FROM (SELECT * FROM read_parquet('{files}', union_by_name = true) QUALIFY row_number() OVER "
                          "(PARTITION BY KeyHash ORDER BY YresDateStart DESC) = 1) WHERE YresAction <> 'D' ORDER BY ALL").fetchall()


def test_every_source_gives_the_same_rows(tmp_path, postgres, mariadb):
    feed = Feed(tmp_path)
    postgres(TABLE, inserts(ROWS))
    mariadb("USE shop; " + TABLE + "; " + inserts(ROWS))
    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute(TABLE)
        database.execute(inserts(ROWS))
    database.close()
    feed.configure({"postgres": postgres.connection, "table": "public.city"})
    assert "4 rows: 4 I, 0 U, 0 D" in feed.load()
    assert feed.rows() == ROWS
    for source in ({"mysql": mariadb.connection, "table": "city"},
                   {"mysql": mariadb.connection, "query": "SELECT * FROM shop.city FORCE INDEX (PRIMARY)"},
                   {"sqlite": "shop.db", "table": "city"},
                   {"postgres": postgres.connection, "query": "SELECT DISTINCT ON (id) * FROM city"}):
        feed.configure(source)
        assert "0 I, 0 U, 0 D, 4 unchanged" in feed.load(), source
    assert feed.rows() == ROWS


def test_postgres_changes(tmp_path, postgres):
    feed = Feed(tmp_path)
    postgres("CREATE SCHEMA app", "CREATE TYPE app.mood AS ENUM ('sad', 'glad')",
             "CREATE TABLE app.\"Order\" (region TEXT, nr BIGINT, mood app.mood, tags UUID[], doc JSONB, moment TIMESTAMPTZ, at TIME, raw BYTEA, "
             "PRIMARY KEY (region, nr))",
             "INSERT INTO app.\"Order\" SELECT 'r' || i % 7, i, 'sad', ARRAY[]::UUID[], '{\"a\": [1, null]}', "
             "'2024-03-31 02:30:00+02', '10:00', '\\x00ff' FROM generate_series(1, 5000) i")
    feed.configure({"postgres": postgres.connection, "table": "app.Order"}, keys=["region", "nr"])
    assert "5000 rows: 5000 I" in feed.load()
    postgres("BEGIN; UPDATE app.\"Order\" SET mood = 'glad', tags = ARRAY['00000000-0000-0000-0000-000000000001'::UUID] WHERE nr <= 50; "
             "DELETE FROM app.\"Order\" WHERE nr > 4990; INSERT INTO app.\"Order\" (region, nr) VALUES ('x', 1); COMMIT")
    assert "4991 rows: 1 I, 50 U, 10 D, 4940 unchanged" in feed.load("--run-id", "second")
    assert "1 I, 50 U, 10 D" in feed.load("--run-id", "second")
    assert len(feed.rows(columns="region, nr")) == 4991
    assert feed.rows(columns="nr, region, mood, tags, doc, (moment AT TIME ZONE 'UTC')::VARCHAR, \"at\", raw")[1:3] == [
        (1, "x", None, None, None, None, None, None),
        (2, "r2", "glad", ["00000000-0000-0000-0000-000000000001"], '{"a": [1, null]}', "2024-03-31 00:30:00", "10:00:00", b"\x00\xff")]
    postgres("ALTER TABLE app.\"Order\" ADD COLUMN note TEXT", "UPDATE app.\"Order\" SET note = 'n' WHERE nr = 7")
    assert "1 U" in feed.load()
    assert glob.glob(f"{tmp_path}/store/lake/Shop/s/City/*/*/City-g2-*.parquet")
    feed.configure({"postgres": postgres.connection, "table": "app.Order"}, LoadType="DELTA", delta="nr", delta_from="4980")
    postgres("UPDATE app.\"Order\" SET note = 'm' WHERE nr % 10 = 5", "DELETE FROM app.\"Order\" WHERE nr = 4990")
    assert "10 rows: 0 I, 1 U, 0 D" in feed.load()
    assert "4990 rows: 0 I, 498 U, 1 D" in feed.load("--full")


def test_what_is_missing_is_told_before_anything_is_written(tmp_path, postgres, mariadb):
    feed = Feed(tmp_path)
    for source, error in (({"postgres": postgres.connection, "table": "nowhere"}, "WEIR_FEED_SOURCE_MISSING"),
                          ({"postgres": postgres.connection.replace("weir-pg", "no-pg"), "table": "city"}, "WEIR_FEED_SOURCE_MISSING"),
                          ({"postgres": postgres.connection, "query": "SELEC"}, "WEIR_FEED_SOURCE_INVALID"),
                          ({"mysql": mariadb.connection.replace("socket=", "password=secret socket=/no"), "table": "city"}, "WEIR_FEED_SOURCE_MISSING"),
                          ({"mysql": mariadb.connection, "table": "nowhere"}, "WEIR_FEED_SOURCE_MISSING"),
                          ({"sqlite": "nowhere.db", "table": "city"}, "WEIR_FEED_SOURCE_MISSING"),
                          ({"postgres": postgres.connection}, "WEIR_FEED_CONFIG_BAD_VALUE"),
                          ({"sqlite": "a.db", "table": "t", "query": "SELECT 1"}, "WEIR_FEED_CONFIG_BAD_VALUE")):
        feed.configure(source)
        said = feed.load(ok=False)
        assert f"[{error}]" in said and "secret" not in said, (source, said)
    (tmp_path / "feed.yml").write_text(json.dumps({
        "settings": {"LakeLocation": "store"},
        "setup": ["SET autoinstall_known_extensions = false", f"SET extension_directory = '{tmp_path}/none'"],
        "tables": [dict(feed.tables[0], **{"from": {"postgres": postgres.connection, "table": "city"}})]}))
    assert "[WEIR_FEED_SOURCE_EXTENSION]" in feed.load(ok=False)
    assert not list(tmp_path.glob("warehouse/LAKE/[!.]*")) and not (tmp_path / "store").exists()
    assert not [path for path in tmp_path.rglob("*.parquet") if b"secret" in path.read_bytes()]
