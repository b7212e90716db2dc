"""Metrics: what Prometheus is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

if TYPE_CHECKING:
    from soni.runtime.report import TurnReport

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Counters of one process; a registry of its own, so that two servers in a process do not mix."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(name, about, labels, registry=registry)

        def histogram(name: str, about: str, *labels: str) -> Histogram:
            return Histogram(name, about, labels, registry=registry, buckets=_SECONDS)

        self._turns = counter("soni_turns", "Turns that have ended.", "kind", "outcome")
        self._seconds = histogram("soni_turn_seconds", "From the message to the end of its turn.")
        self._stages = histogram("soni_stage_seconds", "What turns spend their time on.", "stage")
        self._commands = counter("soni_commands", "What messages were understood to mean.", "command")
        self._calls = counter("soni_model_calls", "Calls of a language model.")
        self._tokens = counter("soni_model_tokens", "Tokens of a language model.", "direction")
        self._recoveries = counter("soni_recoveries", "Turns of processes that are gone, finished here.")
        self.running = Gauge("soni_turns_running", "Turns that run now.", registry=registry)
        self.waiting = Gauge("soni_turns_waiting", "Turns that wait for a place.", registry=registry)
        self.streams = Gauge("soni_streams_open", "Event streams and WebSockets.", registry=registry)
        self._requests = counter("soni_http_requests", "Requests answered.", "method", "route", "status")

    def turn(self, report: TurnReport) -> None:
        """Count a turn that has ended."""
        result = report.result
        self._turns.labels(report.kind, "failed" if result.error else "done").inc()
        self._seconds.observe(report.seconds)
        rest = report.seconds
        for stage, seconds in report.spent.items():
            self._stages.labels(stage).observe(seconds)
            rest -= seconds
        self._stages.labels("flows").observe(max(rest, 0.0))
        for command in result.commands:
            self._commands.labels(command.name).inc()
        self._calls.inc(result.usage.calls)
        self._tokens.labels("in").inc(result.usage.prompt_tokens)
        self._tokens.labels("out").inc(result.usage.completion_tokens)
        if report.recovered:
            self._recoveries.inc()

    def request(self, method: str, route: str, status: int) -> None:
        """Count a request."""
        known = method if method in ("GET", "POST", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)
