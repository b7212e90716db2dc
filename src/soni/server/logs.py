"""Logs: one JSON object a line, or words for a terminal; no message and no sensitive value is ever in them."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from opentelemetry import trace

from soni.dm.privacy import masked

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.core.commands import Command
    from soni.runtime.report import TurnReport

logger = logging.getLogger("soni.turns")

_ORDINARY = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonFormatter(logging.Formatter):
    """A record as a line of JSON, with the trace it belongs to."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        told |= {name: value for name, value in vars(record).items() if name not in _ORDINARY}
        current = trace.get_current_span().get_span_context()
        if current.is_valid:
            told["trace_id"] = trace.format_trace_id(current.trace_id)
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


class WordsFormatter(logging.Formatter):
    """A record for somebody who is looking."""

    def format(self, record: logging.LogRecord) -> str:
        more = " ".join(
            f"{name}={_brief(value)}"
            for name, value in vars(record).items()
            if name not in _ORDINARY and value is not None
        )
        at = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        level = "" if record.levelno < logging.WARNING else f"{record.levelname.lower()}: "
        text = f"{at} {level}{record.getMessage()} {more}".rstrip()
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def _brief(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def set_up(kind: str, stream: TextIO | None = None) -> None:
    """Send the log of this process to stderr: `json`, or `words`; `auto` is words on a terminal."""
    out = stream or sys.stderr
    words = kind == "words" or (kind == "auto" and out.isatty())
    handler = logging.StreamHandler(out)
    handler.setFormatter(WordsFormatter() if words else JsonFormatter())
    for name in ("soni", "uvicorn.error", "psycopg.pool"):
        one = logging.getLogger(name)
        one.handlers, one.propagate = [handler], False
        one.setLevel(logging.INFO if name == "soni" else logging.WARNING)


def turn_line(report: TurnReport, config: SoniConfig) -> None:
    """Note a turn that has ended: what was understood, how long each stage took; not what was said."""
    result = report.result
    logger.info(
        "turn",
        extra={
            "conversation": report.user_id,
            "turn": result.turn,
            "kind": report.kind,
            "outcome": "failed" if result.error else "done",
            "attempts": report.attempts,
            "recovered": report.recovered,
            "commands": [_command(command, config) for command in result.commands],
            "messages": len(result.messages),
            "seconds": round(report.seconds, 4),
            "spent": {stage: round(seconds, 4) for stage, seconds in report.spent.items()},
            "model_calls": result.usage.calls,
            "tokens": result.usage.prompt_tokens + result.usage.completion_tokens,
            "with_person": result.handoff is not None,
        },
    )


def _command(command: Command, config: SoniConfig) -> dict[str, Any]:
    """A command as a log may hold it: names of the author's, values of slots unless they are secrets."""
    dumped = {"type": command.name, **command.model_dump(mode="json", exclude_defaults=True, warnings=False)}
    shown = masked(dumped)
    slot, slots = dumped.get("slot"), dumped.get("slots")
    if isinstance(slot, str) and "value" in dumped and not config.is_secret(slot):
        shown["value"] = dumped["value"]
    if isinstance(slots, dict):
        shown["slots"] |= {name: value for name, value in slots.items() if not config.is_secret(name)}
    return shown
