"""Texts: formats, variations, languages; what people write is never formatted again."""

from __future__ import annotations

import pytest

from soni import RuntimeLoop
from soni.core.commands import Help, OutOfScope, Repeat, SetSlot, StartFlow
from soni.du.context import DialogueContext
from soni.du.understanding import Found, Understood
from tests.conftest import Assistant, Talk


async def test_user_text_is_never_formatted_again(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {name: {type: text}, secret: {type: text}}
        flows:
          greet:
            steps:
              - {set: {secret: "top {name}"}}
              - {collect: name, message: "Name?"}
              - {say: "Hello {name}, {{really}} {secret}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="greet"))
    said = await user.say(SetSlot(slot="name", value="{secret} {0.__class__} %s [bold]"))
    assert said == ["Hello {secret} {0.__class__} %s [bold], {really} top {name}."]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "€1,234.50 on November 15, 2026 at 6:30 PM; ANA; yes; 2 hours"),
        ("es", "1.234,50 € on 15 de noviembre de 2026 at 18:30; ANA; sí; 2 horas"),
    ],
)
async def test_values_are_shown_the_way_the_language_writes_them(
    assistant: Assistant, talk: Talk, language: str, expected: str
) -> None:
    config = assistant(f"""
        settings: {{language: {language}}}
        slots:
          amount: {{type: money}}
          day: {{type: date}}
          hour: {{type: time}}
          who: {{type: text}}
          sure: {{type: boolean}}
          span: {{type: duration}}
        flows:
          show:
            steps:
              - {{collect: amount}}
              - {{collect: day}}
              - {{collect: hour}}
              - {{collect: who}}
              - {{collect: sure}}
              - {{collect: span}}
              - {{say: "{{amount}} on {{day:long}} at {{hour}}; {{who:upper}}; {{sure}}; {{span}}"}}
          other: {{steps: [{{say: "Hi."}}]}}
    """)
    slots = {"amount": 1234.5, "day": "2026-11-15", "hour": "18:30", "who": "Ana", "sure": True}
    slots["span"] = "2 hours" if language == "en" else "2 horas"
    said = await talk(config).say(StartFlow(flow="show", slots=slots))
    assert [text.replace("\u202f", " ").replace("\xa0", " ") for text in said] == [expected]


async def test_variations_are_picked_by_the_step_and_stay_the_same_when_asked_again(
    assistant: Assistant, talk: Talk
) -> None:
    config = assistant("""
        slots: {name: {type: text}}
        flows:
          greet: {steps: [{collect: name, message: ["Name?", "Who?", "And you are?", "Your name?"]}]}
          other: {steps: [{say: "Hi."}]}
    """)
    seen = set()
    for number in range(8):
        user = talk(config, user_id=f"u{number}")
        for _ in range(number):
            await user.say(StartFlow(flow="other"))
        [question] = await user.say(StartFlow(flow="greet"))
        assert (await user.say(OutOfScope()))[-1] == question
        seen.add(question)
    assert len(seen) > 1


class Speaker:
    """Understands everything as the same command, and a language by the first word."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        language = message.split()[0]
        return Understood(
            (Found(StartFlow(flow="greet")),), by="speaker", language=None if language == "--" else language
        )


async def test_b52_the_language_follows_the_user_if_the_assistant_offers_it(assistant: Assistant) -> None:
    config = assistant("""
        slots: {name: {type: text}}
        flows:
          greet: {steps: [{collect: name, message: {en: "Name?", es: "¿Nombre?"}}]}
    """)
    async with RuntimeLoop(config, understanding=Speaker()) as loop:
        said = [await loop.process_message(text, user_id="a") for text in ("en a", "es b", "-- c", "fr d", "en e")]
    assert said == ["Name?", "¿Nombre?", "¿Nombre?", "¿Nombre?", "Name?"]


async def test_general_texts_can_be_replaced(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        texts: {out_of_scope: "Pardon?"}
        flows: {greet: {steps: [{say: "Hi."}]}, other: {steps: [{say: "Ho."}]}}
    """)
    assert await talk(config).say(OutOfScope()) == ["Pardon?"]


async def test_b52_the_reply_is_in_the_language_last_shown(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {n: {type: number}, who: {type: text}}
        flows:
          send:
            steps:
              - {collect: n, message: {en: "How much?", es: "¿Cuánto?"}}
              - {collect: who, message: {en: "To whom?", es: "¿A quién?"}}
              - {say: {en: "{n} for {who}.", es: "{n} para {who}."}}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="send"), language="es") == ["¿Cuánto?"]
    assert await user.say(SetSlot(slot="n", value="1,5")) == ["¿A quién?"], "a number shows no language"
    assert await user.say(Help(), language="fr") == [
        "Esto es lo que puedo hacer:\n- send\n- other",
        "¿A quién?",
    ], "a language that is not offered changes nothing"
    assert await user.say(Repeat(), language="en") == ["To whom?"]
    assert await user.say(SetSlot(slot="who", value="Ana")) == ["1.5 for Ana."]


async def test_a_tapped_yes_is_a_yes_in_every_language(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {language: es}
        slots: {breakfast: {type: boolean}}
        flows:
          book:
            steps:
              - {collect: breakfast, message: "¿Con desayuno?"}
              - {say: "Desayuno: {breakfast}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="book"))
    assert await user.say(SetSlot(slot="breakfast", value="yes")) == ["Desayuno: sí."]


async def test_a_language_without_a_folder_falls_back_on_the_default_one_and_on_english(assistant: Assistant) -> None:
    config = assistant("""
        settings: {language: es}
        slots: {day: {type: date}}
        flows:
          visit:
            trigger: {intents: {es: [quiero una visita], nl: [ik wil langskomen]}}
            steps:
              - {collect: day, message: {es: "¿Qué día?", nl: "Welke dag?"}}
              - {say: {es: "El {day}.", nl: "Op {day}."}}
          other: {steps: [{say: "Hi."}]}
    """)
    async with RuntimeLoop(config) as loop:
        assert await loop.process_message("ik wil graag langskomen", user_id="jan") == "Welke dag?"
        told = await loop.process_message("help", user_id="jan")
        assert told.startswith("Esto es lo que puedo hacer:")
        assert told.endswith("Welke dag?")
        assert await loop.process_message("on December 5, 2027", user_id="jan") == "Op 5 december 2027."
