# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations


def quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def literal(value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"


def to_sql(value) -> str:
    return value.sql if isinstance(value, Column) else literal(value)


class Column:
    """An expression, as SQL."""

    def __init__(self, sql: str, parts: list[str] | None = None, alias: str | None = None):
        self.sql = sql
        self._parts = parts
        self._alias = alias

    def column_name(self) -> list[str] | None:
        """The parts of the name when this is a column alone."""
        return self._parts

    def select_sql(self) -> str:
        return self.sql if self._alias is None else f"{self.sql} AS {quote(self._alias)}"

    def alias(self, name: str) -> Column:
        return Column(self.sql, None, name)

    name = alias

    def cast(self, kind) -> Column:
        text = kind if isinstance(kind, str) else kind.simpleString()
        return Column(f"CAST({self.sql} AS {duckdb_type(text)})")

    astype = cast

    def _binary(self, operator: str, other, swapped: bool = False) -> Column:
        left, right = (to_sql(other), self.sql) if swapped else (self.sql, to_sql(other))
        return Column(f"({left} {operator} {right})")

    def __eq__(self, other):  # noqa: D105
        return self._binary("=", other)

    def __ne__(self, other):
        return self._binary("<>", other)

    def __lt__(self, other):
        return self._binary("<", other)

    def __le__(self, other):
        return self._binary("<=", other)

    def __gt__(self, other):
        return self._binary(">", other)

    def __ge__(self, other):
        return self._binary(">=", other)

    def __add__(self, other):
        return self._binary("+", other)

    def __radd__(self, other):
        return self._binary("+", other, True)

    def __sub__(self, other):
        return self._binary("-", other)

    def __rsub__(self, other):
        return self._binary("-", other, True)

    def __mul__(self, other):
        return self._binary("*", other)

    def __rmul__(self, other):
        return self._binary("*", other, True)

    def __truediv__(self, other):
        return self._binary("/", other)

    def __rtruediv__(self, other):
        return self._binary("/", other, True)

    def __mod__(self, other):
        return self._binary("%", other)

    def __and__(self, other):
        return self._binary("AND", other)

    def __or__(self, other):
        return self._binary("OR", other)

    def __invert__(self):
        return Column(f"(NOT {self.sql})")

    def __neg__(self):
        return Column(f"(-{self.sql})")

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError("a Column has no truth value; use & for and, | for or, ~ for not")

    def eqNullSafe(self, other):  # noqa: N802
        return self._binary("IS NOT DISTINCT FROM", other)

    def isNull(self):  # noqa: N802
        return Column(f"({self.sql} IS NULL)")

    def isNotNull(self):  # noqa: N802
        return Column(f"({self.sql} IS NOT NULL)")

    def isin(self, *values):
        if len(values) == 1 and isinstance(values[0], (list, tuple, set)):
            values = tuple(values[0])
        return Column(f"({self.sql} IN ({', '.join(to_sql(value) for value in values)}))")

    def between(self, low, high):
        return Column(f"({self.sql} BETWEEN {to_sql(low)} AND {to_sql(high)})")

    def like(self, pattern):
        return self._binary("LIKE", pattern)

    def ilike(self, pattern):
        return self._binary("ILIKE", pattern)

    def _call(self, function: str, *arguments) -> Column:
        return Column(f"{function}({', '.join([self.sql, *map(to_sql, arguments)])})")

    def contains(self, text):
        return self._call("contains", text)

    def startswith(self, text):
        return self._call("starts_with", text)

    def endswith(self, text):
        return self._call("ends_with", text)

    def rlike(self, pattern):
        return self._call("regexp_matches", pattern)

    def substr(self, start, length):
        return self._call("substring", start, length)

    def over(self, window) -> Column:
        return Column(f"{self.sql} OVER ({window.sql})")

    def getField(self, name):  # noqa: N802
        return Column(f"{self.sql}.{quote(name)}")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.getField(name)

    def __call__(self, *_arguments, **_options):
        from weir.pipelines._registry import PipelineError

        name = self._parts[-1] if self._parts else self.sql
        raise PipelineError("WEIR_PYTHON_FUNCTION_UNKNOWN",
                            f"{name}(...) is no method that Weir knows of a DataFrame or Column; write it in SQL: "
                            'spark.sql("SELECT ...")')

    def getItem(self, key):  # noqa: N802
        return Column(f"{self.sql}[{literal(key)}]")

    __getitem__ = getItem

    def asc(self):
        return Column(f"{self.sql} ASC NULLS FIRST")

    def desc(self):
        return Column(f"{self.sql} DESC NULLS LAST")

    asc_nulls_first, desc_nulls_last = asc, desc

    def asc_nulls_last(self):
        return Column(f"{self.sql} ASC NULLS LAST")

    def desc_nulls_first(self):
        return Column(f"{self.sql} DESC NULLS FIRST")

    def when(self, condition, value):
        body = self.sql.removesuffix(" END")
        return Column(f"{body} WHEN {to_sql(condition)} THEN {to_sql(value)} END")

    def otherwise(self, value):
        return Column(f"{self.sql.removesuffix(' END')} ELSE {to_sql(value)} END")


_DUCKDB_TYPES = {"string": "VARCHAR", "int": "INTEGER", "integer": "INTEGER", "long": "BIGINT", "bigint": "BIGINT",
                 "short": "SMALLINT", "smallint": "SMALLINT", "byte": "TINYINT", "tinyint": "TINYINT",
                 "float": "FLOAT", "double": "DOUBLE", "boolean": "BOOLEAN", "binary": "BLOB", "date": "DATE",
                 "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP"}


def duckdb_type(spark_type: str) -> str:
    return _DUCKDB_TYPES.get(spark_type.strip().lower(), spark_type)


def column(name) -> Column:
    """A column by its name, dots between the parts; a Column stays as it is."""
    if isinstance(name, Column):
        return name
    if name == "*":
        return Column("*")
    parts = []
    rest = name
    while rest:
        if rest.startswith("`"):
            end = rest.index("`", 1)
            parts.append(rest[1:end])
            rest = rest[end + 1:].removeprefix(".")
        else:
            part, _, rest = rest.partition(".")
            parts.append(part)
    return Column(".".join(quote(part) for part in parts), parts)
