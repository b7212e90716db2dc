"""Take the pictures of the web chat that the documentation shows: a real server, a real Chromium."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "images"
PORT = 8765
URL = f"http://127.0.0.1:{PORT}"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SHOP = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body { margin: 0; font: 18px/1.6 Georgia, serif; background: #faf6ef; color: #33291e }
header { padding: 1.5rem 4rem; border-bottom: 1px solid #e3d8c6; font-size: 1.5rem }
main { padding: 3rem 4rem; max-width: 38rem }</style></head>
<body><header>Your bank's own page</header><main><h1>Cards and accounts</h1><p>Whatever stands here keeps its own style:
the chat lives in a shadow of its own.</p></main><script src="soni.js" defer></script></body></html>"""


async def write(page: Page, text: str, answer: str) -> None:
    await page.get_by_role("textbox").fill(text)
    await page.keyboard.press("Enter")
    await page.get_by_text(answer).last.wait_for()


async def talk(page: Page) -> None:
    await page.get_by_text("Hello, this is your bank's assistant.").wait_for()
    await write(page, "how much money do I have?", "Your checking account has")
    await write(page, "send 20 euros to Ana", "Send €20.00 to Ana")
    await page.wait_for_timeout(400)


async def picture(browser: Browser, name: str, *, page_at: str = "/", **context: Any) -> None:
    made = await browser.new_context(reduced_motion="reduce", **context)
    page = await made.new_page()
    if page_at != "/":
        await page.route("**/shop.html", lambda route: route.fulfill(body=SHOP, content_type="text/html"))
    await page.goto(URL + page_at)
    if page_at != "/":
        await page.get_by_role("button", name="Chat with").click()
    await talk(page)
    await page.screenshot(path=PICTURES / f"{name}.png")
    await made.close()


async def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("There is no Chromium: install Debian's package 'chromium', or Google Chrome.")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.create_subprocess_exec(
            Path(sys.executable).with_name("soni"),
            *("serve", "--config", "examples/banking/domain", "--port", str(PORT), "--store", f"sqlite:{folder}/c.db"),
            cwd=ROOT,
            env={**os.environ, "BANK_BOOKS": f"{folder}/books.json"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        if server.stdout is None or URL not in (await server.stdout.readline()).decode():
            sys.exit(f"The server could not be started; is port {PORT} free?")
        desktop, phone = {"width": 1200, "height": 760}, {"width": 390, "height": 780}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            for scheme in ("light", "dark"):
                await picture(browser, f"desktop-{scheme}", viewport=desktop, color_scheme=scheme)
                await picture(browser, f"phone-{scheme}", viewport=phone, color_scheme=scheme)
            await picture(browser, "widget", page_at="/shop.html", viewport=desktop, color_scheme="light")
            await browser.close()
        server.terminate()
        await server.wait()


asyncio.run(main())
