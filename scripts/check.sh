#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the sources without running them.
#
#   scripts/check.sh [quick]
#
# quick: format, layers, licences, lengths and words: seconds. Without it also names, by clang-tidy, which needs a
# configured build/; CHECK_ENGINE=1 takes the engine in (DuckDB's headers make that slow).
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
status=0
check() {
  local name=$1
  shift
  if "$@"; then
    echo "check: $name ok"
  else
    echo "check: $name FAILED"
    status=1
  fi
}

# Names each file that `make format` would change.
format() {
  local unformatted
  unformatted=$(git ls-files '*.cc' '*.h' | xargs -r -n 32 -P "$(nproc)" clang-format-16 --dry-run --Werror 2>&1 |
    grep -oE '^[^:]+:[0-9]+:[0-9]+: error' | cut -d: -f1 | sort -u)
  [ -z "$unformatted" ] || { printf '%s: not formatted (make format)\n' $unformatted && return 1; }
}

check format format
check layers python3 scripts/check_layers.py
check files python3 scripts/check_files.py
if [ "${1:-}" != quick ]; then
  check names python3 scripts/check_names.py ${CHECK_ENGINE:+--engine}
fi
exit $status
