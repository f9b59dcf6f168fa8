#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzzers and runs each for some seconds, as many at once as there are cores.
#
#   scripts/fuzz.sh [SECONDS]
#
# Those that have not yet run for days run on their corpus alone, so that a change fails by what it changed;
# WEIR_FUZZ_LONG=1 (make soak) gives them time as well. A fuzzer starts from test/fuzz/corpus/NAME (inputs that once found
# a fault stay there for ever); an input that fails is left in build/fuzz/NAME-*, and the fuzzer's output is shown.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export SECONDS_EACH=${1:-60}
jobs=$(nproc)

mapfile -t names < <(find test/fuzz -name '*_fuzz.cc' -printf '%f\n' | sed 's/\.cc$//' | sort)

cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "$jobs" --target "${names[@]}" >build/fuzz/build.log 2>&1 ||
  { tail -n 50 build/fuzz/build.log && exit 1; }

fuzz_one() {
  local name=$1 found="build/fuzz/corpus/$1" known="test/fuzz/corpus/$1" log="build/fuzz/$1.log"
  local limit=("-max_total_time=$SECONDS_EACH")
  case $name in
    envelopes_fuzz | hints_fuzz | paths_fuzz | projects_fuzz | sql_fuzz)
      [ -n "${WEIR_FUZZ_LONG:-}" ] || limit=(-runs=0) ;;
  esac
  mkdir -p "$found"
  [ -d "$known" ] || known=
  if "build/fuzz/$name" "${limit[@]}" -rss_limit_mb=2048 -timeout=10 \
    -artifact_prefix="build/fuzz/$name-" "$found" ${known:+"$known"} >"$log" 2>&1; then
    echo "$name: $(grep -oE '^Done [0-9]+ runs' "$log" | tail -n 1 | tr 'D' 'd'), no finding"
  else
    echo "$name: a finding" && tail -n 50 "$log" && return 1
  fi
}
export -f fuzz_one

printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {}'
