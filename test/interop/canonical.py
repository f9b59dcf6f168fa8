# SPDX-License-Identifier: Apache-2.0
"""Rows of every peer in one form, so that they can be compared: the form of `weir sql --format json`.

Integers are int, floats ("float", text), booleans bool, decimals, dates and timestamps text, binary hex text, structs and maps
with text keys dict, other maps lists of {"key", "value"}, NaN and infinities text.
"""
import json
import math
from collections import Counter
from datetime import timezone

import pyarrow as pa


def _float(value):
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return ("float", repr(float(value)))


def _float32(value):
    import numpy

    return _float(float(str(numpy.float32(value)))) if math.isfinite(value) else _float(value)


def _timestamp(value):
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return f"{value.year:04}-{value.strftime('%m-%d %H:%M:%S.%f')}"


def _map(pairs, type_):
    keys_are_text = pa.types.is_string(type_.key_type) or pa.types.is_large_string(type_.key_type)
    items = [(_arrow_value(key, type_.key_type), _arrow_value(value, type_.item_type)) for key, value in pairs]
    if keys_are_text:
        return dict(items)
    return sorted(({"key": key, "value": value} for key, value in items), key=repr)


def _arrow_value(value, type_):
    if value is None:
        return None
    types = pa.types
    if types.is_dictionary(type_):
        return _arrow_value(value, type_.value_type)
    if types.is_float32(type_):
        return _float32(value)
    if types.is_floating(type_):
        return _float(value)
    if types.is_decimal(type_):
        return format(value, "f")
    if types.is_timestamp(type_):
        return _timestamp(value)
    if types.is_date(type_):
        return f"{value.year:04}-{value.month:02}-{value.day:02}"
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if types.is_struct(type_):
        return {field.name: _arrow_value(value[field.name], field.type) for field in type_}
    if types.is_map(type_):
        return _map(value, type_)
    if isinstance(value, list):
        return [_arrow_value(item, type_.value_type) for item in value]
    return value


def rows_of_arrow(table):
    """The rows of a pyarrow table, each a dict by column name."""
    columns = []
    for field in table.schema:
        values = table.column(field.name).to_pylist()
        columns.append([_arrow_value(value, field.type) for value in values])
    return [dict(zip(table.schema.names, row)) for row in zip(*columns)]


def _sorted_entries(value):
    """Entries of a map with other than text keys have no order."""
    if isinstance(value, list):
        items = [_sorted_entries(item) for item in value]
        if items and all(isinstance(item, dict) and set(item) == {"key", "value"} for item in items):
            return sorted(items, key=repr)
        return items
    if isinstance(value, dict):
        return {key: _sorted_entries(item) for key, item in value.items()}
    return value


def rows_of_json(text):
    """The rows of `weir sql --format json`."""
    rows = json.loads(text, parse_float=lambda digits: ("float", repr(float(digits))))
    return [_sorted_entries(row) for row in rows]


def _key(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_key(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_key(item) for item in value) + "]"
    return repr(value)


def multiset(rows):
    """How often each row occurs, each as text."""
    return Counter(map(_key, rows))


def _only_in(rows, others):
    left = multiset(others)
    only = []
    for row in rows:
        if left[_key(row)] > 0:
            left[_key(row)] -= 1
        else:
            only.append(row)
    return only


def _describe(row, others):
    """The row; of a row whose `id` the other side has as well, only the columns that differ."""
    for other in others:
        if "id" in row and other.get("id") == row["id"]:
            row = {name: value for name, value in row.items() if name == "id" or other.get(name, ...) != value}
    return f"  {row!r:.2000}"


def assert_same_rows(actual, expected, what=""):
    """Compares as multisets; the message shows the rows that only one side has."""
    unexpected, missing = _only_in(actual, expected), _only_in(expected, actual)
    if not unexpected and not missing:
        return
    lines = [f"{what}: {len(actual)} rows where {len(expected)} are expected"]
    lines += ["unexpected:"] + [_describe(row, missing) for row in unexpected[:20]]
    lines += ["missing:"] + [_describe(row, unexpected) for row in missing[:20]]
    raise AssertionError("\n".join(lines))
