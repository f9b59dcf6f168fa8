#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a build and closes with one line, "N passed, N failed", over all of them.
#
#   scripts/test.sh [--build DIR] [unit] [sql] [run] [pytest] [peers]     (without a kind: all)
#
# unit:   the test programs of the layers (ctest)
# sql:    the statements of test/sql, then again under each of test/sql/settings
# run:    every runner test/*/run_*.py; each closes with "N passed, N failed"
# pytest: every test_*.py below test/, without test/interop
# peers:  test/interop, with Spark; beside the other kinds, its output after theirs
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
build=build
kinds=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=$2 && shift ;;
    unit | sql | run | pytest | peers) kinds+=("$1") ;;
    *) echo "unknown kind of test '$1': unit, sql, run, pytest or peers" >&2 && exit 2 ;;
  esac
  shift
done
[ ${#kinds[@]} -gt 0 ] || kinds=(peers unit sql run pytest)

deps=$(realpath "${WEIR_DEPS:-$root/build/deps}")
python=$deps/python/bin/python
[ -x "$python" ] || python=python3
export WEIR_DEPS=$deps WEIR_BIN
WEIR_BIN=$(realpath "$build")
export PATH="$WEIR_BIN:$PATH" PYTHONDONTWRITEBYTECODE=1
# DuckDB's library is not instrumented, and containers cross its border.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_container_overflow=0}

log=$(mktemp) peers_log=$(mktemp) peers=
trap 'rm -f "$log" "$peers_log"; [ -z "$peers" ] || kill "$peers" 2>/dev/null' EXIT
passed=0 failed=0 skipped=0

# count WORD: the number before WORD in the last line of the log that has one, else 0.
count() { grep -oE "[0-9]+ $1" "$log" | tail -n 1 | grep -oE '^[0-9]+' || echo 0; }

# add STATUS PASSED FAILED SKIPPED: a run that failed without a failed test (a crash, say) counts as one failure.
add() {
  local failures=$3
  [ "$1" -eq 0 ] || [ "$failures" -gt 0 ] || failures=1
  passed=$((passed + $2)) failed=$((failed + failures)) skipped=$((skipped + $4))
}

# Runs a command, its output in the log and (without ctest's lines on tests that passed) on the screen; returns its
# exit status.
logged() {
  printf '\n== %s\n' "$*"
  "$@" </dev/null 2>&1 | tee "$log" | grep -Ev --line-buffered '^ +Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test .* Passed '
  return "${PIPESTATUS[0]}"
}

run_unit() {
  logged ctest --test-dir "$build" --output-on-failure --no-tests=error --label-exclude '^sql$' -j "$(nproc)"
  local status=$? total failures
  failures=$(count 'tests? failed out of')
  total=$(grep -oE 'out of [0-9]+' "$log" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
  add $status $((total - failures)) "$failures" 0
}

run_sql() {
  local setting
  [ -x "$build/weir_sqltest" ] || return 0
  logged "$build/weir_sqltest"
  add $? "$(count passed)" "$(count failed)" "$(count skipped)"
  for setting in test/sql/settings/*.json; do
    logged "$build/weir_sqltest" --setting "$(basename "$setting" .json)"
    add $? "$(count passed)" "$(count failed)" "$(count skipped)"
  done
}

run_run() {
  local runner
  for runner in test/*/run_*.py; do
    [ -e "$runner" ] || continue
    logged "$python" "$runner" --bin "$build"
    add $? "$(count passed)" "$(count failed)" "$(count skipped)"
  done
}

run_pytest() {
  [ -n "$(find test -name 'test_*.py' -not -path 'test/interop/*' -print -quit)" ] || return 0
  logged "$python" -m pytest -q -p no:cacheprovider --ignore=test/interop test
  add_pytest $?
}

add_pytest() { add "$1" "$(count passed)" $(($(count failed) + $(count 'errors?'))) "$(count skipped)"; }

# Spark leaves a core idle most of the time.
run_peers() {
  "$python" -m pytest -q -p no:cacheprovider test/interop </dev/null >"$peers_log" 2>&1 &
  peers=$!
}

finish_peers() {
  [ -n "$peers" ] || return 0
  wait "$peers"
  local status=$?
  peers=
  printf '\n== pytest test/interop\n'
  tee "$log" <"$peers_log"
  add_pytest $status
}

for kind in "${kinds[@]}"; do
  "run_$kind"
done
finish_peers
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
