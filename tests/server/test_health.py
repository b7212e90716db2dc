"""What those are told who start, route to and watch the server."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from bench.postgres import postgres
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from soni import RuntimeLoop
from soni.server import create_app, logs
from soni.server.limits import Recent
from soni.store import open_store
from tests.faults.assistant import USER, Witness
from tests.faults.worker import Operation, Place, killed
from tests.server.assistant import Gate, actions, config
from tests.server.site import Site, served


async def test_it_is_well_and_ready(site: Site) -> None:
    assert (await site.client.get("/health")).json() == {"status": "ok"}
    ready = await site.client.get("/ready")
    assert ready.status_code == 200
    assert set(ready.json()["checks"].values()) == {"ok"}
    assert ready.json()["checks"].keys() == {"database", "understanding", "recovery", "serving"}


async def test_it_is_not_ready_while_its_database_is_away(tmp_path: Path) -> None:
    address = postgres().new_database()
    name = psycopg.conninfo.conninfo_to_dict(address)["dbname"]

    async def close(yes: bool) -> None:
        async with await psycopg.AsyncConnection.connect(postgres().new_database(), autocommit=True) as other:
            await other.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS {"false" if yes else "true"}')
            if yes:
                await other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
                )

    async with served(tmp_path, address, wait=1.0) as site:
        site.service.database = Recent(0)
        assert (await site.client.get("/ready")).status_code == 200
        await close(True)
        ready = await site.client.get("/ready")
        assert ready.status_code == 503
        assert ready.json()["checks"]["database"] != "ok"
        assert (await site.client.get("/health")).status_code == 200
        away = await site.client.post("/v1/conversations/ana/messages", json={"text": "send"}, timeout=60)
        assert (away.status_code, away.json()["type"]) == (503, "urn:soni:problem:store-unavailable")
        await close(False)
        async with asyncio.timeout(60):
            while (await site.client.get("/ready")).status_code != 200:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.1)


@contextmanager
def full_disk() -> Iterator[None]:
    """Let this process write to no file but at its very beginning."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_it_is_not_ready_while_its_disk_is_full(site: Site) -> None:
    site.service.database = Recent(0)
    assert (await site.client.get("/ready")).status_code == 200
    with full_disk():
        ready = await site.client.get("/ready")
        assert (ready.status_code, ready.json()["checks"]["database"]) == (503, "not available")
    assert (await site.client.get("/ready")).status_code == 200


async def test_it_is_not_ready_while_its_postgres_takes_no_writes(tmp_path: Path) -> None:
    url = postgres().new_database()
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]

    async def forbid(yes: bool) -> None:
        """For connections that are made from now on; those there are now are ended."""
        async with await psycopg.AsyncConnection.connect(postgres().new_database(), autocommit=True) as operator:
            await operator.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {str(yes).lower()}')
            await operator.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))

    async with served(tmp_path, url) as site:
        site.service.database = Recent(0)
        assert (await site.client.get("/ready")).status_code == 200
        await forbid(True)
        assert (await site.client.get("/ready")).json()["checks"]["database"] == "not available"
        said = await site.client.post("/v1/conversations/ana/messages", json={"text": "send"})
        assert (said.status_code, said.json()["type"]) == (503, "urn:soni:problem:store-unavailable")
        await forbid(False)
        assert (await site.client.get("/ready")).status_code == 200


async def test_the_store_is_looked_at_once_in_a_while_however_many_ask() -> None:
    now, asked = 0.0, 0

    async def ask() -> str:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0)
        return f"answer {asked}"

    recent = Recent(1.0, clock=lambda: now)
    assert set(await asyncio.gather(*(recent.answer(ask) for _ in range(5)))) == {"answer 1"}
    now = 0.9
    assert await recent.answer(ask) == "answer 1"
    now = 1.0
    assert await recent.answer(ask) == "answer 2"


class Slow:
    """An understanding that takes its time to load, or fails to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.go = threading.Event()
        self.fails = fails

    def warm(self) -> None:
        self.go.wait(30)
        if self.fails:
            raise OSError("the model is gone")

    async def understand(self, message: str, context: Any) -> Any:
        raise AssertionError


async def understanding(client: httpx.AsyncClient) -> str:
    checks: dict[str, str] = (await client.get("/ready")).json()["checks"]
    return checks["understanding"]


@pytest.mark.parametrize("fails", [False, True])
async def test_it_is_not_ready_before_it_understands(fails: bool, tmp_path: Path) -> None:
    slow = Slow(fails=fails)
    acting = actions(Witness(tmp_path / "witness.txt"), Gate())
    app = create_app(config(), actions=acting, understanding=slow)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert await understanding(client) == "loading"
            slow.go.set()
            async with asyncio.timeout(30):
                while (state := await understanding(client)) == "loading" and not fails:  # noqa: ASYNC110  # nobody tells
                    await asyncio.sleep(0.01)
            assert state == ("loading" if fails else "ok")


async def figures(site: Site) -> dict[str, float]:
    text = (await site.client.get("/metrics")).text
    return {
        sample.name
        + "".join(f",{value}" for name, value in sorted(sample.labels.items()) if name != "le"): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_prometheus_is_told_of_turns_stages_commands_tokens_and_requests(site: Site) -> None:
    for text in ("send", "100", "many"):
        await site.say(text)
    async with site.events():
        found = await figures(site)
    assert found["soni_turns_total,message,done"] == 3
    assert found["soni_turn_seconds_count"] == 3
    for stage in ("waiting", "understanding", "storing", "flows"):
        assert found[f"soni_stage_seconds_count,{stage}"] == 3
    assert found["soni_commands_total,start_flow"] == 2
    assert found["soni_commands_total,set_slot"] == 1
    assert (found["soni_model_calls_total"], found["soni_model_tokens_total,in"]) == (1, 30)
    assert found["soni_recoveries_total"] == 0
    assert (found["soni_turns_waiting"], found["soni_turns_running"], found["soni_streams_open"]) == (0, 0, 1)
    assert found["soni_http_requests_total,POST,/v1/conversations/{conversation}/messages,200"] == 3


async def test_a_recovery_is_counted(tmp_path: Path) -> None:
    place = Place(f"sqlite:{tmp_path}/c.db", tmp_path)
    assert killed(place, Operation("say", "send", "m"), "before the end of a turn #1")
    reports: list[Any] = []
    async with open_store(place.url) as store:
        loop: RuntimeLoop = place.loop_on(store, observe=reports.append)
        async with loop:
            await loop.recover_all()
    assert [(report.recovered, report.attempts, report.user_id) for report in reports] == [(True, 2, USER)]


async def test_a_report_that_fails_costs_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: object) -> None:
        raise ValueError("no figures today")

    place = Place(f"sqlite:{tmp_path}/c.db", tmp_path)
    async with place.loop(observe=broken) as loop:
        assert await loop.process_message("send", user_id=USER) == "How much?"
    assert "could not be reported" in caplog.text


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logger = logging.getLogger("soni")
    before = (logger.handlers, logger.propagate, logger.level)
    logs.set_up("json", stream)
    yield stream
    logger.handlers, logger.propagate, logger.level = before
    logging.getLogger("uvicorn.error").handlers = []
    logging.getLogger("psycopg.pool").handlers = []


async def test_logs_are_json_with_secrets_masked_and_no_messages(site: Site, log: io.StringIO) -> None:
    for text in ("send", "100", "card", "swordfish"):
        await site.say(text)
    await site.client.get("/v1/nothing?token=swordfish")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    turns = [line for line in lines if line["event"] == "turn"]
    assert [turn["conversation"] for turn in turns] == ["local/ana"] * 4
    assert turns[1]["commands"] == [{"type": "set_slot", "slot": "amount", "value": "100"}]
    assert turns[3]["commands"] == [{"type": "set_slot", "slot": "pin", "value": "•••"}]
    assert turns[0]["spent"].keys() >= {"waiting", "understanding", "storing"}
    requests = [line for line in lines if line["event"] == "request"]
    assert len({request["request_id"] for request in requests}) == 5
    assert requests[-1]["status"] == 404
    assert "swordfish" not in log.getvalue()
    assert "How much?" not in log.getvalue()


async def test_a_request_keeps_the_id_it_came_with(site: Site) -> None:
    assert (await site.client.get("/health", headers={"X-Request-ID": "abc-1"})).headers["x-request-id"] == "abc-1"
    odd = await site.client.get("/health", headers={"X-Request-ID": "a\tb {evil}"})
    assert odd.headers["x-request-id"] != "a\tb {evil}"


class Collector:
    """A real receiver of OTLP over HTTP."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # http.server's name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = ExportTraceServiceRequest.FromString(body)
                for spans in request.resource_spans:
                    for scope in spans.scope_spans:
                        collector.spans += scope.spans
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def test_traces_go_out_with_genai_names(tmp_path: Path) -> None:
    """Through the real exporter, in a process of its own: a tracer provider is for a whole process."""
    collector = Collector()
    script = tmp_path / "serve_once.py"
    script.write_text(
        f"""
import asyncio
from pathlib import Path
from soni.server.serving import trace_if_asked
from tests.server.site import served

async def work():
    async with served(Path({str(tmp_path)!r})) as site:
        for text in ("send", "100", "Ana", "yes", "card", "swordfish"):
            trace = {{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
            await site.client.post("/v1/conversations/ana/messages", json={{"text": text}}, headers=trace)

provider = trace_if_asked("Test Bank")
asyncio.run(work())
provider.shutdown()
""",
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server.server_port}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    try:
        subprocess.run([sys.executable, str(script)], env=environment, check=True, timeout=100)
    finally:
        collector.close()
    spans: dict[str, list[dict[str, Any]]] = {}
    for span in collector.spans:
        about = {one.key: one.value.string_value or one.value.int_value for one in span.attributes}
        spans.setdefault(span.name, []).append(about)
        assert span.trace_id.hex() == "0af7651916cd43dd8448eb211c80319c"
    (turn, *more) = spans["invoke_agent Test Bank"]
    assert len(more) == 5
    assert turn["gen_ai.operation.name"] == "invoke_agent"
    assert (turn["gen_ai.agent.name"], turn["gen_ai.conversation.id"]) == ("Test Bank", "local/ana")
    (tool,) = spans["execute_tool pay"]
    assert (tool["gen_ai.operation.name"], tool["gen_ai.tool.name"]) == ("execute_tool", "pay")
    assert len(spans["understand"]) == 6
    (route,) = {request["http.route"] for request in spans["POST /v1/conversations/{conversation}/messages"]}
    assert route == "/v1/conversations/{conversation}/messages"
    assert len(spans) == 4, sorted(spans)
    assert "swordfish" not in str(spans)
