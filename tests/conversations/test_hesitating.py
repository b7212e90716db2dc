"""Somebody who needs a moment, or wants to know more before they answer."""

from __future__ import annotations

from typing import Any

import pytest

from soni.core.commands import (
    AffirmConfirmation,
    ChitChat,
    Clarify,
    DenyConfirmation,
    Explain,
    OutOfScope,
    Repeat,
    SetSlot,
    StartFlow,
    Wait,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

PATIENT = {"Take your time.", "No hurry, I will wait.", "Whenever you are ready."}
UNKNOWN = "I have no more details on that."

SHOP = """
    settings: {handoff: true}
    slots:
      card:
        type: choice
        description: The kind of card
        options:
          debit: {label: {en: Debit, es: Débito}, description: {en: You pay at once, es: Pagas en el acto}}
          credit: {label: {en: Credit, es: Crédito}, description: {en: You pay next month, es: Pagas el mes que viene}}
          gift: {}
      number: {type: integer, description: the 16 digits on the back of your card, error: "Digits only."}
      name: {type: text, description: Your name}
      size: {type: choice, options: [small, large]}
      code: {type: text, sensitive: true, pattern: "[0-9]{4}"}
      ok: {type: boolean}
    flows:
      pay:
        description: Pay
        steps:
          - {collect: card, message: {en: "Which card?", es: "¿Qué tarjeta?"}}
          - {collect: number, message: "Which number?", why: "I charge the {card} card.", attempts: 2}
          - {collect: name}
          - {collect: size, message: "Which size?"}
          - {confirm: ok, message: "Pay, {name}?"}
          - {say: "Paid."}
      weather: {description: Tell the weather, steps: [{say: "Sunny."}]}
"""


async def standing(user: Conversation) -> dict[str, Any]:
    """Everything about the running flows and the open question."""
    state = await user.state()
    return {name: state[name] for name in ("flow_stack", "flow_slots", "_pending_task", "stuck")}


@pytest.mark.parametrize(
    "given",
    [{}, {"card": "debit"}, {"card": "debit", "number": 1, "name": "Ana", "size": "small"}],
)
async def test_b59_the_question_stays_open_and_is_not_asked_again(
    assistant: Assistant, talk: Talk, given: dict[str, Any]
) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay", slots=given))
    before = await standing(user)
    for _ in range(5):
        said = await user.say(Wait())
        assert len(said) == 1
        assert set(said) <= PATIENT
        assert await standing(user) == before
    assert user.last is not None
    assert user.last.pending == before["_pending_task"]


async def test_b59_the_answer_counts_after_any_wait(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"))
    await user.say(Wait())
    assert await user.say(SetSlot(slot="card", value="debit")) == ["Which number?"]
    await user.say(Wait())
    assert await user.say(SetSlot(slot="number", value=7)) == ["Your name?"]


async def test_b59_a_button_of_the_question_is_good_after_a_wait(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"))
    question = user.last
    await user.say(Wait())
    user.last = question
    assert await user.choose("Credit") == ["Which number?"]


async def test_b59_hesitation_is_neither_no_nor_yes(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    given = {"card": "debit", "number": 1, "name": "Ana", "size": "small"}
    assert await user.say(StartFlow(flow="pay", slots=given)) == ["Pay, Ana?"]
    for _ in range(4):
        await user.say(Wait())
    assert await user.say(AffirmConfirmation()) == ["Paid."]


async def test_b59_hesitation_is_no_attempt(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay", slots={"card": "debit"}))
    assert await user.say(SetSlot(slot="number", value="x")) == ["Digits only.", "Which number?"]
    for _ in range(4):
        await user.say(Wait())
    assert (await user.say(SetSlot(slot="number", value="y")))[-1] == "Would you like to talk to a person?"


async def test_b59_hesitation_is_neither_progress_nor_a_failure(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"))
    for _ in range(2):
        await user.say(OutOfScope())
    for _ in range(4):
        assert set(await user.say(Wait())) <= PATIENT
    assert (await user.say(OutOfScope()))[-1] == "Would you like to talk to a person?"


async def test_b59_with_nothing_open_there_is_no_hurry_either(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    for _ in range(4):
        assert set(await user.say(Wait())) <= PATIENT
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]


async def test_b59_the_question_can_be_repeated_after_a_wait(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"))
    await user.say(Wait())
    assert await user.say(Repeat()) == ["Which card?"]


async def test_b59_what_comes_with_the_hesitation_counts(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"))
    said = await user.say(ChitChat(topic="thanks"), Wait())
    assert said[:-1] == ["You are welcome."]
    assert said[-1] in PATIENT
    said = await user.say(Wait(), SetSlot(slot="card", value="debit"))
    assert said[1:] == ["Which number?"]
    said = await user.say(Wait(), SetSlot(slot="number", value="x"))
    assert said[1:] == ["Digits only.", "Which number?"]
    said = await user.say(Wait(), StartFlow(flow="weather"))
    assert said[1:] == ["Sunny.", "Back to where we were: Pay.", "Which number?"]


async def test_b59_which_of_several_is_meant_may_take_a_moment(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(Clarify(options=["pay", "weather"]))
    question = user.last
    assert set(await user.say(Wait())) <= PATIENT
    user.last = question
    assert await user.choose("Tell the weather") == ["Sunny."]


async def test_b59_the_offer_of_a_person_can_be_thought_about(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"))
    for _ in range(3):
        await user.say(OutOfScope())
    assert set(await user.say(Wait())) <= PATIENT
    assert "Which card?" in await user.say(DenyConfirmation())


async def test_b59_it_is_said_in_the_persons_language(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"), language="es")
    assert set(await user.say(Wait())) <= {"Tómate tu tiempo.", "Sin prisa, aquí espero.", "Cuando quieras."}


DIFFERENCE = "- Debit: You pay at once\n- Credit: You pay next month\n- gift"


@pytest.mark.parametrize(
    ("topic", "given", "said"),
    [
        ("difference", {}, [DIFFERENCE, "Which card?"]),
        ("meaning", {}, ["The kind of card.", DIFFERENCE, "Which card?"]),
        ("why", {}, ["The kind of card.", "Which card?"]),
        ("where", {}, ["The kind of card.", "Which card?"]),
        (None, {}, ["The kind of card.", DIFFERENCE, "Which card?"]),
        ("why", {"card": "debit"}, ["I charge the Debit card.", "Which number?"]),
        ("where", {"card": "debit"}, ["The 16 digits on the back of your card.", "Which number?"]),
        ("meaning", {"card": "debit"}, ["The 16 digits on the back of your card.", "Which number?"]),
        ("difference", {"card": "debit"}, [UNKNOWN, "Which number?"]),
        (
            "nonsense",
            {"card": "debit"},
            ["I charge the Debit card.", "The 16 digits on the back of your card.", "Which number?"],
        ),
        ("why", {"card": "debit", "number": 1}, [UNKNOWN, "Your name?"]),
        ("difference", {"card": "debit", "number": 1, "name": "Ana"}, [UNKNOWN, "Which size?"]),
        ("why", {"card": "debit", "number": 1, "name": "Ana", "size": "small"}, [UNKNOWN, "Pay, Ana?"]),
    ],
)
async def test_b62_what_people_ask_about_a_question_is_answered_and_the_question_comes_again(
    assistant: Assistant, talk: Talk, topic: str | None, given: dict[str, Any], said: list[str]
) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay", slots=given))
    before = await standing(user)
    assert await user.say(Explain(topic=topic)) == said
    assert await standing(user) == before


async def test_b62_asking_is_no_attempt(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay", slots={"card": "debit"}))
    for _ in range(5):
        assert await user.say(Explain(topic="why")) == ["I charge the Debit card.", "Which number?"]
    assert await user.say(SetSlot(slot="number", value=3)) == ["Your name?"]


async def test_b62_with_nothing_open_there_is_nothing_to_explain(assistant: Assistant, talk: Talk) -> None:
    assert await talk(assistant(SHOP)).say(Explain(topic="why")) == [UNKNOWN]


async def test_b62_options_are_explained_in_the_persons_language(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="pay"), language="es")
    assert await user.say(Explain(topic="difference")) == [
        "- Débito: Pagas en el acto\n- Crédito: Pagas el mes que viene\n- gift",
        "¿Qué tarjeta?",
    ]
