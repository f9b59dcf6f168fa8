# SPDX-License-Identifier: Apache-2.0
"""One batch: events into a table of SCD type 1 or 2, rows into a streaming table, or a materialized view anew."""
from __future__ import annotations

from contextlib import contextmanager

from weir._spark_engine import scd1, scd2
from weir._spark_engine.sources import Inputs, check_expectations, typed
from weir._spark_engine.sql_text import BatchError, casts, quote

_APPLICATION = "spark.databricks.delta.write.txnAppId"
_VERSION = "spark.databricks.delta.write.txnVersion"


def apply(spark, request: dict) -> dict:
    inputs = Inputs(spark, request["inputs"])
    if request["kind"] == "auto_cdc":
        counts = _auto_cdc(spark, inputs, request)
    else:
        counts = _rows(spark, inputs, request)
    counts["expectations"] = inputs.expectations + counts.get("expectations", [])
    return counts


@contextmanager
def _recorded(spark, request: dict):
    """Commits in here carry the batch's number, so Delta lets each through once."""
    spark.conf.set(_APPLICATION, request["application"])
    spark.conf.set(_VERSION, str(request["batch"]))
    try:
        yield
    finally:
        spark.conf.unset(_APPLICATION)
        spark.conf.unset(_VERSION)


def _rows(spark, inputs: Inputs, request: dict) -> dict:
    found: list[dict] = []
    rows = typed(inputs.frame(request["sql"]), request["columns"]).localCheckpoint()
    kept = check_expectations(spark, rows, request["expectations"], found)
    rows_in, upserted = rows.count(), kept.count()
    counts = {"rows_in": rows_in, "upserted": upserted, "expectations": found}
    writer = kept.write.format("delta")
    if request["kind"] == "replace":
        writer.mode("overwrite").save(request["target"])
        counts["rows_in"] = 0
    elif upserted > 0:
        with _recorded(spark, request):
            writer.mode("append").save(request["target"])
    return counts


def _auto_cdc(spark, inputs: Inputs, request: dict) -> dict:
    _load(spark, inputs, request)
    rules = scd2 if request["scd_type"] == 2 else scd1
    counts = rules.decide(spark, request)
    with _recorded(spark, request):
        if counts.pop("auxiliary") > 0:
            spark.sql(rules.merge_auxiliary(request))
        if counts["upserted"] + counts["deleted"] > 0:
            spark.sql(rules.merge_target(request))
    return counts


def _load(spark, inputs: Inputs, request: dict) -> None:
    """The events as view __weir_batch: columns, __weir_sequence, __weir_delete, and __weir_arrival, their order."""
    deletes = f"coalesce(({request['delete_when']}), false)" if request["delete_when"] else "false"
    events = inputs.frame(
        f"SELECT {casts(request['columns'])}, CAST(({request['sequence']}) AS {request['sequence_type']}) AS __weir_sequence, "
        f"{deletes} AS __weir_delete, monotonically_increasing_id() AS __weir_arrival {request['from']}").localCheckpoint()
    events.createOrReplaceTempView("__weir_batch")
    nulls = events.selectExpr("count(*)", "count_if(__weir_sequence IS NULL)",
                              *[f"count_if({quote(key)} IS NULL)" for key in request["keys"]]).collect()[0]
    where = f"table `{request['table']}`, batch {request['batch']}: "
    if nulls[1] > 0:
        raise BatchError("AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE",
                         f"{where}{nulls[1]} of {nulls[0]} events have a NULL sequence (SEQUENCE BY {request['sequence']}); "
                         "nothing of the batch was applied")
    missing = ", ".join(f"{key}: {count}" for key, count in zip(request["keys"], nulls[2:]) if count > 0)
    if missing:
        raise BatchError("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY",
                         f"{where}events with a NULL key ({missing}) among {nulls[0]}; nothing of the batch was applied")
    request["rows_in"] = nulls[0]
