#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long checks: unit tests under both sanitizers, then every fuzzer for some seconds.
#
#   scripts/soak.sh [SECONDS]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

for preset in asan tsan; do
  cmake --preset "$preset"
  cmake --build "build/$preset" -j "$jobs"
  ctest --preset "$preset" -j "$jobs"
done

scripts/fuzz.sh "${1:-60}"
