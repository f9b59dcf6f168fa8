#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark bench/*.py against a release build. Each measures Weir and its peers in one run and prints
# the ratios; nothing here passes or fails.
#
#   bench/run.sh BUILD_DIR
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/release}
deps=$(realpath "${WEIR_DEPS:-build/deps}")
programs=$(find bench -name '*.cc' -printf '%f\n' | sed 's/\.cc$//' | sort)
# shellcheck disable=SC2086
cmake --build "$build" -j "$(nproc)" --target $programs
export WEIR_BIN
WEIR_BIN=$(realpath "$build")
for script in bench/*.py; do
  printf '\n== %s\n' "$script"
  "$deps/python/bin/python" "$script"
done
