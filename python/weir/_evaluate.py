# SPDX-License-Identifier: Apache-2.0
"""Runs the Python definition files of a pipeline and prints what they define, as one JSON object.

    python3 -m weir._evaluate ROOT CONFIGURATION FILE...

CONFIGURATION is that of the spec, a JSON object; it is what `spark.conf.get` knows.

Definitions written for pyspark.pipelines (or Databricks' dlt) are served by Weir's own modules under those names: the
files say what is wanted and nothing is run here, so neither Spark nor Java is needed. {"error": {"name", "message"}}
when a file cannot be read.
"""
from __future__ import annotations

import builtins
import json
import os
import sys
import traceback
import types

from weir import pipelines
from weir._spark import column, dataframe, functions, window
from weir._spark import types as spark_types
from weir.pipelines import _api, _registry, dlt


def _install_modules() -> None:
    pyspark = types.ModuleType("pyspark")
    sql = types.ModuleType("pyspark.sql")
    databricks = types.ModuleType("databricks")
    for package in (pyspark, sql, databricks):
        package.__path__ = []
    pyspark.__version__ = "4.2.0"
    pyspark.pipelines = pipelines
    pyspark.sql = sql
    databricks.pipelines = pipelines
    sql.DataFrame = dataframe.DataFrame
    sql.SparkSession = dataframe.SparkSession
    sql.Column = column.Column
    sql.functions = functions
    sql.types = spark_types
    sql.window = window
    sql.Window = window.Window
    sys.modules.update({
        "pyspark": pyspark, "pyspark.pipelines": pipelines, "pyspark.sql": sql, "pyspark.sql.functions": functions,
        "pyspark.sql.types": spark_types, "pyspark.sql.window": window, "dlt": dlt, "databricks": databricks,
        "databricks.pipelines": pipelines,
    })
    builtins.spark = dataframe.SparkSession()


def _place(error: BaseException, files: list[str]) -> str:
    """File and line of the definition that raised."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            return f"{frame.filename}:{frame.lineno}: "
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: "
    return ""


def _run(file: str) -> None:
    with open(file, encoding="utf-8") as source:
        code = compile(source.read(), file, "exec")
    module = types.ModuleType("__weir_definitions__")
    module.__file__ = file
    exec(code, module.__dict__)  # noqa: S102: running the user's definitions is the purpose


def main() -> int:
    root, configuration, files = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
    output = sys.stdout
    sys.stdout = sys.stderr
    sys.path.insert(0, root)
    os.chdir(root)
    _install_modules()
    dataframe.SparkSession.conf = dataframe.RuntimeConfig(configuration)
    registry = _registry.Registry()
    _registry.activate(registry)
    status = 0
    try:
        for file in files:
            _run(file)
        _api.resolve_queries(registry)
        result = {"datasets": registry.datasets, "flows": registry.flows}
    except _registry.PipelineError as error:
        result = {"error": {"name": error.name, "message": _place(error, files) + str(error)}}
        status = 1
    except Exception as error:  # noqa: BLE001: whatever the user's code raises is told
        message = f"{_place(error, files)}{type(error).__name__}: {error}"
        result = {"error": {"name": "WEIR_PYTHON_DEFINITION_FAILED", "message": message}}
        status = 1
    json.dump(result, output)
    return status


if __name__ == "__main__":
    sys.exit(main())
