"""A language model with bounds: how long, how often, how many at once, and what it cost."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import dspy
from dspy.utils.exceptions import AdapterParseError
from opentelemetry.trace import SpanKind

from soni.du.understanding import UnderstandingFailed, Usage
from soni.telemetry import span

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span

    from soni.config.models import LLMConfig


class ModelFailed(UnderstandingFailed):
    """The model could not be asked, or its answer could not be used; the offline understanding takes over."""


class Model:
    """Asks one model, at most so many questions at once, each for at most so long.

    Without a model of its own it uses the one that `dspy.configure(lm=…)` set.
    """

    def __init__(self, lm: Any = None, *, concurrency: int = 8, timeout: float | None = 20.0) -> None:
        self.lm = lm
        self._concurrency = concurrency
        self._timeout = timeout
        self._limits: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @classmethod
    def configured(cls, llm: LLMConfig) -> Model:
        """The model that the settings name; DSPy's cache is off, since a conversation never asks the same twice."""
        more: dict[str, Any] = {}
        if llm.api_base is not None:
            # A server of one's own often wants no key, but the client insists on one.
            more = {"api_base": llm.api_base, "api_key": os.environ.get(llm.api_key_env) or "none"}
        elif llm.api_key_env != "OPENAI_API_KEY":
            more = {"api_key": os.environ.get(llm.api_key_env)}
        lm = dspy.LM(
            llm.model,
            cache=False,
            num_retries=llm.retries,
            timeout=llm.timeout,
            temperature=llm.temperature,
            max_tokens=llm.max_tokens,
            **more,
        )
        # The client's time-out is between bytes, and a server may ask it to wait for an hour: the total is kept here.
        return cls(lm, concurrency=llm.concurrency, timeout=llm.timeout)

    async def ask(self, predict: Any, **inputs: Any) -> tuple[Any, Usage]:
        """The prediction and what it cost; AdapterParseError if the answer is not in the form it must have."""
        began = time.perf_counter()
        limit = self._limits.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._concurrency))
        lm = self.lm or dspy.settings.lm
        if lm is None:
            raise ModelFailed("there is no model to ask: give SoniDU one, or call dspy.configure(lm=…)")
        adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
        with _told(lm) as current, dspy.context(lm=lm, adapter=adapter), dspy.track_usage() as tracker:
            try:
                async with limit, asyncio.timeout(self._timeout):
                    prediction = await predict.acall(**inputs)
                usage = _usage(tracker, began)
                current.set_attribute("gen_ai.usage.input_tokens", usage.prompt_tokens)
                current.set_attribute("gen_ai.usage.output_tokens", usage.completion_tokens)
            except AdapterParseError as error:
                error.usage = _usage(tracker, began)
                raise
            except TimeoutError:
                told = f"the model did not answer within {self._timeout} seconds"
                raise ModelFailed(told, _usage(tracker, began)) from None
            except (OSError, dspy.LMError) as error:
                told = f"the model could not be asked: {type(error).__name__}: {error}"
                raise ModelFailed(told, _usage(tracker, began)) from error
        return prediction, usage


def _told(lm: Any) -> AbstractContextManager[Span]:
    """A span for a call of the model; what is said to it and by it is nobody else's business."""
    provider, _, model = str(getattr(lm, "model", "")).rpartition("/")
    about = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model}
    return span(f"chat {model}", {**about, "gen_ai.provider.name": provider or "unknown"}, SpanKind.CLIENT)


def _usage(tracker: Any, began: float) -> Usage:
    totals = tracker.get_total_tokens().values()
    return Usage(
        calls=1,
        prompt_tokens=sum(int(total.get("prompt_tokens") or 0) for total in totals),
        completion_tokens=sum(int(total.get("completion_tokens") or 0) for total in totals),
        seconds=time.perf_counter() - began,
    )
