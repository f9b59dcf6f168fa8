#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long checks: unit tests under both sanitizers, 10,000 simulations of clients that share a table, then every
# fuzzer for some seconds. (ThreadSanitizer has no memory of its own for the 100,000 commits of one test; the preset
# leaves it out.)
#
#   [WEIR_SIM_SEEDS=10000] [WEIR_SIM_FIRST=0] scripts/soak.sh [SECONDS]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

for preset in asan tsan; do
  cmake --preset "$preset"
  cmake --build "build/$preset" -j "$jobs"
  ctest --preset "$preset" -j "$jobs"
done

WEIR_SIM_SEEDS=${WEIR_SIM_SEEDS:-10000} build/asan/test_delta --gtest_filter='Simulation.*'
scripts/fuzz.sh "${1:-60}"
