# SPDX-License-Identifier: Apache-2.0
"""`weir changes`: a range, a stream that is followed, killed and gone on with, and what it is refused for."""
import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

WEIR = str(Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")).resolve() / "weir")


@pytest.fixture
def lake(tmp_path):
    """A warehouse with the table t: two rows, one updated, one deleted."""
    (tmp_path / "lake").mkdir()
    sql(tmp_path, "CREATE TABLE t (id BIGINT, v VARCHAR) WITH ('delta.enableChangeDataFeed' = 'true')",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')", "UPDATE t SET v = 'c' WHERE id = 1", "DELETE FROM t WHERE id = 2")
    return tmp_path


def sql(place, *statements):
    subprocess.run([WEIR, "sql", "-w", "lake", *(word for s in statements for word in ("-c", s))], cwd=place, check=True,
                   stdout=subprocess.DEVNULL)


def changes(place, *arguments, status=0):
    done = subprocess.run([WEIR, "changes", "t", "-w", "lake", *map(str, arguments)], cwd=place, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == status, done.stderr
    return done if status else done.stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def brief(rows):
    return sorted((row["_commit_version"], row["_change_type"], row["id"], row["v"]) for row in rows)


HISTORY = [(1, "insert", 1, "a"), (1, "insert", 2, "b"), (2, "update_postimage", 1, "c"), (2, "update_preimage", 1, "a"),
           (3, "delete", 2, "b")]


def test_a_range_as_json_lines(lake):
    assert brief(lines(changes(lake, "--from", 0))) == HISTORY
    assert brief(lines(changes(lake, "--from", 2, "--to", 2))) == HISTORY[2:4]
    assert brief(lines(changes(lake, "--from", "earliest"))) == HISTORY


def test_a_table_by_its_path(lake):
    done = subprocess.run([WEIR, "changes", "lake/t", "--from", "3"], cwd=lake, capture_output=True, text=True, timeout=60, check=True)
    assert brief(lines(done.stdout)) == HISTORY[4:]


def test_timestamps(lake):
    assert len(lines(changes(lake, "--from", "2020-01-01"))) == 5
    error = changes(lake, "--from", "2999-01-01", status=1).stderr
    assert "[DELTA_TIMESTAMP_GREATER_THAN_COMMIT]" in error


def test_csv_and_parquet(lake):
    assert changes(lake, "--from", 3, "--format", "csv").splitlines()[1].startswith("2,b,delete,3,")
    changes(lake, "--from", 0, "--format", "parquet", "--output", "out.parquet")
    found = subprocess.run([WEIR, "sql", "--format", "json", "-c", "SELECT * FROM 'out.parquet'"], cwd=lake, capture_output=True,
                           text=True, check=True)
    assert brief(json.loads(found.stdout)) == HISTORY


def arrow(place, table, *arguments):
    done = subprocess.run([WEIR, "changes", table, "-w", "lake", "--format", "arrow", *map(str, arguments)], cwd=place,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return pa.ipc.open_stream(done.stdout).read_all()


def test_arrow(lake):
    table = arrow(lake, "t", "--from", 0)
    table.validate(full=True)
    assert table.schema.names == ["id", "v", "_change_type", "_commit_version", "_commit_timestamp"]
    assert table.schema.field("_commit_timestamp").type == pa.timestamp("us", "UTC")
    assert brief(table.to_pylist()) == HISTORY
    followed = arrow(lake, "t", "--follow", "--available-now", "--from", 0, "--max-files", 1)
    assert brief(followed.to_pylist()) == HISTORY


ARROW_TYPES = {
    "BOOLEAN": [True, None, False], "TINYINT": [-1, None, 127], "SMALLINT": [1, 2, None], "INT": [None, None, None], "BIGINT": [1 << 40, 0, 1],
    "FLOAT": [0.5, None, -1.0], "DOUBLE": [1e300, None, 2.0], "DECIMAL(10, 2)": [Decimal("1.25"), None, Decimal("-3.00")],
    "DECIMAL(38, 0)": [Decimal(10) ** 30, None, Decimal(-1)], "VARCHAR": ["", None, "\u00e4\u20ac"], "BLOB": [b"\x00\xff", None, b""],
    "DATE": [date(2024, 2, 29), None, date(1969, 12, 31)], "TIMESTAMP": [datetime(2024, 1, 31, 12, 34, 56, 789012), None, datetime(1970, 1, 1)],
    "INT[]": [[1, None], None, []], "STRUCT(a INT, b VARCHAR[])": [{"a": 1, "b": ["x", None]}, None, {"a": None, "b": None}],
    "MAP(VARCHAR, INT)": [[("k", 1), ("l", None)], None, []],
}


def test_arrow_of_every_type(lake):
    columns = ", ".join(f"c{i} {type_}" for i, type_ in enumerate(ARROW_TYPES))
    names = [f"c{i}" for i in range(len(ARROW_TYPES))]
    sql(lake, f"CREATE TABLE every (id BIGINT, {columns}) WITH ('delta.enableChangeDataFeed' = 'true')")
    rows = pa.table({"id": [0, 1, 2]} | dict(zip(names, (pa.array(v, pa.map_(pa.string(), pa.int32()) if k.startswith("MAP") else None)
                                                         for k, v in ARROW_TYPES.items()))))
    pq.write_table(rows, lake / "rows.parquet")
    sql(lake, "INSERT INTO every SELECT * FROM 'rows.parquet'")
    table = arrow(lake, "every", "--from", 1).sort_by("id")
    table.validate(full=True)
    for name, (type_, values) in zip(names, ARROW_TYPES.items()):
        assert table[name].to_pylist() == values, type_
    # Many batches, and none.
    sql(lake, "INSERT INTO every (id, c9) SELECT i, repeat('x', i % 7) FROM range(300000) r(i)")
    table = arrow(lake, "every", "--from", 2)
    table.validate(full=True)
    assert table.num_rows == 300000 and table["c9"][6].as_py() == "x" * 6
    assert arrow(lake, "every", "--from", 0, "--to", 0).num_rows == 0


def test_net_and_keys(lake):
    net = lines(changes(lake, "--from", 2, "--net"))
    assert brief(net) == [(2, "delete", 1, "a"), (2, "insert", 1, "c"), (3, "delete", 2, "b")]
    keyed = lines(changes(lake, "--from", 2, "--net", "--key", "id"))
    assert brief(keyed) == [(2, "update_postimage", 1, "c"), (2, "update_preimage", 1, "a"), (3, "delete", 2, "b")]


def test_debezium_envelopes(lake):
    events = lines(changes(lake, "--from", 1, "--format", "debezium", "--key", "id"))
    assert [(e["op"], e["before"], e["after"]) for e in events] == [
        ("c", None, {"id": 1, "v": "a"}), ("c", None, {"id": 2, "v": "b"}),
        ("u", {"id": 1, "v": "a"}, {"id": 1, "v": "c"}), ("d", {"id": 2, "v": "b"}, None)]
    assert events[2]["source"]["version"] == 2 and events[2]["source"]["ts_ms"] <= events[2]["ts_ms"]
    unpaired = lines(changes(lake, "--from", 2, "--to", 2, "--format", "debezium"))
    assert sorted(e["op"] for e in unpaired) == ["c", "d"]
    net = lines(changes(lake, "--from", 1, "--net", "--format", "debezium", "--key", "id"))
    assert [(e["op"], e["before"], e["after"]) for e in net] == [("c", None, {"id": 1, "v": "c"})]
    net = lines(changes(lake, "--from", 2, "--net", "--format", "debezium", "--key", "id"))
    assert [(e["op"], e["before"], e["after"]) for e in net] == [
        ("u", {"id": 1, "v": "a"}, {"id": 1, "v": "c"}), ("d", {"id": 2, "v": "b"}, None)]
    error = changes(lake, "--from", 1, "--format", "debezium", "--key", "nothing", status=1).stderr
    assert "[WEIR_CHANGE_KEY_NOT_FOUND]" in error


def test_stats(lake):
    rows = json.loads(changes(lake, "--from", 0, "--stats", "--format", "json"))
    commits = [(r["version"], r["operation"], r["change_type"], r["rows"]) for r in rows if r["version"] is not None]
    assert (2, "UPDATE", "update_preimage", 1) in commits and (3, "DELETE", "delete", 1) in commits
    sums = {(r["operation"], r["change_type"]): r["rows"] for r in rows if r["version"] is None}
    assert sums[("WRITE", "insert")] == 2


def test_following_begins_with_the_rows_there_are(lake):
    rows = lines(changes(lake, "--follow", "--available-now"))
    assert brief(rows) == [(3, "insert", 1, "c")]


def test_a_consumer_goes_on_where_it_was(lake):
    follow = ["--follow", "--available-now", "--from", "earliest", "--consumer", "c1"]
    assert brief(lines(changes(lake, *follow))) == HISTORY
    assert changes(lake, *follow) == ""
    sql(lake, "INSERT INTO t VALUES (3, 'd')")
    assert brief(lines(changes(lake, *follow))) == [(4, "insert", 3, "d")]
    assert json.loads((lake / ".weir" / "offsets" / "c1.json").read_text())["nextVersion"] == 5


def test_the_rows_that_are_there_come_in_parts(lake):
    sql(lake, *(f"INSERT INTO t VALUES ({10 + i}, 'x')" for i in range(3)))
    process = subprocess.Popen([WEIR, "changes", "t", "-w", "lake", "--follow", "--max-files", "2", "--consumer", "c"], cwd=lake,
                               stdout=subprocess.PIPE, text=True)
    offset = lake / ".weir" / "offsets" / "c.json"
    while not offset.exists() or json.loads(offset.read_text())["nextVersion"] < 7:
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    first = lines(process.communicate()[0])
    assert brief(first) == [(6, "insert", 1, "c")] + [(6, "insert", 10 + i, "x") for i in range(3)]
    # A place inside the rows.
    offset.write_text(json.dumps(json.loads(offset.read_text()) | {"formatVersion": 2, "nextVersion": 6, "nextFile": 2, "inSnapshot": True}))
    sql(lake, "DELETE FROM t WHERE id = 1")
    rest = lines(changes(lake, "--follow", "--available-now", "--max-files", "1", "--consumer", "c"))
    assert brief(rest[:-1]) == brief(first[2:]) and rest[-1]["_change_type"] == "delete"


def test_batches_do_not_split_commits(lake):
    rows = lines(changes(lake, "--follow", "--available-now", "--from", 0, "--max-files", 1))
    assert brief(rows) == HISTORY


def test_an_offset_of_another_table_is_refused(lake):
    follow = ["--follow", "--available-now", "--from", "earliest", "--consumer", "c1"]
    changes(lake, *follow)
    offset = (lake / ".weir" / "offsets" / "c1.json").read_text()
    sql(lake, "DROP TABLE t", "CREATE TABLE t (id BIGINT, v VARCHAR) WITH ('delta.enableChangeDataFeed' = 'true')")
    assert "[DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE]" in changes(lake, *follow, status=1).stderr
    assert (lake / ".weir" / "offsets" / "c1.json").read_text() == offset
    (lake / ".weir" / "offsets" / "c1.json").write_text("{}")
    assert "[WEIR_OFFSET_MALFORMED]" in changes(lake, *follow, status=1).stderr


def test_bad_input_gives_nothing_and_leaves_the_offset(lake):
    sql(lake, "CREATE TABLE off (id BIGINT)", "INSERT INTO off VALUES (1)", "CALL weir_checkpoint('t')")
    follow = ["t", "--follow", "--available-now", "--from", "0", "--consumer", "c", "--max-files", "1"]
    subprocess.run([WEIR, "changes", *follow, "-w", "lake"], cwd=lake, check=True, stdout=subprocess.DEVNULL)
    offset = lake / ".weir" / "offsets" / "c.json"
    place = json.loads(offset.read_text()) | {"nextVersion": 2}
    log = lake / "lake" / "t" / "_delta_log"

    def refuse(name, arguments, **kept):
        offset.write_text(json.dumps(place | kept))
        before = offset.read_text()
        done = subprocess.run([WEIR, "changes", *arguments, "-w", "lake"], cwd=lake, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (1, "") and f"[{name}]" in done.stderr, (name, done.stderr)
        assert offset.read_text() == before and os.listdir(offset.parent) == ["c.json"]

    refuse("DELTA_TABLE_NOT_FOUND", ["nothing", *follow[1:]])
    refuse("DELTA_INVALID_CDC_RANGE", ["t", "--from", "3", "--to", "2"])
    refuse("DELTA_CDC_START_VERSION_AFTER_LATEST", ["t", "--from", "99"])
    refuse("DELTA_TIMESTAMP_GREATER_THAN_COMMIT", ["t", "--from", "2999-01-01"])
    refuse("DELTA_MISSING_CHANGE_DATA", ["off", "--from", "0"])
    refuse("DELTA_MISSING_CHANGE_DATA", ["off", "--follow", "--available-now", "--consumer", "new"])
    refuse("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE", ["off", *follow[1:]])
    refuse("DELTA_CDC_START_VERSION_AFTER_LATEST", follow, nextVersion=99)
    # Commits that were cleaned up.
    commits = [log / f"{version:020}.json" for version in range(3)]
    for commit in commits:
        commit.rename(lake / commit.name)
    refuse("DELTA_VERSION_NOT_FOUND", follow)
    refuse("DELTA_VERSION_NOT_FOUND", ["t", "--from", "1"])
    for commit in commits:
        (lake / commit.name).rename(commit)
    # A change data file that is damaged, and one that is gone.
    changed = lake / "lake" / "t" / next(json.loads(line)["cdc"]["path"] for line in commits[2].read_text().splitlines() if '"cdc"' in line)
    changed.write_bytes(b"PAR1" + bytes(changed.stat().st_size - 8) + b"PAR1")
    refuse("FAILED_READ_FILE", follow)
    follow[follow.index("0")] = "2"
    refuse("FAILED_READ_FILE", [*follow, "--format", "parquet", "--output", "out"])
    assert not list((lake / "out").rglob("*.parquet"))
    changed.unlink()
    refuse("DELTA_CHANGE_DATA_FILE_NOT_FOUND", follow)
    refuse("DELTA_CHANGE_DATA_FILE_NOT_FOUND", ["t", *follow[1:], "--into", "log"])
    assert not (lake / "lake" / "log").exists() or query(lake, "SELECT count(*) AS n FROM log") == [{"n": 0}]


def parquet_rows(place):
    found = subprocess.run([WEIR, "sql", "--format", "json", "-c", "SELECT * FROM read_parquet('out/*.parquet')"], cwd=place,
                           capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def test_parquet_files_hold_each_change_once_wherever_the_writer_was_killed(lake):
    follow = [WEIR, "changes", "t", "-w", "lake", "--follow", "--from", "0", "--format", "parquet", "--output", "out", "--max-files", "1",
              "--poll", "0.05"]
    for i in range(8):
        process = subprocess.Popen(follow, cwd=lake, stdout=subprocess.DEVNULL)
        sql(lake, f"INSERT INTO t VALUES ({10 + i}, 'k')")
        time.sleep(0.05 * i)
        process.kill()
        process.wait()
    subprocess.run([*follow, "--available-now"], cwd=lake, check=True, timeout=60)
    assert not [file for file in os.listdir(lake / "out") if file.startswith("tmp_")], "readers would take it for one of theirs"
    expected = HISTORY + [(4 + i, "insert", 10 + i, "k") for i in range(8)]
    assert brief(parquet_rows(lake)) == sorted(expected)


def query(place, text):
    done = subprocess.run([WEIR, "sql", "-w", "lake", "--format", "json", "-c", text], cwd=place, capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def run(place, *arguments):
    subprocess.run([WEIR, "changes", *arguments, "-w", "lake"], cwd=place, check=True, timeout=120, stdout=subprocess.DEVNULL)


def test_into_a_table(lake):
    log = ["t", "--follow", "--available-now", "--from", "0", "--consumer", "logger", "--into", "log"]
    copy = ["t", "--follow", "--available-now", "--consumer", "copier", "--into", "copy", "--key", "id"]
    run(lake, *log)
    run(lake, *copy)
    assert brief(query(lake, "FROM log")) == HISTORY
    assert query(lake, "FROM copy") == [{"id": 1, "v": "c"}]
    sql(lake, "INSERT INTO t VALUES (3, 'd'), (4, 'e')", "UPDATE t SET v = 'f' WHERE id = 3", "DELETE FROM t WHERE id = 1",
        "ALTER TABLE t ADD COLUMN n BIGINT", "UPDATE t SET n = 7 WHERE id = 4")
    run(lake, *log)
    run(lake, *copy)
    assert query(lake, "FROM copy ORDER BY id") == query(lake, "FROM t ORDER BY id")
    assert query(lake, "SELECT count(*) AS n FROM log")[0]["n"] == query(lake, "SELECT count(*) AS n FROM table_changes('t', 0)")[0]["n"]
    # The table knows how far it is, should the offset be lost.
    (lake / ".weir" / "offsets" / "logger.json").unlink()
    run(lake, *log)
    assert query(lake, "SELECT app_id, version FROM weir_transactions('log')") == [{"app_id": "logger", "version": 8}]
    assert query(lake, "SELECT count(*) AS n FROM log")[0]["n"] == query(lake, "SELECT count(*) AS n FROM table_changes('t', 0)")[0]["n"]


def test_a_table_that_is_not_there_gets_all_and_the_followed_one_nothing(lake):
    follow = ["--follow", "--available-now", "--consumer", "c"]
    run(lake, "t", *follow, "--into", "first", "--key", "id")
    run(lake, "t", *follow, "--into", "second", "--key", "id")
    assert query(lake, "FROM second") == query(lake, "FROM t")
    assert "[WEIR_TARGET_IS_SOURCE]" in changes(lake, *follow, "--into", "lake.main.t", status=1).stderr
    assert "[WEIR_CHANGE_KEY_NOT_FOUND]" in changes(lake, *follow, "--into", "third", "--key", "nothing", status=1).stderr
    error = subprocess.run([WEIR, "changes", "nowhere/t", "--from", "0"], cwd=lake, capture_output=True, text=True, check=False).stderr
    assert "[DELTA_TABLE_NOT_FOUND] there is no Delta table at " in error


STATEMENTS = ["INSERT INTO t SELECT {n} * 10 + i, 'i' FROM range(5) r(i)", "UPDATE t SET v = 'u{n}' WHERE id % 3 = {n} % 3",
              "DELETE FROM t WHERE id % 7 = {n} % 7", "OPTIMIZE t", "VACUUM t",
              "MERGE INTO t USING (SELECT {n} * 10 AS id, 'm{n}' AS v) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v "
              "WHEN NOT MATCHED THEN INSERT *", "RESTORE TABLE t TO VERSION AS OF {back}", "INSERT INTO t VALUES ({n}, 'one')"]


def writer_script(place, random_, count):
    """Random statements, and now and then a restore to a version that is there."""
    lines_ = []
    for n in range(count):
        lines_.append(random_.choice(STATEMENTS).format(n=n + 100, back=random_.randrange(1, 4)) + ";")
    path = place / "writer.sql"
    path.write_text("\n".join(lines_))
    return path


@pytest.mark.parametrize("seed", range(2))
def test_exactly_once_wherever_a_follower_is_killed(lake, seed):
    random_ = random.Random(seed)
    common = ["t", "-w", "lake", "--follow", "--from", "0", "--max-files", "3", "--poll", "0.02"]
    followers = [[WEIR, "changes", *common, "--consumer", "log", "--into", "log"],
                 [WEIR, "changes", "t", "-w", "lake", "--follow", "--poll", "0.02", "--consumer", "copy", "--into", "copy", "--key", "id"],
                 [WEIR, "changes", *common, "--format", "parquet", "--output", "out"],
                 [WEIR, "changes", "t", "-w", "lake", "--follow", "--poll", "0.02", "--max-files", "1", "--format", "parquet", "--output", "rows"]]
    sql(lake, *(f"INSERT INTO t VALUES ({900 + i}, 'there')" for i in range(6)))
    # The copy begins where keys are still unique.
    writer = subprocess.Popen([WEIR, "sql", "-w", "lake", "-f", str(writer_script(lake, random_, 40))], cwd=lake,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while writer.poll() is None:
        running = [subprocess.Popen(command, cwd=lake, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in followers]
        for process in random_.sample(running, len(running)):
            time.sleep(random_.random() * 0.5)
            process.kill()
            process.wait()
    assert writer.returncode == 0, writer.stderr.read()
    for command in followers:
        subprocess.run([*command, "--available-now"], cwd=lake, check=True, timeout=120)
    columns = "id, v, _change_type, _commit_version"
    for feed in ("log", "read_parquet('out/*.parquet')"):
        assert query(lake, f"(SELECT {columns} FROM {feed} EXCEPT ALL SELECT {columns} FROM table_changes('t', 0)) UNION ALL "
                           f"(SELECT {columns} FROM table_changes('t', 0) EXCEPT ALL SELECT {columns} FROM {feed})") == [], feed
    assert query(lake, "FROM copy ORDER BY ALL") == query(lake, "FROM t ORDER BY ALL")
    # This one began with the rows that were there, a file at a time.
    rows = query(lake, "SELECT id, v, _change_type FROM read_parquet('rows/*.parquet')")
    table = Counter()
    for row in rows:
        table[row["id"], row["v"]] += 1 if row["_change_type"] in ("insert", "update_postimage") else -1
    assert +table == Counter((row["id"], row["v"]) for row in query(lake, "FROM t")) and not -table


def test_appends_by_row_id_and_batches_of_rows(lake):
    sql(lake, "CREATE TABLE p (id BIGINT) WITH ('delta.enableRowTracking' = 'true')", "INSERT INTO p VALUES (1), (2)",
        "INSERT INTO p VALUES (3)", "DELETE FROM p WHERE id = 1")
    def follow(*arguments, status=0):
        done = subprocess.run([WEIR, "changes", "p", "-w", "lake", "--follow", "--available-now", "--from", "0", *arguments], cwd=lake,
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, done.stderr
        return done.stderr if status else [(row["id"], row["_change_type"]) for row in lines(done.stdout)]
    assert "[DELTA_MISSING_CHANGE_DATA]" in follow(status=1)
    # What came before the commit that cannot be told was given out.
    assert "[DELTA_SOURCE_" in follow("--appends", "--consumer", "c", status=1)
    assert json.loads((lake / ".weir" / "offsets" / "c.json").read_text())["nextVersion"] == 3
    assert sorted(follow("--appends", "--skip-change-commits")) == [(1, "insert"), (2, "insert"), (3, "insert")]
    assert follow("--by-row-id", "--max-rows", "1")[-1] == (1, "delete")


def test_prometheus_and_lag(lake):
    changes(lake, "--follow", "--available-now", "--from", 0, "--consumer", "c1")
    sql(lake, "INSERT INTO t VALUES (8, 'x')")
    text = changes(lake, "--from", "earliest", "--stats", "--format", "prometheus")
    assert 'weir_changes_rows{table="t",operation="DELETE",change_type="delete"} 1\n' in text
    assert 'weir_changes_commits{table="t",operation="WRITE"} 2\n' in text
    assert 'weir_changes_consumer_lag_versions{table="t",consumer="c1"} 1\n' in text
    for line in text.splitlines():
        assert re.fullmatch(r'# (HELP \w+ .+|TYPE \w+ gauge)|\w+\{(\w+="[^"]*",?)+\} \d+(\.\d+)?', line), line
    lag = lines(changes(lake, "--consumers"))
    assert [(row["consumer"], row["next_version"], row["lag_versions"]) for row in lag] == [("c1", 4, 1)]


def test_what_is_before_another_schema_is_given_out_and_a_new_start_goes_on(lake):
    follow = ["--follow", "--available-now", "--from", "earliest", "--consumer", "c1"]
    log = lake / "lake" / "t" / "_delta_log"
    metadata = next(action for line in (log / f"{0:020}.json").read_text().splitlines() if "metaData" in (action := json.loads(line)))
    metadata["metaData"]["schemaString"] = metadata["metaData"]["schemaString"].replace('"name":"v"', '"name":"w"')
    (log / f"{4:020}.json").write_text(json.dumps(metadata) + "\n")
    sql(lake, "INSERT INTO t VALUES (5, 'e')")
    error = changes(lake, *follow, status=1)
    assert "[DELTA_SCHEMA_CHANGED_WITH_VERSION]" in error.stderr
    assert brief(lines(error.stdout)) == HISTORY
    assert [(row["id"], row["w"]) for row in lines(changes(lake, *follow))] == [(5, "e")]


def test_following_sees_new_commits_and_ends_at_ctrl_c(lake):
    process = subprocess.Popen([WEIR, "changes", "t", "-w", "lake", "--follow", "--from", "latest", "--poll", "0.05", "--consumer", "c"],
                               cwd=lake, stdout=subprocess.PIPE, text=True)
    # Where it began is kept before there is anything to give out.
    while not (lake / ".weir" / "offsets" / "c.json").exists():
        assert process.poll() is None
        time.sleep(0.05)
    sql(lake, "INSERT INTO t VALUES (7, 'now')")
    assert json.loads(process.stdout.readline())["v"] == "now"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0


@pytest.mark.parametrize("arguments", [[], ["--follow", "--to", "3"], ["--from", "0", "--format", "parquet"],
                                       ["--follow", "--format", "table"], ["--from", "0", "--key", "id"],
                                       ["--from", "0", "--net", "--stats"]])
def test_wrong_usage(lake, arguments):
    changes(lake, *arguments, status=2)


def test_errors(lake):
    assert "[DELTA_CDC_START_VERSION_AFTER_LATEST]" in changes(lake, "--from", 99, status=1).stderr
    error = changes(lake, "--follow", "--available-now", "--consumer", "../x", status=1).stderr
    assert "[WEIR_CONSUMER_NAME_INVALID]" in error
