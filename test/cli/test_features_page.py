# SPDX-License-Identifier: Apache-2.0
"""The page about table features says of each what Weir's own table of features says. `python3 test/cli/test_features_page.py` renews it."""
import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "features.md"
WEIR = Path(os.environ.get("WEIR_BIN", ROOT / "build")) / "weir"
HEAD = "|---|---|---|---|---|---|---|---|\n"


def rows():
    done = subprocess.run([str(WEIR), "sql", "--format", "json", "-c", "FROM weir_table_features()"], capture_output=True, text=True, check=True)
    for row in json.loads(done.stdout):
        marks = ["yes" if row[key] else "no" for key in ("can_read", "can_write", "can_drop")]
        cells = [row["feature"], row["kind"], str(row["min_reader_version"]), str(row["min_writer_version"]), ", ".join(row["requires"]), *marks]
        yield row["feature"], "| " + " | ".join(cells) + " |\n"


def test_the_table_is_weirs():
    page = PAGE.read_text()
    table = page.split(HEAD)[1].split("\n\n")[0] + "\n"
    assert table == "".join(line for _, line in rows())


def test_every_feature_has_a_section():
    named = {name for title in re.findall(r"^## (.*)$", PAGE.read_text(), re.M) for name in title.split(", ")}
    assert named == {name for name, _ in rows()}


if __name__ == "__main__":
    before, after = PAGE.read_text().split(HEAD)
    PAGE.write_text(before + HEAD + "".join(line for _, line in rows()) + after[after.index("\n## "):])
