# SPDX-License-Identifier: Apache-2.0
"""What a new commit costs who follows the changes of a table, beside how many commits the table has already.

The log is made of copies of one small commit (nothing reads their files), with one checkpoint at its end. A follower waits at
the newest version; then commits come one by one, and each must have been printed before the next. Printed are the follower's
processor time and the wall time for each commit. Commits: FOLLOW_COMMITS=100000.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import time

WEIR = pathlib.Path(os.environ["WEIR_BIN"]) / "weir"
SIZES = (100, int(os.environ.get("FOLLOW_COMMITS", "100000")))
NEW_COMMITS = 50


def name_of(version):
    return f"{version:020}.json"


def weir(lake, sql):
    subprocess.run([WEIR, "sql", "-w", lake, "-c", sql], check=True, stdout=subprocess.DEVNULL)


def make_table(lake, commits):
    """A table of so many commits; the lines of the commit that is copied."""
    lake.mkdir()
    weir(lake, "CREATE TABLE t (id BIGINT) WITH ('delta.enableChangeDataFeed' = 'true', 'delta.checkpointInterval' = '1000000');"
               "INSERT INTO t VALUES (1)")
    log = lake / "t" / "_delta_log"
    actions = [json.loads(line) for line in (log / name_of(1)).read_text().splitlines()]
    for version in range(2, commits):
        for action in actions:
            if "add" in action:
                action["add"]["path"] = f"f{version}.parquet"
        (log / name_of(version)).write_text("\n".join(map(json.dumps, actions)) + "\n")
    weir(lake, "CALL weir_checkpoint('t')")
    return (log / name_of(1)).read_text()


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def follow(lake, commits, lines):
    offsets = lake.parent / f"offsets{commits}"
    follower = subprocess.Popen([WEIR, "changes", "t", "-w", lake, "--follow", "--from", "latest", "--poll", "0.01", "--consumer", "c",
                                 "--offsets", offsets], stdout=subprocess.PIPE, text=True)
    # It keeps where it begins as soon as it waits.
    while not (offsets / "c.json").exists():
        time.sleep(0.05)
    log = lake / "t" / "_delta_log"
    version = commits
    for round_ in range(2):  # the first warms up
        processor, wall = processor_seconds(follower.pid), time.monotonic()
        for _ in range(NEW_COMMITS):
            unfinished = log / ".unfinished"
            unfinished.write_text(lines)
            unfinished.rename(log / name_of(version))
            follower.stdout.readline()
            version += 1
        processor, wall = processor_seconds(follower.pid) - processor, time.monotonic() - wall
    follower.kill()
    follower.wait()
    print(f"{commits:>7} commits: {processor / NEW_COMMITS * 1000:6.1f} ms of processor, {wall / NEW_COMMITS * 1000:6.1f} ms for each new one")


def main():
    with tempfile.TemporaryDirectory() as name:
        for commits in SIZES:
            lake = pathlib.Path(name) / f"lake{commits}"
            follow(lake, commits, make_table(lake, commits))


if __name__ == "__main__":
    main()
