# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from weir._spark.column import Column, column, literal, quote
from weir._spark.types import StructType


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

    def limit(self, count: int) -> DataFrame:
        return DataFrame(f"SELECT * FROM {self._from()} LIMIT {int(count)}")

    def __getitem__(self, name: str) -> Column:
        return column(name)

    def __getattr__(self, name: str):
        if name in ("count", "collect", "show", "schema", "columns", "dtypes", "toPandas", "first", "head", "take",
                    "isEmpty", "cache", "persist"):
            from weir.pipelines._registry import PipelineError

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
        quoted = column(name).sql
        return DataFrame(f"SELECT * FROM STREAM({quoted})" if self._stream else f"SELECT * FROM {quoted}")

    def load(self, path: str) -> DataFrame:
        if self._format == "delta":
            quoted = f"delta.{quote(path)}"
            return DataFrame(f"SELECT * FROM STREAM({quoted})" if self._stream else f"SELECT * FROM {quoted}")
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


class SparkSession:
    """What definition files know as `spark`."""

    @property
    def read(self) -> Reader:
        return Reader(False)

    @property
    def readStream(self) -> Reader:  # noqa: N802
        return Reader(True)

    def table(self, name: str) -> DataFrame:
        return self.read.table(name)

    def sql(self, text: str) -> DataFrame:
        return DataFrame(text.strip().rstrip(";"))

    @staticmethod
    def active() -> SparkSession:
        return SparkSession()

    getActiveSession = active
