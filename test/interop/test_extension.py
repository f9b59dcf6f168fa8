# SPDX-License-Identifier: Apache-2.0
"""build/weir.duckdb_extension in a DuckDB that is not ours: Python's, of the same release."""
import os
import subprocess
from pathlib import Path

import duckdb

EXTENSION = Path(os.environ.get("WEIR_BIN", Path(__file__).parents[2] / "build")) / "weir.duckdb_extension"


def connect():
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    connection.execute(f"LOAD '{EXTENSION}'")
    return connection


def test_loads_and_attaches(tmp_path):
    connection = connect()
    connection.execute(f"ATTACH '{tmp_path}' AS lake (TYPE weir)")
    names = [row[0] for row in connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()]
    assert "lake" in names


def test_shows_only_its_entry_point():
    module = EXTENSION.parent / "src" / "engine" / "weir_extension.so"
    symbols = subprocess.run(["nm", "-D", "--defined-only", module], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["weir_duckdb_cpp_init"]
