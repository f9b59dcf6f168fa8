# SPDX-License-Identifier: Apache-2.0
"""SCD type 2, by the rules of src/pipeline/flows/scd2_sql.cc: of equal sequences a delete beats an upsert, and the upsert that
arrives first the others; consecutive upserts with equal tracked columns are one version. All events that still matter are in
the two tables: a row of the target is the last event of its run, the side table holds the others and deletes that closed
nothing.
"""
from __future__ import annotations

from weir._spark_engine.sql_text import METADATA, delta, names, quote, same_key

_BY = "`__spark_autocdc_deleted_by_batch_id`"


def _columns(request: dict) -> list[str]:
    return [name for name, _ in request["columns"]]


def _read_state(spark, request: dict) -> None:
    keys, columns = request["keys"], names(_columns(request))
    spark.sql(f"""
        SELECT {columns}, `__START_AT` AS __weir_start, `__END_AT` AS __weir_end,
               coalesce({METADATA}.`__RECORD_START_AT`, `__START_AT`) AS __weir_sequence
        FROM {delta(request["target"])} t LEFT SEMI JOIN __weir_batch b
        ON {same_key(keys, "t", "b")}""").cache().createOrReplaceTempView("__weir_old")
    spark.sql(f"""
        SELECT {columns}, `__START_AT` AS __weir_sequence, `__END_AT` IS NOT NULL AS __weir_delete, {_BY} AS __weir_deleted_by
        FROM {delta(request["auxiliary"])} t LEFT SEMI JOIN __weir_batch b
        ON {same_key(keys, "t", "b")}""").cache().createOrReplaceTempView("__weir_old_auxiliary")


def _events(request: dict) -> str:
    """All events of the batch's keys, each sequence once."""
    keys, columns = request["keys"], _columns(request)
    key_columns = ", ".join(f"o.{quote(name)}" if name in keys else f"CAST(NULL AS {kind}) AS {quote(name)}"
                            for name, kind in request["columns"])
    return f"""
        SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY {names(keys)}, __weir_sequence
                                                    ORDER BY __weir_delete DESC, __weir_arrival) AS __weir_place FROM (
          SELECT {names(columns)}, __weir_sequence, false AS __weir_delete, -1L AS __weir_arrival FROM __weir_old
          UNION ALL SELECT {key_columns}, o.__weir_end, true, -1L FROM __weir_old o LEFT ANTI JOIN __weir_old n
            ON {same_key(keys, "o", "n")} AND o.__weir_end = n.__weir_start WHERE o.__weir_end IS NOT NULL
          UNION ALL SELECT {names(columns)}, __weir_sequence, __weir_delete, -1L FROM __weir_old_auxiliary
            WHERE __weir_deleted_by IS NULL OR __weir_deleted_by = {request["batch"]}
          UNION ALL SELECT {names(columns)}, __weir_sequence, __weir_delete, __weir_arrival FROM __weir_batch))
        WHERE __weir_place = 1"""


def _cut_runs(spark, request: dict) -> None:
    keys, columns = names(request["keys"]), names(_columns(request))
    window = f"(PARTITION BY {keys} ORDER BY __weir_sequence)"
    tracked = f"named_struct({', '.join(f'{chr(39)}c{i}{chr(39)}, {quote(name)}' for i, name in enumerate(request['tracked']))})"
    changed = f"NOT ({tracked} <=> lag({tracked}) OVER {window})" if request["tracked"] else "false"
    spark.sql(f"""
        WITH events AS ({_events(request)}),
        heads AS (SELECT *, lag(__weir_delete) OVER {window} AS __weir_after_delete,
                    NOT __weir_delete AND (coalesce(lag(__weir_delete) OVER {window}, true) OR {changed}) AS __weir_head FROM events),
        runs AS (SELECT *, lead(__weir_sequence) OVER {window} AS __weir_next_sequence,
                   coalesce(lead(__weir_delete OR __weir_head) OVER {window}, true) AS __weir_ends,
                   last_value(CASE WHEN __weir_head THEN __weir_sequence END, true) OVER (PARTITION BY {keys}
                     ORDER BY __weir_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS __weir_begin FROM heads)
        SELECT {columns}, __weir_sequence, __weir_delete, __weir_arrival, __weir_begin AS __weir_start, __weir_next_sequence AS __weir_end,
               NOT __weir_delete AND __weir_ends AS __weir_visible,
               CASE WHEN __weir_delete THEN coalesce(__weir_after_delete, true) ELSE NOT __weir_ends END AS __weir_aside
        FROM runs""").cache().createOrReplaceTempView("__weir_runs")


def _first_of(request: dict) -> str:
    return ", ".join(f"CASE WHEN n.__weir_found THEN n.{quote(name)} ELSE o.{quote(name)} END AS {quote(name)}"
                     for name in _columns(request))


def decide(spark, request: dict) -> dict:
    """The views __weir_changes and __weir_auxiliary_changes: what to do to the tables."""
    keys = request["keys"]
    _read_state(spark, request)
    _cut_runs(spark, request)
    changes = spark.sql(f"""
        SELECT {_first_of(request)}, coalesce(n.__weir_start, o.__weir_start) AS __weir_start, n.__weir_end, n.__weir_sequence,
               CASE WHEN o.__weir_found IS NULL THEN 'insert' WHEN n.__weir_found IS NULL THEN 'delete' ELSE 'update' END AS __weir_action
        FROM (SELECT *, true AS __weir_found FROM __weir_runs WHERE __weir_visible) n
        FULL JOIN (SELECT *, true AS __weir_found FROM __weir_old) o
        ON {same_key(keys, "n", "o")} AND n.__weir_start = o.__weir_start
        WHERE o.__weir_found IS NULL OR n.__weir_found IS NULL OR NOT (n.__weir_end <=> o.__weir_end)
           OR NOT (n.__weir_sequence <=> o.__weir_sequence)""").localCheckpoint()
    changes.createOrReplaceTempView("__weir_changes")
    auxiliary = spark.sql(f"""
        SELECT * FROM (SELECT {_first_of(request)}, coalesce(n.__weir_sequence, o.__weir_sequence) AS __weir_sequence,
            coalesce(n.__weir_delete, o.__weir_delete) AS __weir_delete,
            CASE WHEN o.__weir_found IS NULL THEN 'insert'
                 WHEN n.__weir_found IS NOT NULL THEN CASE WHEN o.__weir_deleted_by IS NULL THEN 'none' ELSE 'revive' END
                 WHEN o.__weir_deleted_by IS NULL THEN 'mark'
                 WHEN o.__weir_deleted_by = {request["batch"]} THEN 'none' ELSE 'purge' END AS __weir_action
          FROM (SELECT *, true AS __weir_found FROM __weir_runs WHERE __weir_aside) n
          FULL JOIN (SELECT *, true AS __weir_found FROM __weir_old_auxiliary) o
          ON {same_key(keys, "n", "o")} AND n.__weir_sequence = o.__weir_sequence AND n.__weir_delete = o.__weir_delete)
        WHERE __weir_action <> 'none'""").localCheckpoint()
    auxiliary.createOrReplaceTempView("__weir_auxiliary_changes")
    applied = spark.sql("SELECT count(*) FROM __weir_runs WHERE __weir_arrival >= 0").collect()[0][0]
    for view in ("__weir_runs", "__weir_old", "__weir_old_auxiliary"):
        spark.table(view).unpersist()
    upserted, deleted = changes.selectExpr("count_if(__weir_action <> 'delete')", "count_if(__weir_action = 'delete')").collect()[0]
    return {"rows_in": request["rows_in"], "auxiliary": auxiliary.count(), "upserted": upserted, "deleted": deleted,
            "dropped": request["rows_in"] - applied}


_RECORD = "named_struct('__RECORD_START_AT', s.__weir_sequence)"


def merge_auxiliary(request: dict) -> str:
    columns = _columns(request)
    return f"""
        MERGE INTO {delta(request["auxiliary"])} t USING __weir_auxiliary_changes s
        ON {same_key(request["keys"], "t", "s")} AND t.`__START_AT` = s.__weir_sequence
           AND (t.`__END_AT` IS NOT NULL) = s.__weir_delete
        WHEN MATCHED AND s.__weir_action = 'purge' THEN DELETE
        WHEN MATCHED THEN UPDATE SET {_BY} = CASE WHEN s.__weir_action = 'mark' THEN {request["batch"]}L END
        WHEN NOT MATCHED THEN INSERT ({names(columns)}, `__START_AT`, `__END_AT`, {METADATA}, {_BY})
          VALUES ({names(columns, "s")}, s.__weir_sequence, CASE WHEN s.__weir_delete THEN s.__weir_sequence END, {_RECORD},
                  NULL)"""


def merge_target(request: dict) -> str:
    columns = _columns(request)
    assignments = ", ".join(f"{quote(name)} = s.{quote(name)}" for name in columns)
    return f"""
        MERGE INTO {delta(request["target"])} t USING __weir_changes s
        ON {same_key(request["keys"], "t", "s")} AND t.`__START_AT` = s.__weir_start
        WHEN MATCHED AND s.__weir_action = 'delete' THEN DELETE
        WHEN MATCHED THEN UPDATE SET {assignments}, `__END_AT` = s.__weir_end, {METADATA} = {_RECORD}
        WHEN NOT MATCHED THEN INSERT ({names(columns)}, `__START_AT`, `__END_AT`, {METADATA})
          VALUES ({names(columns, "s")}, s.__weir_start, s.__weir_end, {_RECORD})"""
