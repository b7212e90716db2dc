"""Spans of time in YAML: `5s`, `2m`, `1h30m`, or a number of seconds."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+")
_PART = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def _seconds(value: object) -> object:
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        compact = value.replace(" ", "")
        if not _SPAN.fullmatch(compact):
            raise PydanticCustomError("timespan", "this must be a span of time, such as 500ms, 5s, 2m or 1h30m.")
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(compact))
    return value


Seconds = Annotated[float, BeforeValidator(_seconds), Field(gt=0)]
"""A span of time, in seconds."""
