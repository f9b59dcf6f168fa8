# SPDX-License-Identifier: Apache-2.0
"""The change feeds of delta-kernel-rs's public test tables, with the rows that it expects (see test_corpus.py for the corpus)."""
import csv
import json
import re

import pytest

from canonical import assert_same_rows
from peers import weir_process
from test_corpus import CORPUS, UNSOUND

# A damaged deletion vector at versions 5 and 6; what lies before them is sound.
SOUND_UP_TO = {"cdf-table-with-dv": 4}


def feeds():
    if CORPUS is None:
        return [pytest.param(None, marks=pytest.mark.skip("no corpus: set WEIR_CORPUS"))]
    manifest = json.loads((CORPUS / "kernel-rs-data" / "_expected_cdf" / "manifest.json").read_text())
    return [pytest.param(feed, id=feed["file"].removesuffix(".csv")) for feed in manifest]


def comparable(rows):
    """Structs without the quotes and blanks in which texts of them differ; no time of commit, which is that of the unpacking."""
    return [{name: re.sub(r"""['" ]""", "", text) if text.startswith("{") else text
             for name, text in row.items() if name != "_commit_timestamp"} for row in rows]


def expected_rows(feed):
    with open(CORPUS / "kernel-rs-data" / "_expected_cdf" / feed["file"], newline="") as file:
        return comparable(csv.DictReader(file))


def weir_rows(sql):
    done = weir_process(sql, output_format="csv")
    assert done.returncode == 0, done.stderr
    return comparable(csv.DictReader(done.stdout.splitlines()))


@pytest.mark.parametrize("feed", feeds())
def test_feed_has_the_expected_rows(feed):
    expected = expected_rows(feed)
    last = SOUND_UP_TO.get(feed["table"]) if feed["table"] in UNSOUND else None
    if last is not None:
        expected = [row for row in expected if int(row["_commit_version"]) <= last]
        assert expected
    end = str(last) if last is not None else feed["end"]
    bounds = str(feed["start"]) + ("" if end == "latest" else f", {end}")
    path = CORPUS / "kernel-rs-data" / feed["table"]
    assert_same_rows(weir_rows(f"FROM table_changes_by_path('{path}', {bounds})"), expected, feed["file"])
