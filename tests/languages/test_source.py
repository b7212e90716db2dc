"""No word of a language stands in the code, and no word of a domain in the framework: both are data."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from soni.languages import ENGLISH, FOLDER, known_languages
from soni.languages.kinds import unaccented

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = FOLDER.parent
FILES = sorted(path for path in SOURCE.rglob("*.py") if FOLDER not in path.parents)
PAGES = sorted(path for path in (SOURCE / "server" / "web").iterdir() if path.suffix in (".js", ".html", ".css"))
ENGLISH_TOO = frozenset(
    [
        "alias",
        "com",
        "data",
        "decimal",
        "error",
        "late",
        "local",
        "media",
        "pid",
        "serve",
        "serves",
        "set",
        "sets",
        "site",
        "super",
    ]
)
"""Words of the code that another language has as well."""
NOT_WORDS = {
    "core/timespan.py": {"ms"},
    "core/values/email.py": {"mailto"},
    "core/values/iban.py": {"iban"},
    "du/local/reading.py": {"eur", "usd", "am", "pm"},
    "server/access.py": {"sha"},
    "server/guard.py": {"application", "json"},
    "server/problems.py": {"of"},
    "server/settings.py": {"https"},
}
"""What stands in patterns and belongs to a format or to our own messages."""
DOMAINS = frozenset(
    ["card", "cards", "booking", "bookings", "reservation", "reservations", "rent", "restaurant", "bank", "clinic",
     "hotel", "airport", "flight", "flights", "passenger", "passengers", "diner", "diners", "seats", "invoice",
     "mortgage", "loan", "savings", "doctor", "patient", "appointment", "cinema", "gym", "tarjeta", "tarjetas",
     "reserva", "reservas", "alquiler", "restaurante", "banco", "clinica", "aeropuerto", "vuelo", "vuelos", "pasajeros",
     "comensales", "billetes", "entradas", "nomina", "hipoteca", "factura", "recibo", "saldo", "cita"]
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{3,}")
_NOT_SAID = re.compile(r"\(\?P[<=]\w+[>)]|\\[A-Za-z]|\[[^\]]*\]")
_IN_A_PATTERN = re.compile(r"[^\W\d_]{2,}")


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from _texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value)
    else:
        yield data


def _words(path: Path) -> set[str]:
    entries = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506  # makes texts alone
    said = " ".join(text for entry in entries.values() for text in _texts(entry))
    return set(_WORD.findall(unaccented(_NOT_SAID.sub(" ", said)).lower()))


def _spoken(code: str) -> set[str]:
    return set[str]().union(*map(_words, (FOLDER / code).glob("*.yaml")))


def _strings(tree: ast.AST, *, docs: bool = True) -> Iterator[str]:
    described = set() if docs else {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.value


def _examples(text: str) -> str:
    """What is said within quotation marks."""
    return " ".join(re.findall(r"['\"“‘]([^'\"”’\n]+)['\"”’]", text))


FOREIGN = set[str]().union(*map(_spoken, known_languages() - {ENGLISH})) - _spoken(ENGLISH) - ENGLISH_TOO


def test_the_search_knows_words() -> None:
    assert {"manana", "tarjetas", "quiero"} - FOREIGN == {"tarjetas"}
    assert len(FOREIGN) > 1000


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_code_holds_no_word_of_another_language(path: Path) -> None:
    code = path.read_text(encoding="utf-8")
    strings = list(_strings(ast.parse(code)))
    comments = [_examples(line.partition("#")[2]) for line in code.splitlines()]
    said = {word for text in (*strings, *comments) for word in _WORD.findall(text.lower())}
    assert {word for word in said if unaccented(word) in FOREIGN} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_pattern_in_code_has_words_in_it(path: Path) -> None:
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("re.compile", "re.search", "re.match", "re.sub"):
            pattern = " ".join(_strings(node.args[0]))
            found |= set(_IN_A_PATTERN.findall(_NOT_SAID.sub("", pattern)))
    assert found == NOT_WORDS.get(str(path.relative_to(SOURCE)), set())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_page_takes_its_words_from_the_languages(path: Path) -> None:
    said = set(_WORD.findall(unaccented(path.read_text(encoding="utf-8")).lower()))
    assert said & {word for word in FOREIGN if len(word) > 4} == set()


@pytest.mark.parametrize("code", sorted(known_languages()))
def test_languages_hold_no_word_of_a_domain(code: str) -> None:
    found = {path.name: said for path in (FOLDER / code).glob("*.yaml") if (said := _words(path) & DOMAINS)}
    assert found == {}


def test_code_holds_no_word_of_a_domain() -> None:
    found = {
        (path.name, word)
        for path in FILES
        for text in _strings(ast.parse(path.read_text(encoding="utf-8")), docs=False)
        for word in _WORD.findall(text.lower())
        if word in DOMAINS
    }
    assert found == set()
