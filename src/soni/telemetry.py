"""What is told about the work itself: spans for OpenTelemetry, named as its GenAI conventions name them, and seconds.

Without an SDK that somebody has set up, spans cost a few microseconds and go nowhere.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from opentelemetry import trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.trace import Span
    from opentelemetry.util.types import AttributeValue

Stage = Literal["waiting", "understanding", "actions", "storing"]
"""What a turn spends its time on; the rest of it is the flows' own."""
Spent = dict[str, float]
"""Seconds, by stage."""

_tracer = trace.get_tracer("soni")


@contextmanager
def span(
    name: str, attributes: Mapping[str, AttributeValue], kind: trace.SpanKind = trace.SpanKind.INTERNAL
) -> Iterator[Span]:
    """A piece of work; what it raises is noted by its kind alone, since messages of errors may hold values."""
    with _tracer.start_as_current_span(name, kind=kind, attributes=attributes, record_exception=False) as current:
        try:
            yield current
        except BaseException as error:
            failed(current, type(error).__name__)
            raise


def failed(current: Span, kind: str) -> None:
    """Note that the work of a span failed, and how."""
    current.set_attribute("error.type", kind)
    current.set_status(trace.StatusCode.ERROR)


@contextmanager
def timed(spent: Spent, stage: Stage) -> Iterator[None]:
    """Add the seconds that the block takes to its stage."""
    began = time.perf_counter()
    try:
        yield
    finally:
        spent[stage] = spent.get(stage, 0.0) + time.perf_counter() - began
