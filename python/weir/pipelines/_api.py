# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from weir._spark.column import Column
from weir._spark.dataframe import DataFrame
from weir._spark.types import StructType
from weir.pipelines._registry import PipelineError, active, origin


def _check(name: str, value, *types) -> None:
    if value is None or isinstance(value, types):
        return
    expected = " or ".join(kind.__name__ for kind in types)
    raise PipelineError("NOT_EXPECTED_TYPE", f"{name} must be {expected}, found {type(value).__name__}")


def _identifier(parameter: str, value) -> str:
    """A bare column of a key or column list; Column or its name."""
    _check(parameter, value, str, Column)
    if isinstance(value, Column):
        name = value.column_name()
        if name is None:
            raise PipelineError(
                "AUTOCDC_NON_COLUMN_IDENTIFIER", f"{parameter} takes bare columns, found the expression {value.sql}"
            )
        parts = name
    else:
        parts = [value]
    if len(parts) > 1:
        raise PipelineError(
            "AUTOCDC_MULTIPART_COLUMN_IDENTIFIER",
            f"{parameter} takes unqualified columns, found {'.'.join(parts)}; leave the qualifier out",
        )
    return parts[0]


def _identifiers(parameter: str, values) -> list[str] | None:
    _check(parameter, values, list, tuple)
    return None if values is None else [_identifier(parameter, value) for value in values]


def _expression(parameter: str, value) -> str:
    _check(parameter, value, str, Column)
    if value is None:
        return ""
    return value.sql if isinstance(value, Column) else value


def _selection(only, only_name: str, excepted, except_name: str, error: str) -> dict:
    if only is not None and excepted is not None:
        raise PipelineError(error, f"{only_name} and {except_name} cannot be given together")
    if only is not None:
        return {"kind": "only", "names": _identifiers(only_name, only)}
    if excepted is not None:
        return {"kind": "except", "names": _identifiers(except_name, excepted)}
    return {"kind": "all", "names": []}


def _query_text(function) -> str:
    result = function()
    if isinstance(result, DataFrame):
        return result.sql
    if isinstance(result, str):
        return result.strip().rstrip(";")
    if hasattr(result, "sql_query"):
        return result.sql_query()
    raise PipelineError(
        "NOT_EXPECTED_TYPE",
        f"query function {function.__name__} must return SQL text, a DuckDB relation or a DataFrame, "
        f"found {type(result).__name__}",
    )


def _schema_text(schema) -> str:
    _check("schema", schema, str, StructType)
    if schema is None:
        return ""
    return schema.to_ddl() if isinstance(schema, StructType) else schema


def _dataset(kind: str, name: str, where: dict, **options) -> None:
    if options.get("format") not in (None, "delta"):
        raise PipelineError("WEIR_FORMAT_NOT_DELTA", f"{name}: Weir's tables are Delta tables, not {options['format']}")
    _check("comment", options.get("comment"), str)
    _check("table_properties", options.get("table_properties"), dict)
    active(kind).datasets.append(
        {
            **where,
            "kind": kind,
            "name": name,
            "comment": options.get("comment") or "",
            "properties": {key: str(value) for key, value in (options.get("table_properties") or {}).items()},
            "partition_columns": list(options.get("partition_cols") or []),
            "cluster_columns": list(options.get("cluster_by") or []),
            "schema": _schema_text(options.get("schema")),
            "expectations": options.get("expectations") or [],
            "function": options.get("function"),
            "either": bool(options.get("either")),
        }
    )


def _flow(kind: str, name: str, target: str, where: dict, **options) -> None:
    active(kind).flows.append({**where, "kind": kind, "name": name, "target": target, **options})


def _decorator(kind: str, flow_kind: str, query_function, name, **options):
    where = origin()
    _check("name", name, str)

    def register(function):
        if not callable(function):
            raise PipelineError("NOT_EXPECTED_TYPE", f"{kind} decorates a query function")
        dataset_name = name or function.__name__
        _dataset(kind, dataset_name, where, function=function, **options)
        _flow(flow_kind, dataset_name, dataset_name, where, query=function)
        return function

    return register if query_function is None else register(query_function)


def resolve_queries(registry) -> None:
    """Calls the query functions, when all definitions are known, and takes the expectations that stand above or below the
    decorators of their datasets.
    """
    for dataset in registry.datasets:
        dataset["expectations"] += getattr(dataset.pop("function"), "__weir_expectations__", [])
    for flow in registry.flows:
        if callable(flow["query"]):
            flow["query"] = _query_text(flow["query"])


def _refuse(name, **given) -> None:
    """Parameters of Databricks that would change what a table is, and are not there."""
    for parameter, value in given.items():
        if value is not None:
            raise PipelineError("UNSUPPORTED_FEATURE", f"{name or 'table'}: {parameter} is not supported by Weir")


def table(query_function=None, *, name=None, comment=None, spark_conf=None, table_properties=None, partition_cols=None,
          cluster_by=None, schema=None, format=None, cluster_by_auto=False, private=False, temporary=False, path=None,
          row_filter=None, _either=False):
    """A streaming table from the query that the function returns."""
    _refuse(name, path=path, row_filter=row_filter)
    return _decorator("streaming_table", "append", query_function, name, either=_either, comment=comment,
                      table_properties=table_properties, partition_cols=partition_cols, cluster_by=cluster_by,
                      schema=schema, format=format)


def materialized_view(query_function=None, *, name=None, comment=None, spark_conf=None, table_properties=None,
                      partition_cols=None, cluster_by=None, schema=None, format=None, cluster_by_auto=False, private=False,
                      temporary=False, path=None, row_filter=None):
    """A table that every run computes anew from the query that the function returns."""
    _refuse(name, path=path, row_filter=row_filter)
    return _decorator("materialized_view", "recompute", query_function, name, comment=comment,
                      table_properties=table_properties, partition_cols=partition_cols, cluster_by=cluster_by,
                      schema=schema, format=format)


def temporary_view(query_function=None, *, name=None, comment=None, spark_conf=None):
    """A name for a query, inside the pipeline only."""
    return _decorator("temporary_view", "view", query_function, name, comment=comment)


def append_flow(*, target, name=None, comment=None, spark_conf=None, once=False):
    """Adds the new rows of the query that the function returns to a streaming table."""
    where = origin()
    _check("target", target, str)

    def register(function):
        _flow("append", name or function.__name__, target, where, query=function, once=bool(once))
        return function

    return register


def create_streaming_table(name, *, comment=None, table_properties=None, partition_cols=None, cluster_by=None,
                           schema=None, format=None, expect_all=None, expect_all_or_drop=None, expect_all_or_fail=None,
                           spark_conf=None, cluster_by_auto=False, path=None, row_filter=None):
    """Declares a table that flows fill."""
    _refuse(name, path=path, row_filter=row_filter)
    _check("name", name, str)
    expectations = [
        {"name": key, "condition": condition, "violation": violation}
        for conditions, violation in ((expect_all, "warn"), (expect_all_or_drop, "drop"), (expect_all_or_fail, "fail"))
        for key, condition in (conditions or {}).items()
    ]
    _dataset("streaming_table", name, origin(), comment=comment, table_properties=table_properties,
             partition_cols=partition_cols, cluster_by=cluster_by, schema=schema, format=format,
             expectations=expectations)


def create_sink(name, format, options=None):
    """Sinks are not there: what a pipeline writes are its tables."""
    raise PipelineError("UNSUPPORTED_FEATURE",
                        f"sink {name}: Weir has no sinks; make it a streaming table, and follow that with `weir changes`")


def _scd_type(value) -> int:
    if value not in (1, 2, "1", "2"):
        raise PipelineError("NOT_EXPECTED_TYPE", f"stored_as_scd_type must be 1 or 2, found {value!r}")
    return int(value)


def _auto_cdc(kind, target, source, keys, sequence_by, options, where, name, once):
    _check("target", target, str)
    if source is None or source == "":
        raise PipelineError("AUTOCDC_MISSING_SOURCE", f"the AUTO CDC flow into {target} has no source")
    if not keys:
        raise PipelineError("AUTOCDC_EMPTY_KEYS", f"the AUTO CDC flow into {target} has no keys")
    clauses = {"keys": _identifiers("keys", keys), "sequence_by": sequence_by, **options}
    quoted = ".".join("`" + part.replace("`", "``") + "`" for part in source.split("."))
    relation = f"STREAM({quoted})" if kind == "auto_cdc" else quoted
    _flow(kind, name or target.split(".")[-1], target, where, query=f"SELECT * FROM {relation}", once=bool(once),
          auto_cdc=clauses)


def create_auto_cdc_flow(target=None, source=None, keys=None, sequence_by=None, apply_as_deletes=None,
                         apply_as_truncates=None, column_list=None, except_column_list=None, stored_as_scd_type=1,
                         track_history_column_list=None, track_history_except_column_list=None, name=None, once=False,
                         *, ignore_null_updates=False, ignore_null_updates_column_list=None,
                         ignore_null_updates_except_column_list=None, columns_to_update=None, spark_conf=None):
    """Keeps a streaming table in step with a stream of change events."""
    _check("source", source, str)
    sequence = _expression("sequence_by", sequence_by)
    if not sequence:
        raise PipelineError("AUTOCDC_MISSING_SEQUENCE_BY", f"the AUTO CDC flow into {target} has no sequence_by")
    options = {
        "delete_when": _expression("apply_as_deletes", apply_as_deletes),
        "truncate_when": _expression("apply_as_truncates", apply_as_truncates),
        "columns_to_update": _expression("columns_to_update", columns_to_update),
        "columns": _selection(column_list, "column_list", except_column_list, "except_column_list",
                              "AUTOCDC_BOTH_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST"),
        "track_history": _selection(track_history_column_list, "track_history_column_list",
                                    track_history_except_column_list, "track_history_except_column_list",
                                    "AUTOCDC_BOTH_TRACK_HISTORY_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST"),
        "scd_type": _scd_type(stored_as_scd_type),
    }
    if ignore_null_updates or ignore_null_updates_column_list or ignore_null_updates_except_column_list:
        options["ignore_null_updates"] = _selection(
            ignore_null_updates_column_list, "ignore_null_updates_column_list",
            ignore_null_updates_except_column_list, "ignore_null_updates_except_column_list",
            "CANNOT_SET_TOGETHER")
    _auto_cdc("auto_cdc", target, source, keys, sequence, options, origin(), name, once)


def create_auto_cdc_from_snapshot_flow(target=None, source=None, keys=None, stored_as_scd_type=1,
                                       track_history_column_list=None, track_history_except_column_list=None,
                                       name=None, once=False):
    """Keeps a streaming table in step with a table or view of which only the present state is known."""
    _check("source", source, str)
    options = {
        "columns": {"kind": "all", "names": []},
        "track_history": _selection(track_history_column_list, "track_history_column_list",
                                    track_history_except_column_list, "track_history_except_column_list",
                                    "AUTOCDC_BOTH_TRACK_HISTORY_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST"),
        "scd_type": _scd_type(stored_as_scd_type),
    }
    _auto_cdc("snapshot_cdc", target, source, keys, "", options, origin(), name, once)


def _expectations(conditions: dict, violation: str):
    def note(function):
        noted = [{"name": key, "condition": condition, "violation": violation} for key, condition in conditions.items()]
        function.__weir_expectations__ = noted + getattr(function, "__weir_expectations__", [])
        return function

    return note


def expect(name, condition):
    """Counts the rows that break a condition. Stands below the decorator of the dataset."""
    return _expectations({name: condition}, "warn")


def expect_or_drop(name, condition):
    return _expectations({name: condition}, "drop")


def expect_or_fail(name, condition):
    return _expectations({name: condition}, "fail")


def expect_all(conditions):
    return _expectations(conditions, "warn")


def expect_all_or_drop(conditions):
    return _expectations(conditions, "drop")


def expect_all_or_fail(conditions):
    return _expectations(conditions, "fail")
