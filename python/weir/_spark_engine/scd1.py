# SPDX-License-Identifier: Apache-2.0
"""SCD type 1, by the rules of src/pipeline/flows/scd1.cc: of equal sequences an upsert beats a delete, and the upsert that
arrives last the others.
"""
from __future__ import annotations

from weir._spark_engine.sql_text import METADATA, delta, names, quote, same_key


def _state(request: dict, table: str, field: str) -> str:
    return (f"SELECT {names(request['keys'])}, {METADATA}.{field} AS __weir_sequence, true AS __weir_found "
            f"FROM {delta(request[table])}")


def decide(spark, request: dict) -> dict:
    """The view __weir_decided: the winner of each key and what it does to both tables."""
    keys = request["keys"]
    decided = spark.sql(f"""
        SELECT f.*,
          CASE WHEN f.__weir_delete THEN CASE WHEN a.__weir_found IS NULL THEN 'insert'
                                              WHEN f.__weir_sequence > a.__weir_sequence THEN 'update' ELSE 'none' END
               WHEN a.__weir_found AND f.__weir_sequence >= a.__weir_sequence THEN 'delete' ELSE 'none' END AS __weir_auxiliary,
          CASE WHEN f.__weir_delete THEN CASE WHEN t.__weir_found IS NULL THEN 'none'
                                              WHEN t.__weir_sequence IS NULL OR f.__weir_sequence > t.__weir_sequence THEN 'delete'
                                              ELSE 'late' END
               WHEN a.__weir_found AND f.__weir_sequence < a.__weir_sequence THEN 'late'
               WHEN t.__weir_found IS NULL THEN 'insert'
               WHEN t.__weir_sequence IS NULL OR f.__weir_sequence >= t.__weir_sequence THEN 'update' ELSE 'late' END AS __weir_target
        FROM (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY {names(keys)} ORDER BY __weir_sequence DESC,
                __weir_delete, __weir_arrival DESC) AS __weir_place FROM __weir_batch) WHERE __weir_place = 1) f
        LEFT JOIN ({_state(request, "target", "upsertSequence")}) t ON {same_key(keys, "f", "t")}
        LEFT JOIN ({_state(request, "auxiliary", "deleteSequence")}) a ON {same_key(keys, "f", "a")}""").localCheckpoint()
    decided.createOrReplaceTempView("__weir_decided")
    auxiliary, upserted, deleted, late = decided.selectExpr(
        "count_if(__weir_auxiliary <> 'none')", "count_if(__weir_target IN ('insert', 'update'))",
        "count_if(__weir_target = 'delete')", "count_if(__weir_target = 'late')").collect()[0]
    return {"rows_in": request["rows_in"], "auxiliary": auxiliary, "upserted": upserted, "deleted": deleted, "dropped": late}


def _metadata(request: dict, deleted: str, upserted: str) -> str:
    kind = request["sequence_type"]
    return f"named_struct('deleteSequence', CAST({deleted} AS {kind}), 'upsertSequence', CAST({upserted} AS {kind}))"


def merge_auxiliary(request: dict) -> str:
    keys, metadata = request["keys"], _metadata(request, "s.__weir_sequence", "NULL")
    return f"""
        MERGE INTO {delta(request["auxiliary"])} t USING (SELECT * FROM __weir_decided WHERE __weir_auxiliary <> 'none') s
        ON {same_key(keys, "t", "s")}
        WHEN MATCHED AND s.__weir_auxiliary = 'delete' THEN DELETE
        WHEN MATCHED THEN UPDATE SET {METADATA} = {metadata}
        WHEN NOT MATCHED THEN INSERT ({names(keys)}, {METADATA}) VALUES ({names(keys, "s")}, {metadata})"""


def merge_target(request: dict) -> str:
    columns = [name for name, _ in request["columns"]]
    metadata = _metadata(request, "NULL", "s.__weir_sequence")
    assignments = ", ".join(f"{quote(name)} = s.{quote(name)}" for name in columns)
    return f"""
        MERGE INTO {delta(request["target"])} t
        USING (SELECT * FROM __weir_decided WHERE __weir_target NOT IN ('none', 'late')) s
        ON {same_key(request["keys"], "t", "s")}
        WHEN MATCHED AND s.__weir_target = 'delete' THEN DELETE
        WHEN MATCHED THEN UPDATE SET {assignments}, {METADATA} = {metadata}
        WHEN NOT MATCHED THEN INSERT ({names(columns)}, {METADATA}) VALUES ({names(columns, "s")}, {metadata})"""
