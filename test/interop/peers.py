# SPDX-License-Identifier: Apache-2.0
"""Weir and its peers behind one face: run SQL, read a table."""
import json
import os
import re
import subprocess
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

from canonical import assert_same_rows, rows_of_arrow, rows_of_json

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("WEIR_DEPS", ROOT / "build" / "deps"))
WEIR = Path(os.environ.get("WEIR_BIN", ROOT / "build")) / "weir"


class WeirError(AssertionError):
    """A statement that Weir refused; `str` is what it wrote to stderr."""


def weir_process(sql, warehouse=None, output_format="json"):
    """`weir sql -c SQL` as a CompletedProcess."""
    command = [str(WEIR), "sql", "--format", output_format, "-c", sql]
    if warehouse is not None:
        command += ["-w", str(warehouse)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def weir_sql(sql, warehouse=None):
    """Runs SQL, raising WeirError when it fails; the rows of a single query, [] for other statements."""
    done = weir_process(sql, warehouse)
    if done.returncode != 0:
        raise WeirError(f"exit status {done.returncode}: {done.stderr.strip()}\n  of: {sql}")
    return rows_of_json(done.stdout) if done.stdout.strip() else []


class WeirPeer:
    name = "weir"

    def rows(self, path):
        return weir_sql(f"SELECT * FROM {path.name}", path.parent)


class SparkPeer:
    name = "spark"

    def __init__(self, session):
        self.session = session

    def rows(self, path):
        return rows_of_arrow(self.session.read.format("delta").load(str(path)).toArrow())


class DeltaRsPeer:
    name = "delta-rs"

    def rows(self, path):
        table = DeltaTable(str(path))
        return rows_of_arrow(pa.table(QueryBuilder().register("t", table).execute("SELECT * FROM t")))


PEERS = {"weir": WeirPeer(), "delta-rs": DeltaRsPeer()}


class Lake:
    """A warehouse directory and what is done to its tables."""

    def __init__(self, directory):
        self.directory = Path(directory)

    def path(self, table):
        return self.directory / table

    def weir(self, sql):
        return weir_sql(sql, self.directory)

    def spark(self, sql):
        """Runs SQL on Spark; `{table}` becomes the table delta.`path`. Returns the rows."""
        frame = PEERS["spark"].session.sql(self._with_paths(sql))
        if "metrics" in frame.columns:  # of OPTIMIZE: PySpark cannot turn their nested NULLs into Arrow
            frame = frame.drop("metrics")
        return rows_of_arrow(frame.toArrow())

    def delta_rs_append(self, table, rows, **options):
        """Appends a pyarrow table."""
        write_deltalake(str(self.path(table)), rows, mode="append", **options)

    def checkpoint(self, table, peer):
        """The peer writes a checkpoint of the newest version."""
        if peer == "weir":
            self.weir("CHECKPOINT")
        elif peer == "spark":
            session = PEERS["spark"].session
            log = session._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session._jsparkSession, str(self.path(table)))
            log.checkpoint()
        else:
            DeltaTable(str(self.path(table))).create_checkpoint()

    def spark_arrow(self, table, condition="true"):
        """The rows of a table as Spark gives them to Arrow."""
        return PEERS["spark"].session.read.format("delta").load(str(self.path(table))).where(condition).toArrow()

    def log_files(self, table):
        """The names of the files in the table's log."""
        return sorted(entry.name for entry in (self.path(table) / "_delta_log").iterdir())

    def last_actions(self, table, kind):
        """The actions of one kind in the newest commit."""
        newest = max(name for name in self.log_files(table) if name.endswith(".json") and len(name) == 25)
        lines = (self.path(table) / "_delta_log" / newest).read_text().splitlines()
        return [action[kind] for action in map(json.loads, lines) if kind in action]

    def _with_paths(self, sql):
        return re.sub(r"\{([a-z]\w*)\}", lambda match: f"delta.`{self.path(match[1])}`", sql)

    def rows(self, table, peer="weir"):
        return PEERS[peer].rows(self.path(table))

    def check(self, table, expected=None, peers=("weir", "spark", "delta-rs")):
        """All peers read the same rows, which are `expected` when it is given. Returns them."""
        for peer in peers:
            actual = self.rows(table, peer)
            if expected is None:
                expected = actual
            assert_same_rows(actual, expected, f"{table} read by {peer}")
        return expected
