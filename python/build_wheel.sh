#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel `weir` with the program and the extension of a build inside.
#
#   python/build_wheel.sh [BUILD_DIR [OUTPUT_DIR]]      (default: build, build/wheel)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "${1:-$here/../build}")
output=${2:-$build/wheel}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$here/pyproject.toml" "$here/setup.py" "$here/weir" "$work"
mkdir -p "$work/weir/_bin" "$output"
cp -L "$build/weir" "$build/weir.duckdb_extension" "$build/libduckdb.so" "$work/weir/_bin"
strip --strip-debug "$work/weir/_bin/weir"
"${PYTHON:-python3}" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$output" "$work"
ls "$output"/weir-*.whl
