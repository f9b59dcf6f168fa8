#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows a pipeline at work: change events arrive as JSON, CSV and Parquet files, and a Delta table follows them.
#
#   scripts/demo.sh            with build/weir; WEIR=... takes another program
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
weir=${WEIR:-$root/build/weir}
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

title() {
  if [ -t 1 ]; then printf '\n\033[1m== %s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi
}
# Shows a command as a user would type it, then runs it.
run() {
  local word line='$ weir'
  for word in "$@"; do
    case "$word" in *[!A-Za-z0-9_./=-]*) line+=" \"$word\"" ;; *) line+=" $word" ;; esac
  done
  printf '%s\n' "$line"
  "$weir" "$@"
}
customers() {
  run sql -w warehouse -c 'SELECT id, name, version FROM customers ORDER BY id'
}

mkdir -p customers/transformations customers/events && cd customers
cat >spark-pipeline.yml <<'SPEC'
name: customers
storage: pipeline-storage
libraries:
  - glob:
      include: transformations/**
SPEC
cat >transformations/customers.sql <<'SQL'
CREATE TEMPORARY VIEW customer_events AS
SELECT * FROM STREAM read_files('events', schema => 'id INT, name STRING, version BIGINT, op STRING');

CREATE STREAMING TABLE customers TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');

CREATE FLOW customers_cdc AS AUTO CDC INTO customers
FROM STREAM(customer_events)
KEYS (id)
APPLY AS DELETE WHEN op = 'DELETE'
SEQUENCE BY version
COLUMNS * EXCEPT (op);
SQL

title "A pipeline project: a spec and a definition"
for file in spark-pipeline.yml transformations/customers.sql; do
  printf -- '--- %s\n' "$file"
  cat "$file"
done

title "First files arrive: JSON"
cat >events/1.json <<'JSON'
{"id": 1, "name": "alice", "version": 1, "op": "UPSERT"}
{"id": 2, "name": "bob", "version": 1, "op": "UPSERT"}
JSON
cat events/1.json
run run
customers

title "A CSV file: alice is renamed (her old event comes again), bob deleted, carol new"
cat >events/2.csv <<'CSV'
id,name,version,op
1,alice,1,UPSERT
1,alicia,2,UPSERT
2,bob,2,DELETE
3,carol,1,UPSERT
CSV
cat events/2.csv
run run
customers

title "A Parquet file with a late event: it changes nothing"
"$weir" sql -c "COPY (SELECT 1::INT AS id, 'alice' AS name, 1::BIGINT AS version, 'UPSERT' AS op) TO 'events/3.parquet'" >/dev/null
run run
customers

title "No new file: nothing to do"
run run

title "Everything once more from the start"
run run --full-refresh customers
customers

title "The history of the table"
run sql -w warehouse -c "SELECT version, operation,
  operationMetrics['numTargetRowsInserted'] AS inserted, operationMetrics['numTargetRowsUpdated'] AS updated,
  operationMetrics['numTargetRowsDeleted'] AS deleted
FROM weir_history('customers') ORDER BY version"
