#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every file under version control: licence line, length, and words that do not belong into the repository."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LICENSED_SUFFIXES = {".cc", ".h", ".py", ".sh", ".cmake"}
LICENSED_NAMES = {"CMakeLists.txt", "Makefile"}
LICENCE_WITHIN_LINES = 3

LONGEST = 900
LENGTH_SUFFIXES = {".cc", ".h", ".py", ".sh", ".cmake"}

# Pattern, and why it does not belong here. Character classes keep the patterns from matching themselves.
FORBIDDEN = [
    (r"/[w]ork/|/[r]oot/|/[h]ome/[a-z]", "a path of one machine"),
    (r"pypi[.]org|pythonhosted[.]org|npmjs[.]org|npmjs[.]com|crates[.]io|maven[.]org|proxy[.]golang[.]org"
     r"|deb[.]debian[.]org", "the host of a package registry: packages are fetched by name, with the machine's own settings"),
    (r"\b[T]ODO\b|\b[F]IXME\b|\b[X]XX\b", "unfinished work: finish it, or say in the documentation what is not supported"),
    (r"<<<[<]<<<|>>>[>]>>>", "a merge conflict"),
]
# Pins carry sums and names that may match by chance; the licence is not our text.
UNCHECKED_FOR_WORDS = re.compile(r"^(LICENSE$|scripts/pins/python/requirements\.txt$)")


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return [name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def text_of(name):
    """The text of a file, or None when it is not text."""
    data = (ROOT / name).read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def faults_of(name, text):
    path = Path(name)
    lines = text.splitlines()
    data = name.startswith(("test/golden/", "test/fuzz/corpus/")) and path.suffix not in (".py", ".sh")
    if path.suffix in LICENSED_SUFFIXES or path.name in LICENSED_NAMES:
        if text.strip() and not any(LICENCE in line for line in lines[:LICENCE_WITHIN_LINES]):
            yield f"{name}: no line '{LICENCE}' at its head"
    if path.suffix in LENGTH_SUFFIXES and len(lines) > LONGEST:
        yield f"{name}: {len(lines)} lines, more than {LONGEST}: split it by what its parts do"
    if data or UNCHECKED_FOR_WORDS.match(name):
        return
    if text and not text.endswith("\n"):
        yield f"{name}: no newline at its end"
    for number, line in enumerate(lines, 1):
        for pattern, why in FORBIDDEN:
            if re.search(pattern, line):
                yield f"{name}:{number}: {why}"


def main() -> int:
    found = []
    for name in tracked_files():
        text = text_of(name)
        if text is not None:
            found.extend(faults_of(name, text))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
