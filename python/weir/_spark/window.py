# SPDX-License-Identifier: Apache-2.0
"""pyspark.sql.window: which rows a function over a window sees."""
from __future__ import annotations

import sys

from weir._spark.column import column


def _flat(items):
    return items[0] if len(items) == 1 and isinstance(items[0], (list, tuple)) else items


def _bound(value: int) -> str:
    if value in (Window.unboundedPreceding, Window.unboundedFollowing):
        return "UNBOUNDED PRECEDING" if value < 0 else "UNBOUNDED FOLLOWING"
    if value == 0:
        return "CURRENT ROW"
    return f"{-value} PRECEDING" if value < 0 else f"{value} FOLLOWING"


class WindowSpec:
    def __init__(self, partition: str = "", order: str = "", frame: str = ""):
        self._partition, self._order, self._frame = partition, order, frame

    @property
    def sql(self) -> str:
        return " ".join(part for part in (self._partition, self._order, self._frame) if part)

    def partitionBy(self, *columns) -> WindowSpec:  # noqa: N802
        text = ", ".join(column(item).sql for item in _flat(columns))
        return WindowSpec(f"PARTITION BY {text}", self._order, self._frame)

    def orderBy(self, *columns) -> WindowSpec:  # noqa: N802
        text = ", ".join(column(item).sql for item in _flat(columns))
        return WindowSpec(self._partition, f"ORDER BY {text}", self._frame)

    def rowsBetween(self, start: int, end: int) -> WindowSpec:  # noqa: N802
        return WindowSpec(self._partition, self._order, f"ROWS BETWEEN {_bound(start)} AND {_bound(end)}")

    def rangeBetween(self, start: int, end: int) -> WindowSpec:  # noqa: N802
        return WindowSpec(self._partition, self._order, f"RANGE BETWEEN {_bound(start)} AND {_bound(end)}")


class Window:
    unboundedPreceding = -sys.maxsize  # noqa: N815
    unboundedFollowing = sys.maxsize  # noqa: N815
    currentRow = 0  # noqa: N815

    partitionBy = staticmethod(lambda *columns: WindowSpec().partitionBy(*columns))  # noqa: N815
    orderBy = staticmethod(lambda *columns: WindowSpec().orderBy(*columns))  # noqa: N815
    rowsBetween = staticmethod(lambda start, end: WindowSpec().rowsBetween(start, end))  # noqa: N815
    rangeBetween = staticmethod(lambda start, end: WindowSpec().rangeBetween(start, end))  # noqa: N815
