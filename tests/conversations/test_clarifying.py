"""When several flows fit, the person says which; and flows that call and link."""

from __future__ import annotations

import pytest

from soni import ConfigError
from soni.core.commands import (
    CancelFlow,
    Clarify,
    Help,
    OutOfScope,
    Repeat,
    SetSlot,
    StartFlow,
)
from soni.du.context import DialogueContext
from soni.du.understanding import Understood
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

SORRY = "Sorry, I did not understand that, or it is not something I can help with."
WHICH = "Which of these do you mean?"

BANK = """
    slots:
      amount: {type: integer}
      city: {type: text}
      vip: {type: boolean, source: system, scope: conversation}
    flows:
      send: {description: Send money, steps: [{collect: amount, message: "How much?"}, {say: "Sent {amount}."}]}
      card: {description: Block a card, steps: [{say: "Blocked."}]}
      gold: {description: Buy gold, if: "vip", steps: [{say: "Gold."}]}
      trip: {steps: [{collect: city, message: "Where to?"}, {say: "To {city}."}]}
"""

BOTH = Clarify(options=["send", "card"])


def options(user: Conversation) -> list[str]:
    assert user.last is not None
    return [option.label for option in user.last.messages[-1].options]


async def test_b40_the_candidates_are_offered_by_what_they_do(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    assert await user.say(BOTH) == [WHICH]
    assert options(user) == ["Send money", "Block a card"]
    assert await user.choose("Block a card") == ["Blocked."]
    assert (await user.state())["flow_stack"] == []


@pytest.mark.parametrize("words", ["Block a card", "block a card", "card", "2", "Block a cadr", "the second"])
async def test_b40_words_that_name_an_option_choose_it(assistant: Assistant, talk: Talk, words: str) -> None:
    """Before any understanding, which here makes nothing of them."""
    user = talk(assistant(BANK))
    await user.say(BOTH)
    assert await user.say(OutOfScope(), text=words) == ["Blocked."]


async def test_b40_a_rephrase_is_an_answer_with_what_it_says(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(BOTH)
    assert await user.say(StartFlow(flow="send", slots={"amount": 5})) == ["Sent 5."]
    await user.say(BOTH)
    assert await user.say(StartFlow(flow="trip")) == ["Where to?"], "also of something that was not offered"
    assert len((await user.state())["flow_stack"]) == 1


async def test_b40_an_answer_that_names_none_is_asked_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(BOTH)
    assert await user.say(OutOfScope(), text="banana") == [SORRY, WHICH]
    assert await user.say(SetSlot(slot="_flow", value="card")) == [WHICH], "slots of the assistant are out of reach"
    assert options(user) == ["Send money", "Block a card"]
    assert await user.say(Repeat()) == [WHICH]
    assert await user.say(Help()) == [
        "This is what I can do:\n- Send money\n- Block a card",
        WHICH,
    ]
    assert await user.choose("Send money") == ["How much?"]


async def test_b40_cancelling_closes_the_question(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(BOTH)
    assert await user.say(CancelFlow()) == ["All right, I have stopped that."]
    assert (await user.state())["flow_stack"] == []
    assert await user.say(CancelFlow()) == ["There is nothing to cancel."]


async def test_b40_b34_cancelling_the_question_leaves_what_was_open_before(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(StartFlow(flow="trip"))
    await user.say(BOTH)
    assert await user.say(CancelFlow()) == ["All right, I have stopped that.", "Where to?"]


async def test_b40_what_was_open_waits_and_comes_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(StartFlow(flow="trip"))
    assert await user.say(BOTH) == [WHICH]
    assert await user.choose("Send money") == ["How much?"]
    assert await user.say(SetSlot(slot="amount", value=5)) == ["Sent 5.", "Back to where we were: trip.", "Where to?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


async def test_b40_choosing_what_was_open_anyway_goes_on_with_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(StartFlow(flow="send"))
    await user.say(BOTH)
    assert await user.choose("Send money") == ["How much?"]
    assert len((await user.state())["flow_stack"]) == 1


async def test_b40_flows_that_cannot_be_started_are_not_offered(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(Clarify(options=["send", "nonsense", "gold", "card", "card"]))
    assert options(user) == ["Send money", "Block a card"]
    assert await user.say(Clarify(options=["nonsense", "gold"])) == [SORRY, WHICH]
    other = talk(assistant(BANK), user_id="other")
    assert await other.say(Clarify(options=["nonsense"])) == [SORRY]
    assert await other.say(Clarify(options=[])) == [SORRY]
    assert (await other.state())["flow_stack"] == []


async def test_b40_a_flow_that_is_no_longer_available_is_taken_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(Clarify(options=["gold", "card"]), slots={"vip": True})
    assert options(user) == ["Buy gold", "Block a card"]
    assert await user.say(OutOfScope(), slots={"vip": False}) == [SORRY, WHICH]
    assert options(user) == ["Block a card"]


async def test_b40_another_doubt_replaces_the_first(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BANK))
    await user.say(BOTH)
    old = user.last
    assert await user.say(Clarify(options=["send", "trip"])) == [WHICH]
    assert options(user) == ["Send money", "trip"]
    assert len((await user.state())["flow_stack"]) == 1
    user.last = old
    assert await user.choose("Block a card") == ["That choice is no longer open.", WHICH]


@pytest.mark.parametrize("depth", [1, 2])
async def test_b40_b31_the_question_is_no_flow_that_the_person_has_open(
    assistant: Assistant, talk: Talk, depth: int
) -> None:
    user = talk(assistant(f"settings: {{max_depth: {depth}}}" + BANK.replace("\n    ", "\n")))
    if depth == 2:
        await user.say(StartFlow(flow="trip"))
    await user.say(BOTH)
    assert (await user.choose("Block a card"))[0] == "Blocked."


class Spanish:
    """Understands everything as a doubt, in Spanish."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        return Understood.of([Clarify(options=["send", "card"])], by="spanish", language="es")


async def test_b40_the_options_are_in_the_language_of_the_conversation(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        flows:
          send: {description: {en: Send money, es: Enviar dinero}, steps: [{say: {en: "Sent.", es: "Enviado."}}]}
          card: {description: {en: Block a card, es: Bloquear una tarjeta}, steps: [{say: "…"}]}
    """)
    user = talk(config, understanding=Spanish())
    assert await user.say() == ["¿A cuál de estas cosas te refieres?"]
    assert options(user) == ["Enviar dinero", "Bloquear una tarjeta"]
    assert await user.say(text="enviar dinero") == ["Enviado."]


CALLS = """
    slots: {city: {type: text}, seat: {type: text}, note: {type: text}, ok: {type: boolean}}
    flows:
      book:
        steps:
          - {collect: city, message: "Where to?"}
          - {call: choose_seat ON_CANCEL}
          - {say: "Seat {seat}.", jump_to: end}
          - {step: without, type: say, message: "Any seat in {city}, then."}
          - {collect: note, message: "A note?"}
          - {say: "Booked."}
      choose_seat: {if: "false", steps: [{collect: seat, message: "Which seat?"}]}
      weather: {steps: [{say: "Sunny."}]}
"""


async def test_b35_cancelling_a_called_flow_lets_its_caller_go_on(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(CALLS.replace(" ON_CANCEL", ", on_cancel: without")))
    assert await user.say(StartFlow(flow="book", slots={"city": "Rome"})) == ["Which seat?"]
    assert await user.say(CancelFlow()) == [
        "All right, I have stopped that.",
        "Any seat in Rome, then.",
        "A note?",
    ]
    assert await user.say(SetSlot(slot="note", value="x")) == ["Booked."]
    assert (await user.state())["flow_slots"] == {}


async def test_b35_cancelling_again_cancels_the_caller(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(CALLS.replace(" ON_CANCEL", ", on_cancel: without")))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    await user.say(CancelFlow())
    assert await user.say(CancelFlow()) == ["All right, I have stopped that."]
    assert (await user.state())["flow_stack"] == []


async def test_b35_what_the_cancelled_flow_had_does_not_come_back(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {seat: {type: text}, ok: {type: boolean}}
        flows:
          book:
            steps:
              - {call: choose_seat, on_cancel: without}
              - {say: "Seat {seat}.", jump_to: end}
              - {step: without, type: branch, cases: [{when: "seat is None", then: none}, {else: some}]}
              - {step: none, type: say, message: "No seat.", jump_to: end}
              - {step: some, type: say, message: "Still {seat}."}
          choose_seat:
            if: "false"
            steps: [{collect: seat, message: "Which seat?"}, {confirm: ok, message: "{seat}?"}]
          weather: {steps: [{say: "Sunny."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="book"))
    assert await user.say(SetSlot(slot="seat", value="4A")) == ["4A?"]
    assert await user.say(CancelFlow()) == ["All right, I have stopped that.", "No seat."]


@pytest.mark.parametrize("on_cancel", ["", ", on_cancel: end"])
async def test_b35_without_a_way_on_the_caller_ends_too(assistant: Assistant, talk: Talk, on_cancel: str) -> None:
    text = CALLS.replace(" ON_CANCEL", on_cancel).replace("jump_to: end", "jump_to: without")
    user = talk(assistant(text))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(CancelFlow()) == ["All right, I have stopped that."]
    assert (await user.state())["flow_stack"] == []


async def test_b35_a_cancelled_digression_leaves_a_called_flow_alone(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(CALLS.replace(" ON_CANCEL", ", on_cancel: without")))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(Clarify(options=["weather", "book"])) == [WHICH]
    assert await user.choose("weather") == ["Sunny.", "Back to where we were: book.", "Which seat?"]
    assert await user.say(SetSlot(slot="seat", value="4A")) == ["Seat 4A."]


async def test_b35_on_cancel_can_go_to_a_person(assistant: Assistant, talk: Talk) -> None:
    user = talk(
        assistant(CALLS.replace(" ON_CANCEL", ", on_cancel: handoff").replace("jump_to: end", "jump_to: without"))
    )
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    said = await user.say(CancelFlow())
    assert said == ["All right, I have stopped that.", "A person will take it from here."]
    assert user.last is not None
    assert user.last.handoff is not None
    assert user.last.handoff["flow"] == "book"


@pytest.mark.parametrize(
    "steps",
    [
        ("{link: b}", "{link: a}"),
        ("{say: Hi}, {link: b}", "{say: Ho}, {call: a}"),
        ("{link: a}", "{say: Ho}"),
        ('{collect: x, message: "X?", if: "false"}, {say: Hi}, {link: b}', "{link: c}"),
    ],
)
def test_b36_a_circle_of_links_without_a_question_is_refused_at_load(
    assistant: Assistant, steps: tuple[str, str]
) -> None:
    with pytest.raises(ConfigError, match=r"assistant\.yaml:\d+:\d+: .*without asking anything"):
        assistant(f"""
            slots: {{x: {{type: text}}}}
            flows:
              a: {{steps: [{steps[0]}]}}
              b: {{steps: [{steps[1]}]}}
              c: {{steps: [{{say: Hm}}, {{link: b}}]}}
        """)


async def test_b36_a_circle_that_asks_goes_round_as_often_as_people_answer(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {more: {type: boolean}}
        flows:
          a: {steps: [{say: "A."}, {link: b}]}
          b: {steps: [{collect: more, message: "More?", ask_always: true}, {link: a, if: "more"}, {say: "Bye."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="a")) == ["A.", "More?"]
    for _ in range(3):
        assert await user.say(SetSlot(slot="more", value=True)) == ["A.", "More?"]
    assert await user.say(SetSlot(slot="more", value=False)) == ["Bye."]
