# SPDX-License-Identifier: Apache-2.0
"""`weir changes`: a range, a stream that is followed, killed and gone on with, and what it is refused for."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

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
    expected = HISTORY + [(4 + i, "insert", 10 + i, "k") for i in range(8)]
    assert brief(parquet_rows(lake)) == sorted(expected)


def test_following_sees_new_commits_and_ends_at_ctrl_c(lake):
    process = subprocess.Popen([WEIR, "changes", "t", "-w", "lake", "--follow", "--from", "latest", "--poll", "0.1"], cwd=lake,
                               stdout=subprocess.PIPE, text=True)
    time.sleep(2)
    sql(lake, "INSERT INTO t VALUES (7, 'now')")
    assert json.loads(process.stdout.readline())["v"] == "now"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0


@pytest.mark.parametrize("arguments", [[], ["--follow", "--to", "3"], ["--from", "0", "--format", "parquet"],
                                       ["--follow", "--format", "table"], ["--from", "0", "--key", "id"]])
def test_wrong_usage(lake, arguments):
    changes(lake, *arguments, status=2)


def test_errors(lake):
    assert "[DELTA_CDC_START_VERSION_AFTER_LATEST]" in changes(lake, "--from", 99, status=1).stderr
    error = changes(lake, "--follow", "--available-now", "--consumer", "../x", status=1).stderr
    assert "[WEIR_CONSUMER_NAME_INVALID]" in error
