# SPDX-License-Identifier: Apache-2.0
"""A table with every type that Delta has had from the start, and rows at the types' limits, for SQL of Spark and of DuckDB."""

# name, Spark's type, DuckDB's type
COLUMNS = [
    ("id", "INT", "INTEGER"),
    ("flag", "BOOLEAN", "BOOLEAN"),
    ("i8", "TINYINT", "TINYINT"),
    ("i16", "SMALLINT", "SMALLINT"),
    ("i32", "INT", "INTEGER"),
    ("i64", "BIGINT", "BIGINT"),
    ("f32", "FLOAT", "FLOAT"),
    ("f64", "DOUBLE", "DOUBLE"),
    ("d9", "DECIMAL(9,2)", "DECIMAL(9,2)"),
    ("d18", "DECIMAL(18,0)", "DECIMAL(18,0)"),
    ("d38", "DECIMAL(38,18)", "DECIMAL(38,18)"),
    ("text", "STRING", "VARCHAR"),
    ("bytes", "BINARY", "BLOB"),
    ("day", "DATE", "DATE"),
    ("ts", "TIMESTAMP", "TIMESTAMPTZ"),
    ("ntz", "TIMESTAMP_NTZ", "TIMESTAMP"),
    ("list", "ARRAY<INT>", "INTEGER[]"),
    ("names", "MAP<STRING, BIGINT>", "MAP(VARCHAR, BIGINT)"),
    ("numbers", "MAP<INT, STRING>", "MAP(INTEGER, VARCHAR)"),
    ("pair", "STRUCT<a: INT, b: STRING>", "STRUCT(a INTEGER, b VARCHAR)"),
    ("deep", "ARRAY<STRUCT<x: MAP<STRING, ARRAY<DECIMAL(10,2)>>>>", "STRUCT(x MAP(VARCHAR, DECIMAL(10,2)[]))[]"),
]

_MIN = {
    "flag": False, "i8": -128, "i16": -32768, "i32": -2147483648, "i64": -9223372036854775808,
    "f32": ("float", "-3.4028235e+38"), "f64": ("float", "-1.7976931348623157e+308"),
    "d9": "-9999999.99", "d18": "-999999999999999999", "d38": "-99999999999999999999.999999999999999999",
    "text": "", "bytes": "", "day": "0001-01-01",
    "ts": "0001-01-01 00:00:00.000000", "ntz": "0001-01-01 00:00:00.000000",
    "list": [], "names": {}, "numbers": [], "pair": {"a": None, "b": None}, "deep": [],
}
_MAX = {
    "flag": True, "i8": 127, "i16": 32767, "i32": 2147483647, "i64": 9223372036854775807,
    "f32": ("float", "3.4028235e+38"), "f64": ("float", "1.7976931348623157e+308"),
    "d9": "9999999.99", "d18": "999999999999999999", "d38": "99999999999999999999.999999999999999999",
    "text": "\U0001f600" * 40 + "é日本\t\n'\"\\", "bytes": "00ff7f80", "day": "9999-12-31",
    "ts": "9999-12-31 23:59:59.999999", "ntz": "9999-12-31 23:59:59.999999",
    "list": [2147483647, None, -2147483648], "names": {"a": 9223372036854775807, "": None},
    "numbers": [{"key": -1, "value": "minus"}, {"key": 7, "value": None}],
    "pair": {"a": 1, "b": "x"},
    "deep": [{"x": {"k": ["99999999.99", None], "l": []}}, None, {"x": None}],
}
_ODD = {
    **_MAX, "f32": "NaN", "f64": "NaN", "d38": "0.000000000000000001", "text": "NaN", "day": "1582-10-10",
    "ts": "1969-12-31 23:59:59.999999", "ntz": "1969-12-31 23:59:59.999999", "bytes": "00",
}
_INFINITE = {**_MIN, "f32": "-Infinity", "f64": "Infinity", "text": "__HIVE_DEFAULT_PARTITION__", "day": "1969-12-31"}
_TINY = {**_MAX, "f32": ("float", "-0.0"), "f64": ("float", "5e-324"), "d9": "0.00", "d18": "0", "d38": "-0.000000000000000001"}
_NULL = {name: None for name, _, _ in COLUMNS if name != "id"}

ROWS = [{"id": n, **row} for n, row in enumerate([_NULL, _MIN, _MAX, _ODD, _INFINITE, _TINY], 1)]


def columns_sql(dialect):
    """The column list of a CREATE TABLE."""
    index = 1 if dialect == "spark" else 2
    return ", ".join(f"{column[0]} {column[index]}" for column in COLUMNS)


def _quote(text, dialect):
    if dialect == "spark":
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "'" + text.replace("'", "''") + "'"


def _nested(value, dialect):
    """A literal of list, map or struct whose type the CAST around it fixes."""
    spark = dialect == "spark"
    if value is None:
        return "NULL"
    if isinstance(value, list) and value and isinstance(value[0], dict) and set(value[0]) == {"key", "value"}:
        return _map([(item["key"], item["value"]) for item in value], dialect)
    if isinstance(value, list):
        items = ", ".join(_nested(item, dialect) for item in value)
        return f"array({items})" if spark else f"[{items}]"
    if isinstance(value, dict):
        fields = ", ".join(f"'{k}', {_nested(v, dialect)}" if spark else f"'{k}': {_nested(v, dialect)}" for k, v in value.items())
        return f"named_struct({fields})" if spark else f"{{{fields}}}"
    return str(value) if isinstance(value, int) else _quote(value, dialect)


def _map(pairs, dialect):
    if dialect == "spark":
        return "map(" + ", ".join(f"{_nested(k, dialect)}, {_nested(v, dialect)}" for k, v in pairs) + ")"
    return "MAP {" + ", ".join(f"{_nested(k, dialect)}: {_nested(v, dialect)}" for k, v in pairs) + "}"


def literal(name, value, dialect):
    """The value as a SQL expression of the column's type."""
    spark_type, duckdb_type = next(column[1:] for column in COLUMNS if column[0] == name)
    type_ = spark_type if dialect == "spark" else duckdb_type
    if value is None:
        return f"CAST(NULL AS {type_})"
    if name == "bytes":
        return f"unhex('{value}')"
    if name == "names":
        return f"CAST({_map(value.items(), dialect)} AS {type_})"
    if name == "numbers":
        return f"CAST({_map([(item['key'], item['value']) for item in value], dialect)} AS {type_})"
    if name == "deep":
        structs = []
        for item in value:
            if item is None:
                structs.append("NULL")
                continue
            inner = "NULL" if item["x"] is None else _map(item["x"].items(), dialect)
            structs.append(f"named_struct('x', {inner})" if dialect == "spark" else f"{{'x': {inner}}}")
        items = ", ".join(structs)
        return f"CAST(array({items}) AS {type_})" if dialect == "spark" else f"CAST([{items}] AS {type_})"
    if isinstance(value, (list, dict)):
        return f"CAST({_nested(value, dialect)} AS {type_})"
    text = value[1] if isinstance(value, tuple) else str(value)
    return f"CAST({_quote(text, dialect)} AS {type_})"


def insert_sql(table, rows, dialect):
    """INSERT INTO table of the rows."""
    selects = []
    for row in rows:
        selects.append("SELECT " + ", ".join(literal(name, row[name], dialect) for name, _, _ in COLUMNS))
    return f"INSERT INTO {table} " + " UNION ALL ".join(selects)


def renumbered(rows, first):
    """The rows with ids from `first` on."""
    return [{**row, "id": first + n} for n, row in enumerate(rows)]
