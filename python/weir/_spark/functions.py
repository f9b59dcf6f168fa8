# SPDX-License-Identifier: Apache-2.0
"""pyspark.sql.functions: those that need more than their name, and by name every function that the engine knows."""
from __future__ import annotations

from weir._spark.column import Column, column, literal, to_sql


def col(name):
    return column(name)


def lit(value):
    return value if isinstance(value, Column) else Column(literal(value))


def expr(text):
    return Column(text)


def struct(*columns):
    if len(columns) == 1 and isinstance(columns[0], (list, tuple)):
        columns = tuple(columns[0])
    return Column(f"struct({', '.join(column(item).select_sql() for item in columns)})")


def when(condition, value):
    return Column(f"CASE WHEN {to_sql(condition)} THEN {to_sql(value)} END")


def count(name="*"):
    return Column(f"count({column(name).sql})")


def countDistinct(*names):  # noqa: N802
    return Column(f"count(DISTINCT {', '.join(column(name).sql for name in names)})")


def concat_ws(separator, *columns):
    return Column(f"concat_ws({literal(separator)}, {', '.join(column(item).sql for item in columns)})")


def to_timestamp(name, format=None):
    return Column(f"CAST({column(name).sql} AS TIMESTAMP WITH TIME ZONE)")


def to_date(name, format=None):
    return Column(f"CAST({column(name).sql} AS DATE)")


def current_timestamp():
    return Column("current_timestamp")


def asc(name):
    return column(name).asc()


def desc(name):
    return column(name).desc()


# What `from pyspark.sql.functions import *` brings.
__all__ = """abs acos array asc ascii asin atan atan2 avg bit_and bit_or bool_and bool_or ceil coalesce col concat concat_ws
    contains corr cos count countDistinct current_date current_timestamp date_trunc dayofmonth dayofweek dayofyear degrees
    dense_rank desc endswith exp expr first floor greatest hash hour ifnull instr isnan kurtosis lag last last_day lcase lead
    least length lit ln log10 log2 lower lpad ltrim make_date max max_by md5 mean median min min_by minute month nullif
    nvl nvl2 percent_rank pi pow quarter radians rank regexp_replace repeat replace reverse round row_number rpad rtrim
    second sha1 sha2 sign sin skewness split sqrt startswith stddev struct substring sum tan to_date to_timestamp translate
    trim trunc ucase upper uuid var_pop var_samp variance weekofyear when year""".split()


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)

    def call(*arguments):
        texts = [column(item).sql if isinstance(item, (str, Column)) else literal(item) for item in arguments]
        return Column(f"{name}({', '.join(texts)})")

    return call
