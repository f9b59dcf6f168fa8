#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long checks: unit tests under both sanitizers, then every fuzzer for some seconds.
#
#   scripts/soak.sh [SECONDS]
#
# A fuzzer starts from test/fuzz/corpus/NAME (inputs that once found a fault stay there for ever); an input that
# fails is left in build/fuzz/NAME-*.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
jobs=$(nproc)

for preset in asan tsan; do
  cmake --preset "$preset"
  cmake --build "build/$preset" -j "$jobs"
  ctest --preset "$preset" -j "$jobs"
done

cmake --preset fuzz
cmake --build build/fuzz -j "$jobs"
for source in test/fuzz/*_fuzz.cc; do
  [ -e "$source" ] || continue
  name=$(basename "$source" .cc)
  found="build/fuzz/corpus/$name"
  known="test/fuzz/corpus/$name"
  mkdir -p "$found"
  [ -d "$known" ] || known=
  echo "== $name"
  "build/fuzz/$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 \
    -artifact_prefix="build/fuzz/$name-" "$found" ${known:+"$known"}
done
