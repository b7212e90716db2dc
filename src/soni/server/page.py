"""The web page at /, and the script that puts the same chat on any other page."""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from importlib.resources import files

from fastapi import APIRouter, Response

from soni.languages import shown_in
from soni.server.service import TheService

router = APIRouter(include_in_schema=False)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_FIELD = re.compile(r"\{(\w+)\}")


@cache
def _file(name: str) -> str:
    return files("soni.server").joinpath("web", name).read_text(encoding="utf-8")


@router.get("/")
async def page(service: TheService) -> Response:
    """The chat as a page of its own."""
    settings = service.loop.config.settings
    shown = {"name": settings.name, "language": settings.language}
    shown["no_script"] = shown_in("page", settings.language)["no_script"]
    text = _FIELD.sub(lambda field: escape(shown[field[1]]), _file("index.html"))
    return Response(
        text, media_type="text/html", headers={"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
    )


@router.get("/soni.js")
async def script(service: TheService) -> Response:
    """The chat for any page: one script tag."""
    settings = service.loop.config.settings
    languages = service.loop.config.spoken
    words = {language: shown_in("page", language, settings.language) for language in languages}
    about = {"name": settings.name, "language": settings.language, "languages": languages, "words": words}
    told = json.dumps(about).replace("</", "<\\/")
    text = _file("soni.js").replace('"{assistant}"', told)
    return Response(text, media_type="text/javascript", headers={**_SHARED, "Cache-Control": "no-cache"})


@router.get("/soni.css")
async def style() -> Response:
    """What the chat looks like."""
    return Response(_file("soni.css"), media_type="text/css", headers={**_SHARED, "Cache-Control": "no-cache"})


@router.get("/favicon.svg")
async def icon() -> Response:
    """The sign in a browser's tab."""
    return Response(_file("favicon.svg"), media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


_SHARED = {"Cross-Origin-Resource-Policy": "cross-origin"}
"""Any page may include these; what it may then do is decided where it asks."""
