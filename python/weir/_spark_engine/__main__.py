# SPDX-License-Identifier: Apache-2.0
"""python3 -m weir._spark_engine CONFIGURATION: requests in, answers out, one JSON object a line."""
from __future__ import annotations

import json
import os
import sys
import traceback

from weir._spark_engine.batches import apply
from weir._spark_engine.sql_text import BatchError

DELTA = "io.delta:delta-spark_4.2_2.13:4.4.0"
STATIC = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
# Both engines must read the same meaning into a query: names in double quotes, instants in UTC.
SESSION = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # What is merged has been computed and kept already.
    "spark.databricks.delta.merge.materializeSource": "none",
}


def open_session(configuration: dict):
    from pyspark.sql import SparkSession

    settings = dict(setting.split("=", 1) for setting in configuration["settings"])
    if configuration["remote"]:
        builder = SparkSession.builder.remote(configuration["remote"])
    else:
        builder = SparkSession.builder.appName("weir")
        if configuration["master"]:
            builder = builder.master(configuration["master"])
        if not any(name in settings for name in ("spark.jars", "spark.jars.packages")):
            builder = builder.config("spark.jars.packages", DELTA)
        for name, value in STATIC.items():
            builder = builder.config(name, value)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    for name, value in SESSION.items():
        session.conf.set(name, value)
    return session


def describe(error: Exception) -> dict:
    """The error as Weir tells it: by Spark's own name where there is one."""
    if isinstance(error, BatchError):
        return {"name": error.name, "message": str(error)}
    traceback.print_exc()
    condition = getattr(error, "getCondition", lambda: None)()
    message = str(error).split("\n\nJVM stacktrace")[0].strip()
    return {"name": condition or "WEIR_SPARK_FAILED", "message": f"Spark: {message}"}


def main() -> int:
    requests, answers = sys.stdin, os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Spark and its Java print is no answer
    session = None
    for line in requests:
        request = json.loads(line)
        try:
            if session is None:
                session = open_session(json.loads(sys.argv[1]))
            answer = {"counts": apply(session, request)}
        except Exception as error:  # noqa: BLE001: every failure of a batch is told
            answer = {"error": describe(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    if session is not None:
        session.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
