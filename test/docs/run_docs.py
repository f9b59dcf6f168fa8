#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every example of the documentation and compares what it prints.

    python3 test/docs/run_docs.py [--bin BUILD_DIR] [PAGE.md ...]

Each page is one story, told in a fresh folder with `weir` on the PATH. Fenced blocks with these languages act:

    ```console            lines that begin with "$ " are run by bash (a line that ends in \\ goes on in the
                          next); the lines below each are its output, stdout and stderr together
    ```sql                run by `weir sql -w lake`; must succeed
    ```sql file=PATH      (any language) written to PATH
    ```python run         run by python3; must succeed
    ```text               directly behind a ```sql or ```python run block: its output

In expected output a line `...` stands for any number of lines, and `...` inside a line for any text.
A language followed by `norun` is only shown. Closes with "N passed, N failed".
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(text):
    """Yields (line number, info string, body) of each fenced block."""
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        if lines[i].startswith("```") and lines[i] != "```":
            start, info, body = i, lines[i][3:].strip(), []
            i += 1
            while i < len(lines) and lines[i] != "```":
                body.append(lines[i])
                i += 1
            yield start + 1, info, "\n".join(body)
        i += 1


def line_matches(expected, found):
    parts = [re.escape(part) for part in expected.rstrip().split("...")]
    return re.fullmatch(".*".join(parts), found.rstrip()) is not None


def output_matches(expected, found):
    """Both are lists of lines; a line "..." takes any number of lines."""
    reachable = {0}
    for line in expected:
        if line.strip() == "...":
            first = min(reachable, default=len(found) + 1)
            reachable = set(range(first, len(found) + 1))
        else:
            reachable = {i + 1 for i in reachable if i < len(found) and line_matches(line, found[i])}
        if not reachable:
            return False
    return len(found) in reachable


def run(command, folder, env, stdin=None):
    done = subprocess.run(command, cwd=folder, env=env, input=stdin, text=True, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def trimmed(text):
    return text.rstrip("\n").split("\n") if text.strip() else []


def console_steps(body):
    """Splits a console block into (command, expected lines)."""
    steps, lines, i = [], body.split("\n"), 0
    while i < len(lines):
        if lines[i].startswith("$ "):
            command = lines[i][2:]
            while command.endswith("\\") and i + 1 < len(lines):
                i += 1
                command = command[:-1] + lines[i]
            steps.append((command, []))
        elif steps:
            steps[-1][1].append(lines[i])
        i += 1
    return steps


class Page:
    def __init__(self, path, build):
        self.path, self.passed, self.failed = path, 0, 0
        self.env = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", TZ="UTC", COLUMNS="120")
        self.last_output = None

    def report(self, line, ok, message):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        print(f"{self.path.relative_to(ROOT)}:{line}: {message}")

    def compare(self, line, what, expected, output):
        found = trimmed(output)
        while expected and not expected[-1].strip():
            expected = expected[:-1]
        ok = output_matches(expected, found)
        self.report(line, ok, f"{what}\n--- expected\n" + "\n".join(expected) + "\n--- found\n" + output)

    def block(self, line, info, body, folder):
        words = info.split()
        file = next((w[5:] for w in words if w.startswith("file=")), None)
        previous, self.last_output = self.last_output, None
        if "norun" in words:
            return
        if file:
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body + "\n")
        elif words[0] == "console":
            for command, expected in console_steps(body):
                _, output = run(["bash", "-c", command], folder, self.env)
                self.compare(line, command, expected, output)
        elif words[0] == "sql":
            (folder / "lake").mkdir(exist_ok=True)
            code, self.last_output = run(["weir", "sql", "-w", "lake"], folder, self.env, body)
            self.report(line, code == 0, f"failed:\n{body}\n{self.last_output}")
        elif words[:2] == ["python", "run"]:
            code, self.last_output = run([sys.executable, "-"], folder, self.env, body)
            self.report(line, code == 0, f"failed:\n{body}\n{self.last_output}")
        elif words[0] == "text" and previous is not None:
            self.compare(line, "output of the block above", body.split("\n"), previous)

    def run(self):
        with tempfile.TemporaryDirectory(prefix="weir-docs-") as folder:
            for line, info, body in blocks(self.path.read_text()):
                self.block(line, info, body, pathlib.Path(folder))


def main():
    parser = argparse.ArgumentParser(description="Runs the examples of the documentation.")
    parser.add_argument("--bin", default=str(ROOT / "build"), help="the folder of the weir binary")
    parser.add_argument("pages", nargs="*")
    args = parser.parse_args()
    pages = [pathlib.Path(p).resolve() for p in args.pages]
    pages = pages or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    passed = failed = 0
    for path in pages:
        page = Page(path, os.path.abspath(args.bin))
        page.run()
        passed, failed = passed + page.passed, failed + page.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
