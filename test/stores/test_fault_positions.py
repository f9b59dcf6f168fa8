# SPDX-License-Identifier: Apache-2.0
"""The i-th request of a statement goes wrong, for i = 0, 1, 2, ... until it ends without. Afterwards the table is as
before or as after the statement, the writer was told the truth, weir check finds nothing, and the next try ends well.

WEIR_FAULT_STRIDE=1 tries every position with every kind of fault, 29 every 29th, others for every kind. Without it nothing is
tried: each position takes a second or more.
"""
import json
import os
import re
import subprocess
import urllib.request

import pytest
from conftest import BUILD
from faults import KINDS

STRIDE = int(os.environ.get("WEIR_FAULT_STRIDE", "0"))
pytestmark = pytest.mark.skipif(STRIDE == 0, reason="takes minutes: WEIR_FAULT_STRIDE=29 runs it")

FEED = ", 'delta.enableChangeDataFeed' = 'true'"
REWRITES = ", 'delta.enableDeletionVectors' = 'false'"


def table(properties="", interval=100):
    return (f"CREATE TABLE t (id INT, v INT) WITH ('delta.checkpointInterval' = '{interval}'{properties});"
            "INSERT INTO t SELECT i, 0 FROM range(6) r(i); INSERT INTO t VALUES (6, 0);")


# What is there before, the statement, and whether a second run of it changes the rows again.
SCENARIOS = {
    "create": ("", "CREATE TABLE t AS SELECT i AS id, 0 AS v FROM range(3) r(i)", True),
    "append": (table(), "INSERT INTO t VALUES (7, 1)", True),
    "update": (table(FEED), "UPDATE t SET v = v + 1 WHERE id % 2 = 0", True),
    "rewrite": (table(REWRITES), "DELETE FROM t WHERE id < 3", False),
    "merge": (table(FEED),
              "MERGE INTO t USING (SELECT i AS id FROM range(5, 9) r(i)) s ON t.id = s.id "
              "WHEN MATCHED THEN UPDATE SET v = 5 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 9)", True),
    "checkpoint": (table(interval=1), "INSERT INTO t VALUES (7, 1)", True),
    "optimize": (table(), "OPTIMIZE t", False),
    "vacuum": (table(REWRITES) + "DELETE FROM t WHERE id = 1",
               "SET weir_vacuum_retention_check = false; VACUUM t RETAIN 0 HOURS", False),
    "restore": (table(), "RESTORE TABLE t TO VERSION AS OF 1", False),
}


def copy_folder(url, source, target):
    with urllib.request.urlopen(f"{url}?list-type=2&prefix={source}/") as answer:
        keys = re.findall(r"<Key>(.*?)</Key>", answer.read().decode())
    for key in keys:
        headers = {"x-amz-copy-source": f"/weir-faults/{key}"}
        name = target + key[len(source):]
        urllib.request.urlopen(urllib.request.Request(f"{url}/{name}", method="PUT", headers=headers)).close()


def look(lake, folder, and_then=""):
    """The rows of t and what weir check says of it, after `and_then`; None when there is no table."""
    done = lake.weir("-c", f"{and_then}; SELECT id, v FROM t ORDER BY ALL; SELECT rule, file FROM weir_check('t')",
                     folder=folder)
    if done.returncode == 1 and "Table with name t does not exist" in done.stderr:
        return None, []
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    rows = [(line["id"], line["v"]) for line in lines if "id" in line]
    return rows, [line for line in lines if "rule" in line]


def run_with_fault(lake, faults, folder, statement, position, kind):
    command = [str(BUILD / "weir"), "sql", "-w", f"{lake.root}/{folder}", "-c", statement]
    faults.arm(folder, position, kind)
    process = subprocess.Popen(command, env=lake.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    faults.watch(process)
    _, errors = process.communicate(timeout=120)
    faults.disarm()
    return process.returncode, errors


def try_position(lake, faults, name, position, kind, before, after):
    _, statement, repeats = SCENARIOS[name]
    folder = f"{name}-{kind}-{position}"
    copy_folder(lake.url, f"{name}-before", folder)
    code, errors = run_with_fault(lake, faults, folder, statement, position, kind)
    what = f"{name}, {kind} at request {position}: exit {code}, {errors}"
    assert faults.was_hit or code == 0, what
    rows, findings = look(lake, folder)
    assert rows in (before, after) and findings == [], what
    if code == 0:
        assert rows == after, what
    elif code > 0 and "STATE_UNKNOWN" not in errors:
        assert rows == before, what
    # The next try ends well, unless it would do the work again.
    if rows == before or not repeats:
        assert look(lake, folder, and_then=statement) == (after, []), what


@pytest.mark.parametrize("name", SCENARIOS)
def test_whatever_request_goes_wrong(lake, faults, name):
    setup, statement, _ = SCENARIOS[name]
    before, _ = look(lake, f"{name}-before", and_then=setup)
    copy_folder(lake.url, f"{name}-before", f"{name}-good")
    code, errors = run_with_fault(lake, faults, f"{name}-good", statement, 10**9, "denied")
    assert code == 0, errors
    requests = faults.count
    after, _ = look(lake, f"{name}-good")
    hits = []
    for number, kind in enumerate(KINDS):
        for position in range(number * STRIDE // len(KINDS), requests, STRIDE):
            try_position(lake, faults, name, position, kind, before, after)
            hits.append(faults.was_hit)
    print(f"{name}: {requests} requests, {len(hits)} runs, {sum(hits)} faults")
    assert any(hits)
