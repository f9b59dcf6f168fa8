# SPDX-License-Identifier: Apache-2.0
"""Weir: Delta Lake tables kept in step with changing sources.

    import weir
    connection = weir.connect("warehouse")
    connection.sql("FROM customers")

weir.pipelines holds the definitions of pipelines.
"""
from __future__ import annotations

import os
import pathlib

__all__ = ["connect"]


def _part(name: str) -> pathlib.Path | None:
    """The program or the extension: inside the installed package, or in the build of a source tree."""
    package = pathlib.Path(__file__).resolve().parent
    for folder in (package / "_bin", package.parents[1] / "build"):
        if (folder / name).exists():
            return folder / name
    return None


def connect(directory: str | os.PathLike | None = None, *, name: str = "lake", config: dict | None = None):
    """A DuckDB connection (package duckdb, of the version that Weir was built for) that knows Weir's tables and statements,
    with the warehouse `directory`, if given, attached as `name` and made the default.
    """
    import duckdb

    extension = os.environ.get("WEIR_EXTENSION") or _part("weir.duckdb_extension")
    if extension is None:
        raise FileNotFoundError("weir.duckdb_extension is not beside the package; name it in WEIR_EXTENSION")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", **(config or {})})
    connection.load_extension(str(extension))
    if directory is not None:
        place = os.fspath(directory).replace("'", "''")
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"ATTACH '{place}' AS {quoted} (TYPE weir)")
        connection.execute(f"USE {quoted}")
    return connection
