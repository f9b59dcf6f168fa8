#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long checks: unit tests under both sanitizers, 10,000 simulations of clients that share a table, every fuzzer for
# some seconds, then all of test/sql on object stores, five minutes of writers that are killed, and random statements by
# Weir and by Spark in turn. (ThreadSanitizer has no memory of its own for the 100,000 commits of one test; the preset
# leaves it out.)
#
#   [WEIR_SIM_SEEDS=10000] [WEIR_SIM_FIRST=0] [WEIR_DML_SEQUENCES=300] [WEIR_DML_SEED=30] scripts/soak.sh [SECONDS]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

for preset in asan tsan; do
  cmake --preset "$preset"
  cmake --build "build/$preset" -j "$jobs"
  ctest --preset "$preset" -j "$jobs"
done

WEIR_SIM_SEEDS=${WEIR_SIM_SEEDS:-10000} build/asan/test_delta --gtest_filter='Simulation.*'
WEIR_FUZZ_LONG=1 scripts/fuzz.sh "${1:-60}"

deps=$(realpath "${WEIR_DEPS:-build/deps}")
cmake --preset dev
cmake --build build -j "$jobs" --target weir weir_sqltest
export WEIR_DEPS=$deps WEIR_BIN=$PWD/build PYTHONDONTWRITEBYTECODE=1
WEIR_SQL_FILES=all "$deps/python/bin/python" -m pytest -q -p no:cacheprovider test/stores/test_sql_on_a_store.py
"$deps/python/bin/python" test/interop/soak_writers.py --seconds 300
WEIR_DML_SEQUENCES=${WEIR_DML_SEQUENCES:-300} "$deps/python/bin/python" -m pytest -q -p no:cacheprovider \
  test/interop/test_random_dml.py
