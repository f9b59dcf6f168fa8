# SPDX-License-Identifier: Apache-2.0
"""`weir log` on logs written by hand, sound and broken."""
import json
import os
import struct
import subprocess
from pathlib import Path

import pytest

WEIR = str(Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")).resolve() / "weir")

SCHEMA = json.dumps({"type": "struct", "fields": [{"name": "i", "type": "long", "nullable": True, "metadata": {}}]})
# Rows 0, 1, 2 and 7: magic number, one 32-bit bitmap with key 0, of one array container.
VECTOR = struct.pack("<IQI", 1681511377, 1, 0) + struct.pack("<IIHHI4H", 12346, 1, 0, 3, 16, 0, 1, 2, 7)


def z85(data):
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    words = struct.unpack(f">{len(data) // 4}I", data)
    return "".join(digits[word // 85**power % 85] for word in words for power in (4, 3, 2, 1, 0))


COMMITS = [
    [
        {"commitInfo": {"timestamp": 1700000000123, "operation": "CREATE TABLE"}},
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "m", "format": {"provider": "parquet", "options": {}}, "schemaString": SCHEMA, "partitionColumns": [], "configuration": {}}},
    ],
    [
        {"commitInfo": {"timestamp": 1700000001000, "operation": "WRITE"}},
        {"add": {"path": "a.parquet", "partitionValues": {}, "size": 10, "modificationTime": 0, "dataChange": True,
                 "stats": '{"numRecords":3}'}},
        {"add": {"path": "b.parquet", "partitionValues": {}, "size": 20, "modificationTime": 0, "dataChange": True,
                 "deletionVector": {"storageType": "i", "pathOrInlineDv": z85(VECTOR), "sizeInBytes": len(VECTOR),
                                    "cardinality": 4}}},
        {"txn": {"appId": "x", "version": 1}},
        {"futureAction": {"a": [1, {"b": "c\u001b[2Jd"}]}},
    ],
]


def log(*arguments):
    return subprocess.run([WEIR, "log", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def table(tmp_path):
    folder = tmp_path / "t" / "_delta_log"
    folder.mkdir(parents=True)
    for version, actions in enumerate(COMMITS):
        (folder / f"{version:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))
    (folder / f"{1:020}.crc").write_text("{}")
    (folder / f"{0:020}.{1:020}.compacted.json").write_text("")
    return folder.parent


def test_overview(table):
    rows = json.loads(log(table, "--format", "json").stdout)
    assert [row["version"] for row in rows] == [1, 0]
    newest = rows[0]
    assert newest["timestamp"] == "2023-11-14 22:13:21.000000"
    assert (newest["operation"], newest["added"], newest["removed"], newest["bytes_added"]) == ("WRITE", 2, 0, 30)
    assert newest["other_actions"] == "futureAction, txn"
    assert (newest["crc"], newest["compaction"], newest["checkpoint"]) == ("yes", "0..1", None)
    assert rows[1]["other_actions"] == "metaData, protocol"


def test_actions_as_they_are(table):
    assert json.loads(log(table, "--version", 1, "--format", "json").stdout) == COMMITS[1]


def test_outline_unfolds_json_and_hides_control_characters(table):
    outline = log(table, "--version", 1).stdout
    assert "  stats\n    numRecords: 3\n" in outline
    assert "timestamp: 1700000001000 (2023-11-14 22:13:21.000000)" in outline
    assert "\x1b" not in outline and "b: c\\x1b[2Jd" in outline
    assert "rows:" not in outline
    assert "name: i" in log(table, "--version", 0).stdout


def test_rows_of_deletion_vectors(table):
    outline = log(table, "--version", 1, "--dv").stdout
    assert "\n    rows: 0-2, 7\n" in outline


def test_every_kind_of_file(tmp_path):
    make = """CREATE TABLE t (id BIGINT) WITH ('delta.enableDeletionVectors' = true, 'delta.checkpointPolicy' = 'v2');
        INSERT INTO t SELECT range FROM range(10); DELETE FROM t WHERE id IN (2, 3, 7); CHECKPOINT lake;
        SELECT * FROM weir_compact_log('t', first => 0, last => 1)"""
    subprocess.run([WEIR, "sql", "-w", str(tmp_path), "-c", make], check=True, capture_output=True, timeout=60)
    table = tmp_path / "t"

    def lines(file):
        done = log(table, "--file", file, "--format", "jsonl")
        assert done.returncode == 0, done.stderr
        assert log(table, "--file", file).stdout
        return [json.loads(line) for line in done.stdout.splitlines()]

    def names(file):
        return {key for line in lines(file) for key in line}

    folder = table / "_delta_log"
    assert names(f"{1:020}.json") == {"commitInfo", "add"}
    assert names(f"{0:020}.{1:020}.compacted.json") == {"protocol", "metaData", "add"}
    assert lines(f"{2:020}.crc")[0]["numFiles"] == 1
    assert lines("_last_checkpoint")[0]["version"] == 2
    assert "checkpointMetadata" in names(next(folder.glob("*.checkpoint.*")).name)
    for sidecar in folder.glob("_sidecars/*"):
        assert names(sidecar.name) <= {"add", "remove"}
    [vector] = lines(next(table.glob("deletion_vector_*.bin")).name)
    assert vector["vector"].pop("sizeInBytes") > 0
    assert vector == {"vector": {"offset": 1, "checksum": "matches", "cardinality": 3, "rows": "2-3, 7"}}
    footer = lines(str(next(table.glob("part-*.parquet"))))
    assert footer[0]["footer"]["num_rows"] == 10
    assert [line["columnChunk"]["path_in_schema"] for line in footer if "columnChunk" in line] == ["id"]
    (table / "bad.bin").write_bytes(b"\x01\x00\x00\xff\xff")
    assert "DELTA_DELETION_VECTOR_MALFORMED" in log(table, "--file", "bad.bin").stderr
    assert "WEIR_OBJECT_NOT_FOUND" in log(table, "--file", "nothing.bin").stderr


def test_a_broken_line_is_shown(table):
    (table / "_delta_log" / f"{2:020}.json").write_text('{"add": {"path": \nnull\n')
    outline = log(table, "--version", 2)
    assert outline.returncode == 0
    assert outline.stdout == '(no JSON object) {"add": {"path":\n(no JSON object) null\n'
    assert json.loads(log(table, "--format", "json").stdout)[0]["other_actions"] == "2 x (no action)"


@pytest.mark.parametrize(
    "arguments, status, name",
    [(["--version", 7], 1, "DELTA_VERSION_NOT_FOUND"), (["--checkpoint", "x.checkpoint.parquet"], 1, ""), (["--version", -1], 2, "")])
def test_errors(table, arguments, status, name):
    done = log(table, *arguments)
    assert done.returncode == status
    assert name in done.stderr
    assert done.stdout == ""


def test_no_table(tmp_path):
    done = log(tmp_path)
    assert done.returncode == 1
    assert "[DELTA_TABLE_NOT_FOUND]" in done.stderr
