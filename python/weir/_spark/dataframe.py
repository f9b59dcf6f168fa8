# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from weir._spark.column import Column, column, literal, quote
from weir._spark.types import StructType
from weir.pipelines._registry import PipelineError


def _condition(value) -> str:
    return value.sql if isinstance(value, Column) else value


def _flat(items):
    return items[0] if len(items) == 1 and isinstance(items[0], (list, tuple)) else items


class DataFrame:
    """A query, as SQL text. Nothing is analysed or run while definitions are read."""

    def __init__(self, sql: str):
        self.sql = sql

    def _from(self) -> str:
        return f"({self.sql})"

    def select(self, *columns) -> DataFrame:
        texts = [column(item).select_sql() for item in _flat(columns)]
        return DataFrame(f"SELECT {', '.join(texts)} FROM {self._from()}")

    def selectExpr(self, *texts) -> DataFrame:  # noqa: N802
        return DataFrame(f"SELECT {', '.join(_flat(texts))} FROM {self._from()}")

    def where(self, condition) -> DataFrame:
        return DataFrame(f"SELECT * FROM {self._from()} WHERE {_condition(condition)}")

    filter = where

    def withColumn(self, name: str, value: Column) -> DataFrame:  # noqa: N802
        others = f"COLUMNS(c -> lower(c) <> lower({literal(name)}))"
        return DataFrame(f"SELECT {others}, {value.sql} AS {quote(name)} FROM {self._from()}")

    def withColumnRenamed(self, old: str, new: str) -> DataFrame:  # noqa: N802
        return DataFrame(f"SELECT * RENAME ({quote(old)} AS {quote(new)}) FROM {self._from()}")

    def drop(self, *names) -> DataFrame:
        kept = " AND ".join(f"lower(c) <> lower({literal(name)})" for name in names)
        return DataFrame(f"SELECT COLUMNS(c -> {kept}) FROM {self._from()}")

    def alias(self, name: str) -> DataFrame:
        return DataFrame(f"SELECT * FROM {self._from()} AS {quote(name)}")

    def distinct(self) -> DataFrame:
        return DataFrame(f"SELECT DISTINCT * FROM {self._from()}")

    def union(self, other: DataFrame) -> DataFrame:
        return DataFrame(f"{self._select()} UNION ALL {other._select()}")

    unionAll = union

    def unionByName(self, other: DataFrame, allowMissingColumns: bool = False) -> DataFrame:  # noqa: N802, N803
        return DataFrame(f"{self._select()} UNION ALL BY NAME {other._select()}")

    def _select(self) -> str:
        return f"SELECT * FROM {self._from()}"

    def join(self, other: DataFrame, on=None, how: str = "inner") -> DataFrame:
        kind = {"inner": "JOIN", "left": "LEFT JOIN", "left_outer": "LEFT JOIN", "right": "RIGHT JOIN",
                "outer": "FULL JOIN", "full": "FULL JOIN", "left_semi": "SEMI JOIN", "left_anti": "ANTI JOIN",
                "cross": "CROSS JOIN"}[how]
        if on is None:
            condition = ""
        elif isinstance(on, Column):
            condition = f" ON {on.sql}"
        else:
            names = [on] if isinstance(on, str) else on
            condition = f" USING ({', '.join(quote(name) for name in names)})"
        return DataFrame(f"SELECT * FROM {self._from()} {kind} {other._from()}{condition}")

    def groupBy(self, *columns) -> GroupedData:  # noqa: N802
        return GroupedData(self, [column(item) for item in _flat(columns)])

    groupby = groupBy

    def agg(self, *values) -> DataFrame:
        return GroupedData(self, []).agg(*values)

    def orderBy(self, *columns) -> DataFrame:  # noqa: N802
        return DataFrame(f"SELECT * FROM {self._from()} ORDER BY {', '.join(column(c).sql for c in _flat(columns))}")

    sort = orderBy

    def dropDuplicates(self, names=None) -> DataFrame:  # noqa: N802
        if names is None:
            return self.distinct()
        return DataFrame(f"SELECT DISTINCT ON ({', '.join(quote(name) for name in names)}) * FROM {self._from()}")

    drop_duplicates = dropDuplicates

    def limit(self, count: int) -> DataFrame:
        return DataFrame(f"SELECT * FROM {self._from()} LIMIT {int(count)}")

    def __getitem__(self, name: str) -> Column:
        return column(name)

    def __getattr__(self, name: str):
        if name in ("count", "collect", "show", "schema", "columns", "dtypes", "toPandas", "first", "head", "take",
                    "isEmpty", "cache", "persist"):
            raise PipelineError("ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION",
                                f"a query function describes rows, it cannot look at them: DataFrame.{name}")
        if name.startswith("_"):
            raise AttributeError(name)
        return column(name)


class GroupedData:
    def __init__(self, frame: DataFrame, keys: list[Column]):
        self._frame = frame
        self._keys = keys

    def agg(self, *values) -> DataFrame:
        columns = [item.select_sql() for item in self._keys + list(values)]
        sql = f"SELECT {', '.join(columns)} FROM {self._frame._from()}"
        if self._keys:
            sql += f" GROUP BY {', '.join(key.sql for key in self._keys)}"
        return DataFrame(sql)

    def count(self) -> DataFrame:
        return self.agg(Column("count(*)").alias("count"))


class Reader:
    """spark.read and spark.readStream."""

    def __init__(self, stream: bool):
        self._stream = stream
        self._format = ""
        self._options: dict[str, str] = {}

    def format(self, name: str) -> Reader:
        self._format = name
        return self

    def schema(self, schema) -> Reader:
        self._options["schema"] = schema.to_ddl() if isinstance(schema, StructType) else schema
        return self

    def option(self, key: str, value) -> Reader:
        self._options[key] = str(value).lower() if isinstance(value, bool) else str(value)
        return self

    def options(self, **options) -> Reader:
        for key, value in options.items():
            self.option(key, value)
        return self

    def table(self, name: str) -> DataFrame:
        return self._relation(column(name).sql)

    def _relation(self, quoted: str) -> DataFrame:
        """A table; of its options a stream knows that of the change feed. Others would be missed, so they are refused."""
        feed = False
        for key, value in self._options.items():
            if not self._stream or key.lower() not in ("readchangefeed", "readchangedata"):
                raise PipelineError("WEIR_STREAM_OPTION_NOT_SUPPORTED",
                                    f"{quoted}: option {key} of a table is not known; a stream has readChangeFeed")
            feed = value == "true"
        if not self._stream:
            return DataFrame(f"SELECT * FROM {quoted}")
        return DataFrame(f"SELECT * FROM STREAM({quoted}{' WITH (readChangeFeed => true)' if feed else ''})")

    def load(self, path: str) -> DataFrame:
        if self._format == "delta":
            return self._relation(f"delta.{quote(path)}")
        options = dict(self._options)
        kind = options.pop("cloudFiles.format", None) or self._format
        arguments = [literal(path)]
        if kind:
            arguments.append(f"format => {literal(kind)}")
        arguments += [f"{quote(key)} => {literal(value)}" for key, value in options.items()
                      if not key.startswith("cloudFiles.")]
        stream = "STREAM " if self._stream else ""
        return DataFrame(f"SELECT * FROM {stream}read_files({', '.join(arguments)})")

    def json(self, path: str) -> DataFrame:
        return self.format("json").load(path)

    def csv(self, path: str) -> DataFrame:
        return self.format("csv").load(path)

    def parquet(self, path: str) -> DataFrame:
        return self.format("parquet").load(path)


class RuntimeConfig:
    """spark.conf: the configuration of the pipeline's spec."""

    def __init__(self, values: dict[str, str]):
        self._values = values

    def get(self, key: str, default=...):
        if key in self._values or default is not ...:
            return self._values.get(key, default)
        raise PipelineError("SQL_CONF_NOT_FOUND", f"{key} is not in the configuration of the pipeline's spec")

    def set(self, key: str, value) -> None:
        raise PipelineError("SESSION_MUTATION_IN_DECLARATIVE_PIPELINE.SET_RUNTIME_CONF",
                            f"a definition file cannot set {key}; say it under `configuration` in the spec")

    unset = set


class SparkSession:
    """What definition files know as `spark`."""

    conf = RuntimeConfig({})

    @property
    def read(self) -> Reader:
        return Reader(False)

    @property
    def readStream(self) -> Reader:  # noqa: N802
        return Reader(True)

    def table(self, name: str) -> DataFrame:
        return self.read.table(name)

    def range(self, start: int, end: int | None = None, step: int = 1) -> DataFrame:
        first, last = (0, start) if end is None else (start, end)
        return DataFrame(f"SELECT range AS id FROM range({int(first)}, {int(last)}, {int(step)})")

    def createDataFrame(self, data, schema=None) -> DataFrame:  # noqa: N802
        """Rows that are given as tuples or dicts."""
        rows = [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in data]
        names = list(data[0]) if schema is None and rows and isinstance(data[0], dict) else schema
        if isinstance(schema, StructType):
            names = [field.name for field in schema.fields]
        if not rows or not isinstance(names, (list, tuple)):
            raise PipelineError("CANNOT_INFER_EMPTY_SCHEMA", "createDataFrame needs rows and the names of their columns")
        values = ", ".join("(" + ", ".join(literal(value) for value in row) + ")" for row in rows)
        return DataFrame(f"SELECT * FROM (VALUES {values}) AS rows({', '.join(quote(name) for name in names)})")

    def sql(self, text: str) -> DataFrame:
        return DataFrame(text.strip().rstrip(";"))

    @staticmethod
    def active() -> SparkSession:
        return SparkSession()

    getActiveSession = active
