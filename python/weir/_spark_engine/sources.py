# SPDX-License-Identifier: Apache-2.0
"""What a batch reads, as temporary views: the files and versions that Weir has planned, tables, and the pipeline's views."""
from __future__ import annotations

from functools import reduce
from itertools import groupby

from weir._spark_engine.sql_text import BatchError, casts, quote, replace_name

# Options that say how files are found, not how they are read.
_OF_WEIR = {"schema", "maxfilespertrigger", "inferschema", "infercolumntypes", "recursivefilelookup", "header"}
_ARRIVAL = ["__weir_time", "__weir_path", "__weir_block", "__weir_row"]


class Inputs:
    """The temporary views of one batch. `sql` is what a query of the pipeline becomes on top of them."""

    def __init__(self, spark, described: dict):
        self._spark = spark
        self._qualified: list[tuple[list[str], str]] = []
        self.expectations: list[dict] = []
        self._tables(described["tables"])
        waiting = list(described["sources"])
        for source in [item for item in waiting if "view" not in item]:
            self._read(source).createOrReplaceTempView(source["relation"])
        of_views = [item for item in waiting if "view" in item]
        made: set[str] = set()  # in this batch; a view of that name may be left from the one before
        for view in described["views"]:
            self._name_views(of_views, made)
            kept = check_expectations(spark, self.frame(view["sql"]), view["expectations"], self.expectations)
            kept.createOrReplaceTempView(view["name"])
            made.add(view["name"].lower())
        self._name_views(of_views, made)

    def frame(self, sql: str):
        for parts, view in self._qualified:
            sql = replace_name(sql, parts, quote(view))
        return self._spark.sql(sql)

    def _tables(self, tables) -> None:
        for table in tables:
            name = table["name"]
            view = name[-1] if len(name) == 1 else "__weir_" + "_".join(name[1:])
            frame = self._spark.read.format("delta").load(table["location"])
            frame.createOrReplaceTempView(view)
            if len(name) == 1:
                continue
            frame.createOrReplaceTempView(name[-1])
            schemas = [name[1], "default"] if name[1] == "main" else [name[1]]
            for schema in schemas:
                self._qualified += [([name[0], schema, name[2]], view), ([schema, name[2]], view)]

    def _name_views(self, sources, made) -> None:
        """A stream of a temporary view is the view, once it is there."""
        for source in list(sources):
            if source["view"].lower() in made:
                self._spark.table(source["view"]).createOrReplaceTempView(source["relation"])
                sources.remove(source)

    def _read(self, source: dict):
        if "files" in source:
            return self._files(source)
        if "table" in source:
            return self._table(source).select(*[quote(name) for name, _ in source["columns"]])
        return self._spark.createDataFrame([], ", ".join(f"{quote(name)} {kind}" for name, kind in source["columns"]))

    def _table(self, source: dict):
        reader = self._spark.read.format("delta")
        at = lambda version: reader.option("versionAsOf", version).load(source["table"])  # noqa: E731
        first, last = source["from"], source["to"]
        if source["feed"] and first >= 0:
            changes = self._spark.read.format("delta").option("readChangeFeed", "true")
            return changes.option("startingVersion", first + 1).option("endingVersion", last).load(source["table"])
        now = at(last)
        if source["feed"]:
            time = f"(SELECT timestamp FROM (DESCRIBE HISTORY delta.{quote(source['table'])}) WHERE version = {last})"
            return now.selectExpr("*", "'insert' AS _change_type", f"CAST({last} AS BIGINT) AS _commit_version",
                                  f"{time} AS _commit_timestamp")
        if first < 0:
            return now
        before = self._spark.read.format("delta").option("versionAsOf", first).load(source["table"])
        known = {name.lower() for name in before.columns}
        before = before.selectExpr(*[quote(field.name) if field.name.lower() in known else
                                     f"CAST(NULL AS {field.dataType.simpleString()}) AS {quote(field.name)}"
                                     for field in now.schema.fields])
        gone = before.exceptAll(now).count()
        if gone > 0:
            raise BatchError("DELTA_SOURCE_TABLE_IGNORE_CHANGES",
                             f"table {source['table']} has changed or removed {gone} rows between versions {first} and "
                             f"{last}, which a stream of appends cannot tell; read its changes with readChangeFeed")
        return now.exceptAll(before)

    def _files(self, source: dict):
        parts = []
        for kind, group in groupby(source["files"], key=lambda file: file["format"]):
            paths = [file["path"] for file in group]
            read = {"json": self._json, "csv": self._csv, "parquet": self._parquet}[kind]
            parts.append(read(source, paths))
        return reduce(lambda left, right: left.unionAll(right), parts)

    def _reader(self, source: dict):
        reader = self._spark.read.option("mode", "FAILFAST")
        for name, value in source["options"].items():
            if name not in _OF_WEIR:
                reader = reader.option({"delim": "sep", "delimiter": "sep", "nullstr": "nullValue"}.get(name, name), value)
        return reader

    @staticmethod
    def _in_order(frame, paths):
        """The rows in the order of arrival: files by time and path as Weir lists them, each from its beginning."""
        if len(paths) == 1:
            return frame
        from pyspark.sql import functions as f

        ordered = frame.select(
            "*", f.col("_metadata.file_modification_time").alias(_ARRIVAL[0]), f.col("_metadata.file_path").alias(_ARRIVAL[1]),
            f.col("_metadata.file_block_start").alias(_ARRIVAL[2]), f.monotonically_increasing_id().alias(_ARRIVAL[3]))
        return ordered.sort(*_ARRIVAL).drop(*_ARRIVAL)

    def _json(self, source: dict, paths):
        columns = source["columns"]
        schema = ", ".join(f"{quote(name)} {kind}" for name, kind in columns)
        if source["debezium"]:
            return self._envelopes(source, columns, paths)
        return self._in_order(self._reader(source).schema(schema).json(paths), paths)

    def _envelopes(self, source: dict, columns, paths):
        added = {"__op": "op", "__ts_ms": "ts_ms", "__source": "source"}
        row = "STRUCT<" + ", ".join(f"{quote(name)}: {kind}" for name, kind in columns if name not in added) + ">"
        members = [("before", row), ("after", row)] + [(added[name], kind) for name, kind in columns if name in added]
        payload = "STRUCT<" + ", ".join(f"{name}: {kind}" for name, kind in members) + ">"
        schema = ", ".join(f"{name} {kind}" for name, kind in [*members, ("payload", payload)])
        frame = self._in_order(self._reader(source).schema(schema).json(paths), paths)
        member = "coalesce({0}, payload.{0})".format
        frame = frame.where(f"{member('op')} IS NOT NULL")
        return frame.selectExpr(*[
            f"{member(added[name])} AS {quote(name)}" if name in added else
            f"CASE WHEN {member('op')} = 'd' THEN {member('before')}.{quote(name)} "
            f"ELSE {member('after')}.{quote(name)} END AS {quote(name)}" for name, _ in columns])

    def _csv(self, source: dict, paths):
        """File by file, as each has its own header."""
        header = source["options"].get("header", "true")
        parts = []
        for path in paths:
            frame = self._reader(source).option("header", header).csv(path)
            if header != "true":
                frame = frame.toDF(*[name for name, _ in source["columns"]][:len(frame.columns)])
            parts.append(frame.selectExpr(self._conformed(frame, source["columns"])))
        return reduce(lambda left, right: left.unionAll(right), parts)

    def _parquet(self, source: dict, paths):
        frame = self._in_order(self._spark.read.option("mergeSchema", "true").parquet(*paths), paths)
        return frame.selectExpr(self._conformed(frame, source["columns"]))

    @staticmethod
    def _conformed(frame, columns) -> list[str]:
        there = {name.lower(): name for name in frame.columns}
        return [f"CAST({quote(there[name.lower()]) if name.lower() in there else 'NULL'} AS {kind}) AS {quote(name)}"
                for name, kind in columns]


def check_expectations(spark, frame, expectations, counts: list[dict]):
    """Counts the rows that break an expectation; returns those that may stay. NULL breaks one."""
    if not expectations:
        return frame
    found = frame.selectExpr("count(*)", *[f"count_if({item['condition']})" for item in expectations]).collect()[0]
    for item, passed in zip(expectations, found[1:]):
        failed = found[0] - passed
        if item["violation"] == "fail" and failed > 0:
            raise BatchError("EXPECTATION_VIOLATION",
                             f"expectations of `{item['dataset']}`: {failed} of {found[0]} rows break `{item['name']}` "
                             f"({item['condition']}), which is ON VIOLATION FAIL UPDATE; nothing of the batch was applied")
        counts.append({"dataset": item["dataset"], "name": item["name"], "violation": item["violation"],
                       "passed": passed, "failed": failed})
    for item in expectations:
        if item["violation"] == "drop":
            frame = frame.where(item["condition"])
    return frame


def typed(frame, columns):
    return frame.selectExpr(*[f"CAST({quote(name)} AS {kind}) AS {quote(name)}" for name, kind in columns])


__all__ = ["Inputs", "casts", "check_expectations", "typed"]
