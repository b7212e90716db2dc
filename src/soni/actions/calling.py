"""Calling an author's function, wherever it has to run."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _contained(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    try:
        return function(*arguments, **named)
    except StopIteration as error:
        raise RuntimeError("StopIteration") from error  # a future cannot carry it, and would wait for ever


async def called(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call an author's function: a coroutine function here, a plain one in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments, **named)
    work = functools.partial(contextvars.copy_context().run, _contained, function, *arguments, **named)
    result = await asyncio.wrap_future(_threads().submit(work))
    return await result if inspect.isawaitable(result) else result


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """Where authors' plain functions run: one that hangs must not take a thread from anything else."""
    return ThreadPoolExecutor(64, "soni-action")
