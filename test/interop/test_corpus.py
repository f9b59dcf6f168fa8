# SPDX-License-Identifier: Apache-2.0
"""Public test tables of other projects, read by Weir: the Delta Acceptance Tests with the rows they expect, and the tables of
delta-kernel-rs with the rows that delta-rs (or, where it cannot open them, this file) says.

The tables are not part of this repository: WEIR_CORPUS names their archive or folder, else `*/corpus/public-tables.tar.zst`
beside the repository is looked for. Without them the tests are skipped.
"""
import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from canonical import assert_same_rows, rows_of_arrow
from peers import ROOT, WEIR, WeirError, weir_sql

ARCHIVE = "public-tables.tar.zst"

# Tables that must be refused, or whose data files were never published, and the name of the error.
REFUSED = {
    "crc-malformed": "DELTA_TABLE_NOT_FOUND",
    "table-with-geo": "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
    "300k-add-files-100-col-partitioned": "DELTA_FILE_NOT_FOUND",
    "app-txn-with-last-updated": "DELTA_FILE_NOT_FOUND",
    "with_checkpoint_no_last_checkpoint": "DELTA_FILE_NOT_FOUND",
}

# Not what they say: one has an inline deletion vector that is damaged at versions 5 and 6, the other compactions that repeat rows.
UNSOUND = {"cdf-table-with-dv", "compacted-log-files-table"}

# Rows of tables that delta-rs cannot open or reads without their types.
KNOWN_COUNTS = {"type-widening": 2, "unshredded-variant": 102, "void-column": 3}


def find_corpus():
    """The folder with the tables, unpacked once under build/; None when there are none."""
    named = os.environ.get("WEIR_CORPUS")
    found = [Path(named)] if named else sorted(ROOT.parent.glob(f"*/corpus/{ARCHIVE}"))
    if not found:
        return None
    if found[0].is_dir() and not (found[0] / ARCHIVE).exists():
        return found[0]
    archive = found[0] / ARCHIVE if found[0].is_dir() else found[0]
    folder = ROOT / "build" / "corpus"
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "--zstd", "-xf", str(archive), "-C", str(folder)], check=True)
        (folder / "complete").touch()
    return folder


CORPUS = find_corpus()


def acceptance_cases():
    if CORPUS is None:
        return [pytest.param(None, None, marks=pytest.mark.skip("no corpus: set WEIR_CORPUS"))]
    versions = sorted(CORPUS.glob("dat-*/*/expected/*/table_version_metadata.json"))
    return [pytest.param(path.parents[2], path.parent.name, id=f"{path.parents[2].name}-{path.parent.name}") for path in versions]


def kernel_tables():
    if CORPUS is None:
        return [pytest.param(None, None, marks=pytest.mark.skip("no corpus: set WEIR_CORPUS"))]
    logs = sorted((CORPUS / "kernel-rs-data").glob("**/_delta_log"))
    root = CORPUS / "kernel-rs-data"
    names = [(str(log.parent.relative_to(root)).removesuffix("/delta"), log.parent) for log in logs]
    return [pytest.param(name, path, id=name) for name, path in names]


def read_parquet_folder(folder):
    files = sorted(folder.glob("**/*.parquet"))
    return pa.concat_tables([pq.ParquetFile(file).read() for file in files])


@pytest.mark.parametrize("case, version", acceptance_cases())
def test_acceptance_table_has_the_expected_rows(case, version):
    expected = case / "expected" / version
    at = "" if version == "latest" else f", version_as_of => {json.loads((expected / 'table_version_metadata.json').read_text())['version']}"
    actual = weir_sql(f"SELECT * FROM weir_scan('{case}/delta'{at})")
    assert_same_rows(actual, rows_of_arrow(read_parquet_folder(expected / "table_content")), f"{case.name} {version}")


@pytest.mark.parametrize("name, path", kernel_tables())
def test_kernel_table_has_the_rows_that_peers_read(name, path):
    if name in UNSOUND:
        pytest.skip("not sound as an oracle")
    if name in REFUSED:
        with pytest.raises(WeirError, match=REFUSED[name]):
            weir_sql(f"SELECT * FROM weir_scan('{path}')")
        return
    actual = weir_sql(f"SELECT * FROM weir_scan('{path}')")
    if name in KNOWN_COUNTS:
        assert len(actual) == KNOWN_COUNTS[name]
        return
    assert_same_rows(actual, delta_rs_rows(path), name)


def delta_rs_rows(path):
    from deltalake import DeltaTable, QueryBuilder

    # It does not decode the paths of a log that has escapes in them; none of these tables has.
    table = QueryBuilder().register("t", DeltaTable(str(path))).execute("SELECT * FROM t")
    return rows_of_arrow(pa.table(table))


# Tables that were put together or changed by hand, and what `weir check` rightly finds.
FINDINGS = {
    "300k-add-files-100-col-partitioned": {"file-present"},
    "app-txn-with-last-updated": {"file-present"},
    "with_checkpoint_no_last_checkpoint": {"file-present"},
    "cdf-table-simple": {"change-feed"},  # change files without changes
    "cdf-table-update-ops": {"change-feed"},
    "compacted-log-files-table": {"compaction"},
    "crc-full": {"checksum"},
    "parquet_row_group_skipping": {"checkpoint"},  # the checkpoint of another table
    "parsed-stats": {"statistics"},  # bounds of a column that no file has
    "table-with-cdf": {"commit-files"},  # removes `fake/path/1`
}


def all_tables():
    if CORPUS is None:
        return [pytest.param(None, None, marks=pytest.mark.skip("no corpus: set WEIR_CORPUS"))]
    logs = sorted(CORPUS.glob("**/_delta_log"))
    names = [(str(log.parent.relative_to(CORPUS)).removesuffix("/delta").split("/", 1)[1], log.parent) for log in logs]
    return [pytest.param(name, path, id=name) for name, path in names if REFUSED.get(name) in (None, "DELTA_FILE_NOT_FOUND")]


@pytest.mark.parametrize("name, path", all_tables())
def test_check_finds_nothing_false(name, path):
    done = subprocess.run([WEIR, "check", str(path), "--format", "json"], capture_output=True, text=True, timeout=120, check=False)
    assert {finding["rule"] for finding in json.loads(done.stdout)} == FINDINGS.get(name, set()), done.stdout[:2000] + done.stderr


def test_statistics_that_are_cut_do_not_hide_rows():
    if CORPUS is None:
        pytest.skip("no corpus: set WEIR_CORPUS")
    path = CORPUS / "kernel-rs-data" / "timestamp-truncation-stats"
    rows = weir_sql(f"SELECT * FROM weir_scan('{path}')")
    column = next(name for name, value in rows[0].items() if isinstance(value, str) and value[:2] in ("19", "20"))
    for row in rows:
        found = weir_sql(f"SELECT count(*) AS n FROM weir_scan('{path}') WHERE \"{column}\" = TIMESTAMPTZ '{row[column]}+00'")
        assert found[0]["n"] >= 1, row
