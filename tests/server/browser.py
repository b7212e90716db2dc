"""A real browser, and a real `soni serve`."""

from __future__ import annotations

import asyncio
import atexit
import functools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.warm import soni_command

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """Where the browser is; without one the test is skipped, and in CI it fails."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing = "there is no Chromium: install Debian's package 'chromium', or Google Chrome"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@functools.cache
def running_chromium() -> str:
    """The address of a browser without a window, started once for all tests of a process."""
    profile = Path(tempfile.mkdtemp())
    command = [chromium(), "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", *FLAGS]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    assert process.stderr is not None
    line = next(line for line in process.stderr if line.startswith("DevTools listening on "))
    threading.Thread(target=process.stderr.read, daemon=True).start()  # what it says later must not hold it up
    return line.removeprefix("DevTools listening on ").strip()


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """A browser without a window, in which nothing of another test is left."""
    address = running_chromium()
    async with async_playwright() as playwright:
        connected = await playwright.chromium.connect_over_cdp(address)
        try:
            yield connected
        finally:
            for context in connected.contexts[1:]:
                await context.close()
            await connected.close()


@asynccontextmanager
async def opened(url: str, **context: Any) -> AsyncIterator[Page]:
    """A page, on which nothing may go wrong in silence."""
    async with browser() as started:
        page = await (await started.new_context(**context)).new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        await page.goto(url)
        yield page
        assert errors == []


async def write(page: Page, text: str) -> None:
    """Type a message and send it with the keyboard."""
    await page.get_by_role("textbox").fill(text)
    await page.keyboard.press("Enter")


async def texts(page: Page) -> list[str]:
    """Everything on the screen, in order."""
    return await page.locator(".log .bubble").all_inner_texts()


async def expect_texts(page: Page, wanted: list[str]) -> None:
    """That this, in this order, is on the screen sooner or later: a page takes a moment to load what was said."""
    await expect(page.locator(".log .bubble")).to_have_text(wanted)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Bank:
    """The banking assistant, served by `soni serve` as its readers start it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, *more: str, **environment: str) -> None:
        """Start it, and wait until it takes requests."""
        store = f"sqlite:{self.folder}/c.db"
        options = ("--config", "examples/banking/domain", "--port", str(self.port), "--store", store, *more)
        self._process = await asyncio.create_subprocess_exec(
            soni_command(),
            "serve",
            *options,
            cwd=ROOT,
            env={**os.environ, "BANK_BOOKS": f"{self.folder}/books.json", **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            line = (await self._process.stdout.readline()).decode()
        assert self.url in line, line

    async def end(self, sign: signal.Signals) -> None:
        """End it, kindly or not."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(sign)
        async with asyncio.timeout(60):
            await self._process.wait()


@asynccontextmanager
async def bank(folder: Path, *more: str, **environment: str) -> AsyncIterator[Bank]:
    """The banking assistant on a port."""
    served = Bank(folder)
    await served.start(*more, **environment)
    try:
        yield served
    finally:
        await served.end(signal.SIGTERM)
