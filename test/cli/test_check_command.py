# SPDX-License-Identifier: Apache-2.0
"""`weir check`: a sound table has no findings; of damaged copies each damage is found by the rule that it breaks, and what can be
repaired is."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

WEIR = str(Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")).resolve() / "weir")

# Every kind of file that a log has: checkpoints, .crc, deletion vectors, change data; rows with ids, rules, partitions.
MAKE = """
CREATE TABLE t (id BIGINT NOT NULL, p VARCHAR, v DOUBLE, s STRUCT(a INTEGER), CHECK (v >= 0)) PARTITIONED BY (p)
WITH ('delta.enableDeletionVectors' = true, 'delta.enableRowTracking' = true, 'delta.enableChangeDataFeed' = true,
      'delta.checkpointInterval' = 2, 'delta.enableInCommitTimestamps' = true);
INSERT INTO t SELECT range, 'a b', range / 2, {'a': range} FROM range(100);
INSERT INTO t SELECT range, 'c', NULL, NULL FROM range(100, 150) WHERE false;
INSERT INTO t SELECT range, 'c', range, {'a': NULL} FROM range(100, 150);
DELETE FROM t WHERE id = 7;
UPDATE t SET v = 1 WHERE id = 100;
INSERT INTO t SELECT range, 'd', range, {'a': range} FROM range(200, 260);
OPTIMIZE t;
INSERT INTO t VALUES (1000, NULL, 5, NULL);
"""


def weir(*arguments, ok=True):
    done = subprocess.run([WEIR, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)
    assert not ok or done.returncode == 0, done.stderr
    return done


def rows(table):
    return json.loads(weir("sql", "-c", f"SELECT * FROM '{table}' ORDER BY id", "--format", "json").stdout)


def check(table, *options):
    done = weir("check", table, "--format", "json", *options, ok=False)
    assert done.returncode in (0, 1), done.stderr
    findings = json.loads(done.stdout) if done.stdout else pytest.fail(done.stderr)
    assert done.returncode == (1 if any(not finding["repaired"] for finding in findings) else 0)
    return findings


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    lake = tmp_path_factory.mktemp("sound")
    weir("sql", "-w", lake, "-c", MAKE)
    return lake / "t"


@pytest.fixture
def table(sound, tmp_path):
    return Path(shutil.copytree(sound, tmp_path / "t"))


def commit(table, version):
    return table / "_delta_log" / f"{version:020}.json"


def commits(table):
    return sorted((table / "_delta_log").glob("*.json"))


def edit(path, change):
    """Gives each action (one line of a commit) to `change`; what it returns replaces it, None drops it."""
    lines = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines if line is not None))


def edit_first(table, name, change, where=lambda action: True):
    """Changes the last live action of that name in the log."""
    for path in reversed(commits(table)):
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        for action in actions:
            if name in action and where(action[name]):
                changed = change(action[name])
                if changed is None:
                    actions.remove(action)
                path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in actions))
                return
    raise AssertionError(f"no {name} in the log")


def set_member(name, value):
    def change(action):
        action[name] = value(action[name]) if callable(value) else value
        return action
    return change


def set_stats(**members):
    def change(action):
        stats = json.loads(action["stats"])
        for name, value in members.items():
            stats[name] = value(stats[name]) if callable(value) else value
        action["stats"] = json.dumps(stats)
        return action
    return change


def live_file(table):
    """The newest data file."""
    for path in reversed(commits(table)):
        for line in path.read_text().splitlines():
            action = json.loads(line)
            if "add" in action:
                return table / action["add"]["path"].replace("%20", " ")
    raise AssertionError


def flip(path, offset):
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x41
    path.write_bytes(bytes(data))


def newest(table, pattern):
    return sorted((table / "_delta_log").glob(pattern))[-1]


def forget_checkpoints(table):
    for path in [*(table / "_delta_log").glob("*checkpoint*"), *(table / "_delta_log").glob("*.crc")]:
        path.unlink()


def last_version(table):
    return int(commits(table)[-1].name[:20])


DAMAGES = {
    "a data file is gone": (lambda t: live_file(t).unlink(), {"file-present"}),
    "a data file is cut": (lambda t: live_file(t).write_bytes(live_file(t).read_bytes()[:-5]), {"file-size"}),
    "a data file has another footer": (lambda t: flip(live_file(t), -6), {"file-readable"}),
    "a data file has another beginning": (lambda t: flip(live_file(t), 9), {"file-readable", "statistics"}),
    "a checkpoint has another byte": (lambda t: flip(newest(t, "*.checkpoint*.parquet"), -6), {"checkpoint"}),
    "a checkpoint is of another version": (
        lambda t: shutil.copy(sorted((t / "_delta_log").glob("*.checkpoint*.parquet"))[0], newest(t, "*.checkpoint*.parquet")),
        {"checkpoint"}),
    "a deletion vector has another byte": (lambda t: [flip(f, -6) for f in t.glob("**/deletion_vector_*.bin")], {"deletion-vector"}),
    "a deletion vector is gone": (lambda t: [f.unlink() for f in t.glob("**/deletion_vector_*.bin")], {"deletion-vector"}),
    "a commit is gone": (lambda t: commit(t, 3).unlink(), {"versions"}),
    "a commit is cut": (lambda t: commit(t, 5).write_text(commit(t, 5).read_text()[:-30]), {"commit-readable"}),
    "a commit is empty": (lambda t: commit(t, last_version(t)).write_text(""), {"in-commit-timestamps", "checksum"}),
    "an add has another path": (lambda t: edit_first(t, "add", set_member("path", "p=c/nothing.parquet")), {"file-present"}),
    "an add has another size": (lambda t: edit_first(t, "add", set_member("size", 1)), {"file-size", "checksum"}),
    "an add has a partition value of no column": (lambda t: edit_first(t, "add", set_member("partitionValues", {})),
                                                  {"partition-values"}),
    "an add is gone": (lambda t: edit_first(t, "add", lambda add: None), {"checksum"}),
    "a remove has another path": (lambda t: edit_first(t, "remove", set_member("path", "other.parquet")), {"commit-files"}),
    "a remove is gone": (lambda t: edit_first(t, "remove", lambda remove: None), {"checksum"}),
    "an add is there twice": (
        lambda t: commit(t, last_version(t)).write_text(commit(t, last_version(t)).read_text() +
                                                        [line for line in commit(t, last_version(t)).read_text().splitlines()
                                                         if line.startswith('{"add"')][0] + "\n"),
        {"commit-files"}),
    "the protocol is another": (lambda t: edit_first(t, "protocol", set_member("writerFeatures", lambda f: f + ["changeDataFeed2"][:0] + ["clustering"])),
                                {"checksum"}),
    "minValues are too great": (lambda t: edit_first(t, "add", set_stats(minValues=lambda v: {**v, "id": v["id"] + 1})), {"statistics"}),
    "maxValues are too small": (lambda t: edit_first(t, "add", set_stats(maxValues=lambda v: {**v, "v": v["v"] - 1})), {"statistics"}),
    "a nullCount is wrong": (lambda t: edit_first(t, "add", set_stats(nullCount=lambda v: {**v, "id": 1})), {"statistics"}),
    "numRecords is wrong": (lambda t: edit_first(t, "add", set_stats(numRecords=lambda n: n - 1)), {"record-count"}),
    "row ids are above the mark": (lambda t: edit_first(t, "add", set_member("baseRowId", 10**6)), {"row-ids"}),
    "row ids are given twice": (lambda t: edit_first(t, "add", set_member("baseRowId", 0)), {"row-id-ranges"}),
    "a CHECK constraint does not hold": (
        lambda t: (forget_checkpoints(t), edit_first(t, "metaData", lambda m: m["configuration"].update({"delta.constraints.small": "id < 100"}) or m)),
        {"constraint"}),
    "a timestamp is not behind the last": (lambda t: edit_first(t, "commitInfo", set_member("inCommitTimestamp", 5)), {"in-commit-timestamps"}),
    "a .crc counts other files": (lambda t: edit(newest(t, "*.crc"), set_member("numFiles", 77)), {"checksum"}),
    "a .crc has another histogram": (
        lambda t: edit(newest(t, "*.crc"), lambda c: c["fileSizeHistogram"]["fileCounts"].__setitem__(3, 9) or c), {"checksum"}),
    "a .crc is no JSON": (lambda t: newest(t, "*.crc").write_text("{"), {"checksum"}),
    "_last_checkpoint names another version": (
        lambda t: (t / "_delta_log/_last_checkpoint").write_text('{"version":999,"size":1}'), {"last-checkpoint"}),
    "_last_checkpoint has another byte": (lambda t: flip(t / "_delta_log/_last_checkpoint", 12), {"last-checkpoint"}),
    "a compaction says something else": (
        lambda t: (t / "_delta_log" / f"{1:020}.{2:020}.compacted.json").write_text(commit(t, 1).read_text().splitlines()[-1] + "\n"),
        {"compaction"}),
    "a change file tells other rows": (
        lambda t: edit_first(t, "cdc", set_member("path", sorted(str(f.relative_to(t)).replace(" ", "%20") for f in t.glob("_change_data/*b*/*"))[0])),
        {"change-feed"}),
}


# Whose values nobody can tell from outside: times and labels, and whether a commit with change files changes data.
UNKNOWABLE = {"modificationTime", "deletionTimestamp", "createdTime", "description", "name", "tags", "extendedFileMetadata", "txnId", "format",
              "dataChange"}


def changed(value):
    """The value made another one of its kind; None where there is nothing to change."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 10**7
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x"
    if isinstance(value, list):
        return value[1:] if value else ["x"]
    return {**value, next(iter(value)): "x"} if value else {"x": "x"}


def member_damages(line):
    """Each member of the line's action, changed; and its name with one character changed."""
    [(name, action)] = line.items()
    if name in ("commitInfo", "checkpointMetadata"):
        return
    for member, value in action.items():
        if member not in UNKNOWABLE and value is not None:
            yield f"{name}.{member}", {name: {**action, member: changed(value)}}
        renamed = member[:-1] + chr(ord(member[-1]) ^ 1)
        yield f"name of {name}.{member}", {name: {renamed if key == member else key: old for key, old in action.items()}}


def line_damages(table):
    """(what, file, its new content) for every line of every kind of file of lines: gone, and each member changed."""
    for path in sorted((table / "_delta_log").rglob("*")):
        if path.suffix not in (".json", ".crc") or (path.suffix == ".crc" and path != newest(table, "*.crc")):
            continue
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for i, line in enumerate(lines):
            damages = list(member_damages(line if path.suffix == ".json" else {"crc": line}))
            if path.suffix == ".json" and "commitInfo" not in line:
                damages.append((f"{next(iter(line))} gone", None))
            for what, new in damages:
                new = new["crc"] if new and path.suffix == ".crc" else new
                left = [*lines[:i], *([new] if new else []), *lines[i + 1:]]
                yield f"{path.name}: {what}", path, "".join(json.dumps(x, separators=(",", ":")) + "\n" for x in left).encode()


def byte_damages(table):
    """One byte at each place of a Parquet file or deletion vector that a reader must understand."""
    for path in sorted(table.rglob("*")):
        data = path.read_bytes() if path.suffix in (".parquet", ".bin") else b""
        places = range(0, len(data), 3) if path.suffix == ".bin" else (0, 3, len(data) - 1, len(data) - 6) if data else ()
        for place in places:
            damaged = bytearray(data)
            damaged[place] ^= 0x41
            yield f"{path.name}: byte {place}", path, bytes(damaged)


MAKE_SMALL = """
CREATE TABLE t (id BIGINT, p VARCHAR) PARTITIONED BY (p)
WITH ('delta.enableDeletionVectors' = true, 'delta.enableRowTracking' = true, 'delta.enableChangeDataFeed' = true,
      'delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = 100);
INSERT INTO t SELECT range, 'a' FROM range(10);
INSERT INTO t VALUES (20, 'b');
DELETE FROM t WHERE id IN (3, 20);
SELECT * FROM weir_compact_log('t', first => 0, last => 2);
CHECKPOINT lake;
INSERT INTO t VALUES (30, 'c');
"""


def test_every_changed_line_and_byte_is_found(tmp_path):
    (tmp_path / "lake").mkdir()
    weir("sql", "-w", tmp_path / "lake", "-c", MAKE_SMALL)
    table = tmp_path / "lake" / "t"
    live = {row["f"] for row in json.loads(weir("sql", "-c", f"SELECT DISTINCT _metadata.file_name AS f FROM '{table}'", "--format", "json").stdout)}
    labels = {"rows": {}, "quick": {}}
    for n, (what, path, content) in enumerate([*line_damages(table), *byte_damages(table)]):
        if path.name.startswith("part-") and path.name not in live:
            continue
        # Rows are read for what the log says of rows alone.
        of_rows = any(word in what for word in ("stats", "cdc")) or path.name.startswith("part-")
        kind = "rows" if of_rows else "quick"
        copy = tmp_path / kind / f"t{n}"
        shutil.copytree(table, copy, copy_function=os.link)
        (copy / path.relative_to(table)).unlink()
        (copy / path.relative_to(table)).write_bytes(content)
        labels[kind][copy.name] = what
    found = {Path(finding["table"]).name for finding in check(tmp_path / "quick", "--quick") + check(tmp_path / "rows")}
    assert sorted(what for kind in labels.values() for name, what in kind.items() if name not in found) == []


def test_a_sound_table_has_no_findings(sound):
    assert check(sound) == []
    assert check(sound, "--quick") == []
    assert weir("check", "-w", sound.parent, "t").returncode == 0


def test_all_tables_of_a_folder_are_checked(sound, tmp_path):
    for name in ("a", "schema/b", "c"):
        shutil.copytree(sound, tmp_path / name)
    assert check(tmp_path, "--quick") == []
    live_file(tmp_path / "schema/b").unlink()
    assert {Path(finding["table"]).name for finding in check(tmp_path, "--quick")} == {"b"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found(damage, table):
    inflict, expected = DAMAGES[damage]
    inflict(table)
    findings = check(table)
    assert expected & {finding["rule"] for finding in findings}, findings
    assert all(finding["problem"] and finding["remedy"] for finding in findings)


@pytest.mark.parametrize("damage", [
    "a checkpoint has another byte", "a checkpoint is of another version", "minValues are too great", "numRecords is wrong",
    "a .crc counts other files", "a .crc is no JSON", "_last_checkpoint names another version",
    "a compaction says something else",
])
def test_repair_keeps_all_rows(damage, sound, table):
    inflict, expected = DAMAGES[damage]
    inflict(table)
    findings = check(table, "--repair")
    assert expected & {finding["rule"] for finding in findings}
    assert all(finding["repaired"] for finding in findings if finding["rule"] in expected), findings
    assert check(table) == []
    assert rows(table) == rows(sound)


def test_repair_removes_references_to_files_that_are_gone(sound, table):
    live_file(table).unlink()
    check(table, "--repair")
    assert check(table) == []
    assert rows(table) == [row for row in rows(sound) if row["id"] != 1000]
    history = json.loads(weir("sql", "-c", f"SELECT operation FROM weir_history('{table}') LIMIT 1", "--format", "json").stdout)
    assert history == [{"operation": "FSCK"}]


def test_what_is_no_table_is_an_error(tmp_path):
    done = weir("check", tmp_path, ok=False)
    assert done.returncode == 1
    assert "DELTA_TABLE_NOT_FOUND" in done.stderr
    assert not list(tmp_path.iterdir())
