#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies a shared library and appends the footer by which DuckDB knows a loadable extension.

The footer is 512 bytes: eight text fields of 32 bytes, the first field last, then an unused signature of 256 bytes.
"""
import argparse
from pathlib import Path

FIELD_SIZE = 32
SIGNATURE_SIZE = 256
FOOTER_FORMAT = "4"


def field(text: str) -> bytes:
    data = text.encode("ascii")
    if len(data) > FIELD_SIZE:
        raise SystemExit(f"footer field too long: {text}")
    return data.ljust(FIELD_SIZE, b"\0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("extension", type=Path)
    parser.add_argument("--duckdb-version", required=True)
    parser.add_argument("--extension-version", required=True)
    parser.add_argument("--platform", default="linux_amd64")
    args = parser.parse_args()

    fields = [FOOTER_FORMAT, args.platform, args.duckdb_version, args.extension_version, "CPP", "", "", ""]
    footer = b"".join(field(text) for text in reversed(fields)) + bytes(SIGNATURE_SIZE)
    args.extension.write_bytes(args.library.read_bytes() + footer)


if __name__ == "__main__":
    main()
