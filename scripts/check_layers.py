#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no layer includes what it must not know.

A layer may include itself and the layers named beside it; only `engine` may include DuckDB's headers; a public header
(include/weir) includes nothing but the standard library and other public headers. The unit tests of a layer are held
to the layer's own rule, and the targets in CMake to the same table.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Each layer, and the layers it may see.
VISIBLE = {
    "base": [],
    "storage": ["base"],
    "iceberg": ["base"],
    "delta": ["iceberg", "storage", "base"],
    "engine": ["delta", "storage", "base"],
    "changes": ["engine", "delta", "storage", "base"],
    "pipeline": ["changes", "engine", "delta", "storage", "base"],
    "feed": ["changes", "engine", "delta", "storage", "base"],
    "cli": ["pipeline", "feed", "changes", "engine", "delta", "storage", "base"],
}
DUCKDB_LAYERS = {"engine"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD_HEADER = re.compile(r"^[a-z0-9_]+$")


def sources(folder: Path):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".cc", ".h"))


def includes(path: Path):
    """Yields (line number, whether in angle brackets, included name)."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == "<", match[2]


def is_duckdb(name: str, angled: bool) -> bool:
    """DuckDB's own headers, and those of its Parquet extension, which stand in no folder."""
    if name in ("duckdb.h", "duckdb.hpp", "duckdb_extension.h") or name.startswith("duckdb/"):
        return True
    return not angled and name.endswith(".hpp") and "/" not in name


def check_source(path: Path, layer: str):
    own_test_headers = path.is_relative_to(ROOT / "test")
    for number, angled, name in includes(path):
        where = f"{path.relative_to(ROOT)}:{number}"
        if is_duckdb(name, angled):
            if layer not in DUCKDB_LAYERS:
                yield f"{where}: layer {layer} must not include DuckDB ({name})"
            continue
        if angled:
            continue
        top = name.split("/")[0]
        if top == layer or top in VISIBLE[layer] or top == "weir":
            continue
        if top in VISIBLE:
            yield f"{where}: layer {layer} must not see layer {top} ({name})"
        elif own_test_headers and (ROOT / "test" / name).exists():
            continue
        else:
            yield f'{where}: includes are written from src/, as "layer/file.h" ({name})'


def check_public_header(path: Path):
    for number, _, name in includes(path):
        if not (name.startswith("weir/") or STANDARD_HEADER.match(name)):
            where = f"{path.relative_to(ROOT)}:{number}"
            yield f"{where}: a public header includes only the standard library and weir/ ({name})"


def check_cmake(layer: str):
    path = ROOT / "src" / layer / "CMakeLists.txt"
    match = re.search(r"weir_add_layer\((\w+)(?:\s+DEPENDS((?:\s+[a-z]+)+))?", path.read_text())
    if not match or match[1] != layer:
        yield f"{path.relative_to(ROOT)}: no weir_add_layer({layer} ...)"
        return
    for other in (match[2] or "").split():
        if other not in VISIBLE[layer]:
            yield f"{path.relative_to(ROOT)}: layer {layer} must not depend on {other}"


def faults():
    for folder in sorted(p.name for p in (ROOT / "src").iterdir() if p.is_dir()):
        if folder not in VISIBLE:
            yield f"src/{folder}: not a layer; layers are {', '.join(VISIBLE)}"
    for layer in VISIBLE:
        yield from check_cmake(layer)
        for path in sources(ROOT / "src" / layer) + sources(ROOT / "test" / "unit" / layer):
            yield from check_source(path, layer)
    for path in sources(ROOT / "include"):
        yield from check_public_header(path)


def main() -> int:
    found = list(faults())
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
