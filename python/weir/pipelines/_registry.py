# SPDX-License-Identifier: Apache-2.0
"""What the definition files of one pipeline have asked for, in their order."""
from __future__ import annotations

import inspect
import os

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class PipelineError(Exception):
    """A definition that cannot be: `name` is the class that users search for."""

    def __init__(self, name: str, message: str):
        super().__init__(message)
        self.name = name


class Registry:
    def __init__(self):
        self.datasets: list[dict] = []
        self.flows: list[dict] = []


_active: Registry | None = None


def activate(registry: Registry) -> None:
    global _active
    _active = registry


def active(function: str) -> Registry:
    if _active is None:
        raise PipelineError(
            "GRAPH_ELEMENT_DEFINED_OUTSIDE_OF_DECLARATIVE_PIPELINE",
            f"{function} belongs into a definition file of a pipeline; run it with `weir run`",
        )
    return _active


def origin() -> dict:
    """File and line of the definition: the nearest caller outside of this package."""
    frame = inspect.currentframe()
    while frame is not None:
        file = os.path.abspath(frame.f_code.co_filename)
        if not file.startswith(_HERE + os.sep):
            return {"file": file, "line": frame.f_lineno}
        frame = frame.f_back
    return {"file": "", "line": 0}
