#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings what Weir is built and tested with. Safe to run again: what is there already is left alone.
#
#   scripts/setup.sh [build] [test] [format] [check] [demo]     (without a group: build)
#
# build:  libraries from Debian, DuckDB's library (npm) and its C++ headers (cargo)
# test:   build, the Python environment with Spark, Delta's jars, the other readers and writers we test against, and
#         emulators of object stores
# format: clang-format alone
# check:  build, format, and clang with its lint and fuzz tools
# demo:   what `make demo` needs: the same as build
#
# Everything that is not a Debian package lands in $WEIR_DEPS (default: build/deps). Versions and
# SHA-256 sums are in scripts/pins/. WEIR_DUCKDB_ROOT=DIR (DIR/include, DIR/lib) uses a DuckDB that is there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pins="$root/scripts/pins"
deps=${WEIR_DEPS:-$root/build/deps}
# shellcheck source=pins/versions.sh
source "$pins/versions.sh"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Runs a command in silence; its output is shown only when it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    say "failed: $*"
  fi
  rm -f "$log"
  return "$status"
}

check_sha256() { # FILE SUM
  local found
  found=$(sha256sum "$1" | cut -d' ' -f1)
  [ "$found" = "$2" ] || fail "$(basename "$1"): expected SHA-256 $2, found $found"
}

# done_already NAME FILE...: true when step NAME has run with these very inputs.
stamp_value() { cat "${@:2}" | sha256sum | cut -d' ' -f1; }
done_already() { [ "$(cat "$deps/stamps/$1" 2>/dev/null)" = "$(stamp_value "$@")" ]; }
mark_done() { stamp_value "$@" >"$deps/stamps/$1"; }

install_debian_packages() { # GROUP
  local package missing=()
  while read -r _ package; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done < <(grep "^$1 " "$pins/debian.txt")
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "please install: ${missing[*]}"
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  say "Debian packages: ${missing[*]}"
  quietly "${as_root[@]}" apt-get update -qq
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

install_duckdb_library() {
  done_already duckdb-library "$pins/versions.sh" && return 0
  say "DuckDB $DUCKDB_VERSION library"
  local work archive
  work=$(mktemp -d "$deps/tmp.XXXXXX")
  (cd "$work" && quietly npm pack --silent "$DUCKDB_LIBRARY_PACKAGE")
  archive=$(echo "$work"/*.tgz)
  check_sha256 "$archive" "$DUCKDB_LIBRARY_SHA256"
  tar -xzf "$archive" -C "$work"
  mkdir -p "$deps/duckdb/lib"
  mv -f "$work/package/libduckdb.so" "$deps/duckdb/lib/libduckdb.so"
  rm -rf "$work"
  mark_done duckdb-library "$pins/versions.sh"
}

# Installed as duckdb/include, duckdb/parquet (the Parquet extension's headers) and duckdb/third_party (what those
# include in their turn).
install_duckdb_headers() {
  local inputs=("$pins/versions.sh" "${BASH_SOURCE[0]}")
  done_already duckdb-headers "${inputs[@]}" && return 0
  say "DuckDB $DUCKDB_VERSION headers"
  local work crate folder
  work=$(mktemp -d "$deps/tmp.XXXXXX")
  cp "$pins"/duckdb-headers/* "$work"
  CARGO_HOME="$work/cargo" quietly cargo fetch --target x86_64-unknown-linux-gnu --manifest-path "$work/Cargo.toml"
  crate=$(find "$work/cargo/registry/cache" -name "$DUCKDB_HEADERS_CRATE.crate")
  check_sha256 "$crate" "$DUCKDB_HEADERS_SHA256"
  tar -xzf "$crate" -C "$work" "$DUCKDB_HEADERS_CRATE/duckdb.tar.gz"
  tar -xzf "$work/$DUCKDB_HEADERS_CRATE/duckdb.tar.gz" -C "$work"
  mkdir -p "$work/new/third_party" "$work/old" "$deps/duckdb"
  mv "$work/duckdb/src/include" "$work/new/include"
  mv "$work/duckdb/extension/parquet/include" "$work/new/parquet"
  mv "$work"/duckdb/third_party/{parquet,thrift,fastpforlib} "$work/new/third_party"
  for folder in include parquet third_party; do
    [ ! -e "$deps/duckdb/$folder" ] || mv "$deps/duckdb/$folder" "$work/old"
    mv "$work/new/$folder" "$deps/duckdb/$folder"
  done
  rm -rf "$work"
  mark_done duckdb-headers "${inputs[@]}"
}

install_extensions() { # GROUP
  local name sum work wheel target
  while read -r _ name sum; do
    target="$deps/duckdb/extensions/$name.duckdb_extension"
    [ -f "$target" ] && [ "$(cat "$target.sha256" 2>/dev/null)" = "$sum" ] && continue
    say "DuckDB extension $name"
    work=$(mktemp -d "$deps/tmp.XXXXXX")
    quietly python3 -m pip download -q --no-deps --only-binary :all: -d "$work" "duckdb-extension-${name//_/-}==$DUCKDB_VERSION"
    wheel=$(echo "$work"/*.whl)
    check_sha256 "$wheel" "$sum"
    mkdir -p "$deps/duckdb/extensions"
    python3 -m zipfile -e "$wheel" "$work"
    mv -f "$work"/duckdb_extension_*/extensions/*/"$name.duckdb_extension" "$target"
    echo "$sum" >"$target.sha256"
    rm -rf "$work"
  done < <(grep "^$1 " "$pins/extensions.txt")
}

install_python() {
  local inputs=("$pins/python/requirements.txt" "$pins/python/build-requirements.txt")
  done_already python "${inputs[@]}" && return 0
  say "Python environment (Spark is large: this takes some minutes)"
  "$deps/python/bin/python" -c 'pass' 2>/dev/null || python3 -m venv --clear "$deps/python"
  local pip=("$deps/python/bin/python" -m pip install -q --no-cache-dir --require-hashes)
  quietly "${pip[@]}" -r "$pins/python/build-requirements.txt"
  quietly "${pip[@]}" --no-build-isolation -r "$pins/python/requirements.txt"
  mark_done python "${inputs[@]}"
}

# Azure's emulator. npm compares every package with the sums of the lock file, which names no registry.
install_node_servers() {
  local inputs=("$pins/node/package.json" "$pins/node/package-lock.json")
  done_already node-servers "${inputs[@]}" && return 0
  say "Azurite, for the tests of object stores"
  mkdir -p "$deps/node"
  cp "${inputs[@]}" "$deps/node"
  quietly npm ci --silent --ignore-scripts --no-audit --no-fund --prefix "$deps/node"
  mark_done node-servers "${inputs[@]}"
}

install_jars() {
  local inputs=("$pins/jars/pom.xml" "$pins/jars/jars.sha256")
  done_already jars "${inputs[@]}" && return 0
  say "Delta's jars for Spark"
  rm -rf "$deps/jars"
  quietly mvn -q -B -f "$pins/jars/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory="$deps/jars"
  (cd "$deps/jars" && quietly sha256sum --strict -c "$pins/jars/jars.sha256")
  mark_done jars "${inputs[@]}"
}

need_command() { # COMMAND, where it comes from
  command -v "$1" >/dev/null || fail "'$1' is needed: install $2"
}

setup_build() {
  need_command npm "Node.js with npm"
  need_command cargo "Rust with cargo"
  install_debian_packages build
  [ -n "${WEIR_DUCKDB_ROOT:-}" ] && return 0
  install_duckdb_library
  install_duckdb_headers
}

setup_test() {
  python3 -c 'import ensurepip, pip' 2>/dev/null || fail "Python with venv and pip is needed: install python3-venv and python3-pip"
  setup_build
  install_debian_packages test
  install_extensions test
  install_python
  install_node_servers
  install_jars
}

setup_format() {
  install_debian_packages format
}

setup_check() {
  setup_build
  setup_format
  install_debian_packages check
}

setup_demo() {
  setup_build
}

mkdir -p "$deps/stamps"
exec 9>"$deps/.lock"
flock 9
for group in "${@:-build}"; do
  case "$group" in
    build | test | format | check | demo) "setup_$group" ;;
    *) fail "unknown group '$group': build, test, format, check or demo" ;;
  esac
done
