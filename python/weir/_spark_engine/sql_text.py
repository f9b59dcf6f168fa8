# SPDX-License-Identifier: Apache-2.0
"""Small pieces of Spark SQL."""
from __future__ import annotations

import re

METADATA = "`__spark_autocdc_metadata`"

_TOKENS = re.compile(r"'(?:[^'\\]|\\.)*'|--[^\n]*|/\*.*?\*/", re.DOTALL)


class BatchError(Exception):
    """A batch that cannot be applied; `name` is the class that users search for."""

    def __init__(self, name: str, message: str):
        super().__init__(message)
        self.name = name


def quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def names(columns, alias: str = "") -> str:
    return ", ".join((alias + "." if alias else "") + quote(name) for name in columns)


def same_key(keys, left: str, right: str) -> str:
    return " AND ".join(f"{left}.{quote(key)} = {right}.{quote(key)}" for key in keys)


def delta(location: str) -> str:
    return "delta." + quote(location)


def casts(columns) -> str:
    return ", ".join(f"CAST({quote(name)} AS {kind}) AS {quote(name)}" for name, kind in columns)


def replace_name(sql: str, parts, replacement: str) -> str:
    """`sql` with the qualified name, however quoted, replaced, but for strings and comments."""
    name = r"\s*\.\s*".join(rf'(?:`{re.escape(part)}`|"{re.escape(part)}"|\b{re.escape(part)}\b)' for part in parts)
    pattern = re.compile(rf"(?<![\w.`\"]){name}", re.IGNORECASE)
    pieces, at = [], 0
    for kept in _TOKENS.finditer(sql):
        pieces += [pattern.sub(lambda _: replacement, sql[at:kept.start()]), kept.group()]
        at = kept.end()
    return "".join(pieces) + pattern.sub(lambda _: replacement, sql[at:])
