"""The language of a message is decided among the assistant's own, with its words as evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from soni.config.models import SoniConfig
from soni.du.local.assistant import Assistant as Prepared
from soni.du.local.language import MessageLanguage
from soni.du.local.message import Message
from soni.evaluation import Labelled, Place
from soni.languages import languages
from tests.du.test_local import BANKING

FLAT = ["top up my phone", "pay a bill", "recargar el móvil", "pagar un recibo"]
BY_LANGUAGE = {"en": ["top up my phone", "pay a bill"], "es": ["recargar el móvil", "pagar un recibo"]}
CASES = [
    ("recargar movil porfa", "es"),
    ("pay bill pls", "en"),
    ("recibo", "es"),
    ("quiero pagar con la blue", "es"),
    ("Blau", None),  # an option that is the same in both
    ("azul", "es"),
    ("gracias", None),
    ("pls", None),
    ("ok", None),
    ("yes", None),
    ("sí", None),
    ("100", None),
    ("Ana", None),
    ("I want to pay el recibo", "en"),  # one word is borrowed
    ("hola", "es"),
    ("hello", "en"),
    ("¿y ahora?", "es"),
    ("", None),
]


def _assistant(intents: object) -> MessageLanguage:
    config = SoniConfig.model_validate(
        {
            "slots": {
                "colour": {
                    "type": "choice",
                    "options": {"blau": {}, "blue": {"label": {"en": "blue", "es": "azul"}}},
                    "message": {"en": "Which?", "es": "¿Cuál?"},
                }
            },
            "flows": {
                "pay": {"trigger": {"intents": intents}, "steps": [{"step": "c", "type": "collect", "slot": "colour"}]}
            },
        }
    )
    return MessageLanguage(config, languages(config.spoken))


@pytest.mark.parametrize("intents", [FLAT, BY_LANGUAGE], ids=["flat", "by language"])
@pytest.mark.parametrize(("message", "code"), CASES)
def test_words_of_the_assistant_tell_and_courtesies_do_not(intents: object, message: str, code: str | None) -> None:
    assert _assistant(intents).of(message, "en") == code


@pytest.mark.parametrize(
    ("message", "current", "code"),
    [
        ("qual é o meu saldo?", "en", "pt"),
        ("¿qué saldo tengo?", "pt", "es"),
        ("consultar saldo", "pt", None),  # the same in both
        ("consultar saldo", "es", None),
        ("consultar saldo", "en", "es"),
        ("dos mil trescientos, para Anselmo", "es", None),
        ("no sábado", "pt", None),
        ("obrigado", "en", None),
        ("send 20 to João", "en", "en"),
    ],
)
def test_languages_that_are_alike_are_told_apart(message: str, current: str, code: str | None) -> None:
    assert MessageLanguage(BANKING, languages(BANKING.spoken)).of(message, current) == code


def test_a_mixed_message_stays_in_the_current_language() -> None:
    assistant = _assistant(BY_LANGUAGE)
    assert assistant.of("quiero pay a bill", "en") == "en"
    assert assistant.of("quiero pay a bill", "es") is None
    assert assistant.of("I want to pay a recibo", "es") == "en"


def test_a_language_without_a_folder_is_told_by_the_assistants_own_words() -> None:
    intents = {"en": ["pay a bill"], "nl": ["een rekening betalen"]}
    assert _assistant(intents).of("rekening graag", "en") == "nl"
    assert _assistant(intents).of("pay a bill", "nl") == "en"


@pytest.mark.parametrize(("language", "asked"), [("en", True), ("es", True), ("nl", False)])
def test_the_reader_is_asked_about_languages_that_it_has_learned(language: str, asked: bool) -> None:
    context = Labelled("Amsterdam", (), Place()).context(BANKING, now=datetime(2026, 11, 15, 12))
    context = replace(context, reading=replace(context.reading, language=language))
    message = Message("Amsterdam", context, Prepared(BANKING))
    assert (message.reading is not None) is asked
