#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks names against .clang-tidy.

    scripts/check_names.py [--build DIR] [--engine] [--changed-since COMMIT] [FILE ...]

Reads DIR/compile_commands.json (default: build). Sources of the engine are left out unless --engine is given or they
are named; --changed-since leaves out what has not changed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLANG_TIDY = "clang-tidy-16"
# What g++ is told and clang does not know; a precompiled header of g++ is nothing to clang either.
GCC_ONLY = {"-fpch-preprocess", "-Winvalid-pch"}


def for_clang(command: str):
    words, kept = shlex.split(command), []
    skip = False
    for i, word in enumerate(words):
        if skip:
            skip = False
        elif word == "-include" and words[i + 1].endswith("cmake_pch.hxx"):
            skip = True
        elif word not in GCC_ONLY:
            kept.append(word)
    return kept


def is_engine(name: str) -> bool:
    return name.startswith(("src/engine/", "test/unit/engine/"))


def changed_since(commit: str):
    listed = subprocess.run(["git", "diff", "--name-only", commit], cwd=ROOT, check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return set(listed.split())


def wanted_entries(args):
    changed = changed_since(args.changed_since) if args.changed_since else None
    named = {str(Path(f).resolve().relative_to(ROOT)) for f in args.files}
    for entry in json.loads((Path(args.build) / "compile_commands.json").read_text()):
        path = Path(entry["directory"], entry["file"]).resolve()
        if not path.is_relative_to(ROOT) or path.suffix != ".cc" or not path.exists():
            continue
        name = str(path.relative_to(ROOT))
        if named and name not in named or changed is not None and name not in changed:
            continue
        if is_engine(name) and not args.engine and not named:
            continue
        yield name, {"directory": entry["directory"], "file": str(path), "arguments": for_clang(entry["command"])}


def check(name: str, database: str):
    done = subprocess.run([CLANG_TIDY, "--quiet", "-p", database, str(ROOT / name)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    faults = [line for line in done.stdout.splitlines() if re.search(r": (warning|error): ", line)]
    return faults or ([done.stderr.strip()] if done.returncode else [])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--changed-since", metavar="COMMIT")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()

    entries = dict(wanted_entries(args))
    found = set()
    with tempfile.TemporaryDirectory() as database:
        Path(database, "compile_commands.json").write_text(json.dumps(list(entries.values())))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for faults in pool.map(lambda name: check(name, database), entries):
                found.update(faults)
    for fault in sorted(found):
        print(fault)
    print(f"names: {len(entries)} sources checked, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
