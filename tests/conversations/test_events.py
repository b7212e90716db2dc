"""Flows of the author's own for what can happen in any conversation."""

from __future__ import annotations

from typing import Any

import pytest

from soni import Actions, ConfigError
from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    ChitChat,
    Clarify,
    Command,
    DenyConfirmation,
    Help,
    HumanHandoff,
    OutOfScope,
    Repeat,
    SetSlot,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk
from tests.conversations.hosts import new_loop

SORRY = "Sorry, I did not understand that, or it is not something I can help with."
CANCELLED = "All right, I have stopped that."

BASE = """
slots:
  city: {type: text}
  mood: {type: text}
  n: {type: integer, source: system}
  wants: {type: boolean}
flows:
  book:
    description: Book a trip
    steps: [{collect: city, message: "Where to?"}, {say: "To {city}."}]
  weather: {description: Tell the weather, steps: [{say: "Sunny."}]}
  work: {description: Work, steps: [{action: work, map_outputs: {n: n}}, {say: "{n}"}]}
  count: {steps: [{collect: n_, message: "How many?", attempts: 1}]}
"""


def with_event(event: str, steps: str, more: str = "") -> str:
    base = BASE.replace("  n: ", "  n_: {type: integer}\n  n: ")
    return f"{more}\nevents: {{{event}: mine}}\n{base}  mine:\n    steps: [{steps}]\n"


def failing() -> Actions:
    actions = Actions()

    @actions.register("work", effect="pure")
    def work() -> dict[str, int]:
        raise ValueError("no luck")

    return actions


async def stack(user: Conversation) -> list[str]:
    return [frame["flow_name"] for frame in (await user.state())["flow_stack"]]


SAYING = [
    ("chit_chat", "Nice {_topic}.", ChitChat(topic="thanks"), ["Nice thanks."]),
    ("chit_chat", "Nice {_topic}.", ChitChat(), ["Nice chit_chat."]),
    ("help", "I can:\\n{_capabilities}", Help(), ["I can:\n- Book a trip\n- Tell the weather\n- Work"]),
    (
        "out_of_scope",
        "Not that.\\n{_capabilities}",
        OutOfScope(),
        ["Not that.\n- Book a trip\n- Tell the weather\n- Work"],
    ),
]


@pytest.mark.parametrize(("event", "text", "command", "said"), SAYING)
async def test_the_authors_flow_answers_and_the_open_question_is_asked_again(
    assistant: Assistant, talk: Talk, event: str, text: str, command: Command, said: list[str]
) -> None:
    user = talk(assistant(with_event(event, f'{{say: "{text}"}}')), failing())
    assert await user.say(command) == said
    await user.say(StartFlow(flow="book"))
    before = await user.state()
    assert await user.say(command) == [*said, "Where to?"], "without the bridge: it was never left"
    assert (await user.state())["flow_stack"] == before["flow_stack"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


ASKING: list[tuple[str, Command]] = [
    ("chit_chat", ChitChat()),
    ("help", Help()),
    ("out_of_scope", OutOfScope()),
    ("clarification", Clarify(options=["book", "weather"])),
]
ASKING_OR_HANDING_OVER = [*ASKING, ("handoff", HumanHandoff())]

MOOD = '{collect: mood, message: "How are you?"}, {say: "{mood}, I see."}'


@pytest.mark.parametrize(("event", "command"), ASKING_OR_HANDING_OVER)
async def test_a_flow_for_an_event_may_ask(assistant: Assistant, talk: Talk, event: str, command: Command) -> None:
    user = talk(assistant(with_event(event, MOOD)), failing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(command) == ["How are you?"]
    assert await user.say(Repeat()) == ["How are you?"]
    assert await user.say(SetSlot(slot="mood", value="Fine")) == ["Fine, I see.", "Where to?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


@pytest.mark.parametrize(("event", "command"), ASKING_OR_HANDING_OVER)
async def test_who_walks_away_from_an_events_question_leaves_it_behind(
    assistant: Assistant, talk: Talk, event: str, command: Command
) -> None:
    user = talk(assistant(with_event(event, MOOD)), failing())
    await user.say(StartFlow(flow="book"))
    await user.say(command)
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "Back to where we were: Book a trip.", "Where to?"]
    assert await stack(user) == ["book"]


@pytest.mark.parametrize(("event", "command"), ASKING_OR_HANDING_OVER)
async def test_b34_cancelling_an_events_question_leaves_what_was_open_before(
    assistant: Assistant, talk: Talk, event: str, command: Command
) -> None:
    user = talk(assistant(with_event(event, MOOD)), failing())
    await user.say(StartFlow(flow="book"))
    await user.say(command)
    assert await user.say(CancelFlow()) == [CANCELLED, "Where to?"]


@pytest.mark.parametrize(("event", "command"), ASKING)
async def test_the_same_again_while_its_question_is_open_does_not_pile_up(
    assistant: Assistant, talk: Talk, event: str, command: Command
) -> None:
    user = talk(assistant(with_event(event, MOOD, "settings: {fallback_after: 99}")), failing())
    await user.say(StartFlow(flow="book"))
    await user.say(command)
    for _ in range(4):
        assert (await user.say(command))[-1] == "How are you?"
        assert await stack(user) == ["book", "mine"]
    assert await user.say(SetSlot(slot="mood", value="Fine")) == ["Fine, I see.", "Where to?"]


async def test_a_second_wish_for_a_person_is_a_wish_for_a_person(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("handoff", MOOD)), failing())
    assert await user.say(HumanHandoff()) == ["How are you?"]
    assert await user.say(HumanHandoff()) == ["A person will take it from here."]


async def test_b33_two_events_in_one_message_are_answered_in_spoken_order(assistant: Assistant, talk: Talk) -> None:
    text = with_event("chit_chat: other, help", '{say: "Help."}') + '  other: {steps: [{say: "Chat."}]}\n'
    user = talk(assistant(text), failing())
    assert await user.say(ChitChat(), Help()) == ["Chat.", "Help."]


async def test_b42_the_answer_to_what_was_not_understood_comes_before_the_fallback(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(with_event("out_of_scope", '{say: "Pardon?"}', "settings: {fallback_after: 2}")), failing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(OutOfScope()) == ["Pardon?", "Where to?"]
    assert await user.say(OutOfScope()) == ["Pardon?", "Would you like to talk to a person?"]
    assert (await user.say(DenyConfirmation()))[1:] == ["Where to?"]


async def test_b13_the_authors_flow_answers_at_a_confirmation_too(assistant: Assistant, talk: Talk) -> None:
    text = with_event("out_of_scope", '{say: "Pardon?"}') + '  sure: {steps: [{confirm: wants, message: "Sure?"}]}\n'
    user = talk(assistant(text), failing())
    await user.say(StartFlow(flow="sure"))
    assert await user.say(OutOfScope()) == ["Pardon?", "Sure?"]
    await user.say(OutOfScope())
    assert await user.say(OutOfScope()) == ["Pardon?", "All right. Nothing was done."]


@pytest.mark.parametrize(("event", "command"), ASKING)
async def test_an_answer_to_the_question_below_is_taken_and_the_events_question_left(
    assistant: Assistant, talk: Talk, event: str, command: Command
) -> None:
    user = talk(assistant(with_event(event, MOOD)), failing())
    await user.say(StartFlow(flow="book"))
    await user.say(command)
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


async def test_cancel_has_a_flow_that_knows_what_was_cancelled(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("cancel", '{say: "No more {_flow}."}')), failing())
    assert await user.say(CancelFlow()) == ["There is nothing to cancel."]
    await user.say(StartFlow(flow="book"))
    assert await user.say(CancelFlow()) == ["No more Book a trip."]
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="count"))
    assert await user.say(CancelFlow()) == ["No more count.", "Back to where we were: Book a trip.", "Where to?"]


async def test_cancelling_the_question_about_a_cancellation_ends_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("cancel", MOOD)), failing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(CancelFlow()) == ["How are you?"]
    assert await user.say(CancelFlow()) == [CANCELLED]
    assert await stack(user) == []


async def test_cancel_and_start_in_one_message_do_both_with_a_flow_for_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("cancel", '{say: "No more {_flow}."}')), failing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(CancelFlow(), StartFlow(flow="weather")) == ["No more Book a trip.", "Sunny."]
    assert await stack(user) == []


async def test_clarification_has_a_flow_that_asks_which(assistant: Assistant, talk: Talk) -> None:
    steps = '{say: "Hm."}, {clarify: "Which one?"}, {say: "Neither."}'
    user = talk(assistant(with_event("clarification", steps)), failing())
    await user.say(StartFlow(flow="count"))
    assert await user.say(Clarify(options=["book", "weather"])) == ["Hm.", "Which one?"]
    assert await user.say(text="2") == ["Sunny.", "Back to where we were: count.", "How many?"]
    await user.say(Clarify(options=["book", "weather"]))
    assert await user.choose("Book a trip") == ["Where to?"]


async def test_completion_has_a_flow_that_runs_after_the_last_one(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("completion", '{say: "{_flow}: done."}')), failing())
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "Tell the weather: done."]
    await user.say(StartFlow(flow="book"))
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "Back to where we were: Book a trip.", "Where to?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome.", "Book a trip: done."]
    assert await user.say(StartFlow(flow="book"), CancelFlow()) == [CANCELLED], "that was no completion"
    assert await user.say(Help()) == ["This is what I can do:\n- Book a trip\n- Tell the weather\n- Work"]


async def test_completion_may_ask_and_the_next_wish_is_an_answer(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("completion", MOOD)), failing())
    for _ in range(3):
        assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "How are you?"]
        assert await stack(user) == ["mine"]
    assert await user.say(SetSlot(slot="mood", value="Fine")) == ["Fine, I see."]
    await user.say(StartFlow(flow="weather"))
    assert await user.say(CancelFlow()) == [CANCELLED]
    assert await stack(user) == []


async def test_b36_a_completion_that_links_to_a_flow_does_not_complete_for_ever(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(with_event("completion", '{say: "Done."}, {link: weather}')), failing())
    assert await user.say(StartFlow(flow="book", slots={"city": "Rome"})) == ["To Rome.", "Done.", "Sunny."]


async def test_error_has_a_flow_that_knows_what_failed(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("error", '{say: "{_flow} failed: {_reason}."}')), failing())
    await user.say(StartFlow(flow="book"))
    said = await user.say(StartFlow(flow="work"))
    assert said[0].startswith("Work failed: ")
    assert "work" in said[0]
    assert said[1:] == ["Back to where we were: Book a trip.", "Where to?"]


async def test_an_error_in_the_flow_for_errors_is_told_and_does_not_go_round(assistant: Assistant, talk: Talk) -> None:
    wrong = "Sorry, something went wrong and I could not do that."
    for steps in ("{action: work, map_outputs: {n: n}}", "{call: work}"):
        user = talk(assistant(with_event("error", steps)), failing(), user_id=steps)
        assert await user.say(StartFlow(flow="work")) == [wrong]
        assert await stack(user) == []


async def test_b36_a_flow_for_errors_that_links_to_what_fails_does_not_go_round(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(with_event("error", '{say: "Once more."}, {link: work}')), failing())
    said = await user.say(StartFlow(flow="work"))
    assert said == ["Once more.", "Sorry, something went wrong and I could not do that."]
    assert await stack(user) == []


async def test_fallback_has_a_flow(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("fallback", '{say: "Try:\\n{_capabilities}"}')), failing())
    await user.say(StartFlow(flow="book"))
    for _ in range(2):
        await user.say(OutOfScope())
        await user.say(OutOfScope())
        said = await user.say(OutOfScope())
        assert said == [SORRY, "Try:\n- Book a trip\n- Tell the weather\n- Work", "Where to?"]


async def test_fallback_may_ask_and_is_not_asked_twice(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("fallback", MOOD, "settings: {fallback_after: 1}")), failing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(OutOfScope()) == [SORRY, "How are you?"]
    for _ in range(3):
        said = await user.say(OutOfScope())
        assert said[-1] == "How are you?"
        assert await stack(user) == ["book", "mine"]
    assert await user.say(SetSlot(slot="mood", value="Bad")) == ["Bad, I see.", "Where to?"]


async def test_handoff_has_a_flow_which_decides(assistant: Assistant, talk: Talk) -> None:
    steps = '{say: "{_reason}."}, {confirm: wants, message: "Really?"}, {handoff: sure, message: "Eva comes."}'
    user = talk(assistant(with_event("handoff", steps)), failing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(HumanHandoff(reason="anger")) == ["anger.", "Really?"]
    assert await user.say(DenyConfirmation()) == ["All right. Nothing was done.", "Where to?"]
    await user.say(HumanHandoff(reason="anger"))
    assert await user.say(AffirmConfirmation()) == ["Eva comes."]
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == "You are talking to the assistant again.\nWhere to?"


async def packet_of(user: Conversation) -> dict[str, Any]:
    assert user.last is not None
    assert user.last.handoff is not None
    return user.last.handoff


@pytest.mark.parametrize("event", ["handoff", "out_of_scope", "fallback"])
async def test_b43_the_packet_is_about_what_the_person_was_doing(assistant: Assistant, talk: Talk, event: str) -> None:
    settings = "settings: {fallback_after: 1}" if event == "fallback" else ""
    user = talk(assistant(with_event(event, "{handoff: lost}", settings)), failing())
    await user.say(StartFlow(flow="book"))
    await user.say(HumanHandoff(reason="anger") if event == "handoff" else OutOfScope())
    packet = await packet_of(user)
    assert (packet["flow"], packet["reason"]) == ("book", "lost")


async def test_b43_a_flow_for_handoffs_without_a_reason_keeps_the_one_it_was_told(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(with_event("handoff", '{say: "One moment."}, {handoff: null}')), failing())
    assert await user.say(HumanHandoff(reason="anger")) == ["One moment.", "A person will take it from here."]
    assert (await packet_of(user))["reason"] == "anger"


async def test_a_handoff_step_takes_the_authors_way_too(assistant: Assistant, talk: Talk) -> None:
    text = with_event("handoff", '{say: "{_flow}, {_reason}."}, {handoff: really}')
    user = talk(assistant(text + "  desk: {description: The desk, steps: [{handoff: no luck}]}\n"), failing())
    assert await user.say(StartFlow(flow="desk")) == ["The desk, no luck.", "A person will take it from here."]


async def test_b36_a_flow_for_handoffs_that_links_to_a_handoff_does_not_go_round(
    assistant: Assistant, talk: Talk
) -> None:
    text = with_event("handoff", '{say: "One moment."}, {link: desk}')
    user = talk(assistant(text + "  desk: {steps: [{handoff: no luck}]}\n"), failing())
    assert await user.say(HumanHandoff()) == ["One moment.", "A person will take it from here."]


async def test_offer_person_has_a_flow(assistant: Assistant, talk: Talk) -> None:
    ask = '{confirm: wants, message: "Eva, perhaps?", on_deny: well}'
    steps = ask + ', {handoff: stuck}, {step: well, type: say, message: "Well."}'
    user = talk(assistant(with_event("offer_person", steps)), failing())
    invalid, stuck = "Sorry, I cannot use that here.", "I am afraid we are not getting anywhere with this."
    await user.say(StartFlow(flow="count"))
    assert await user.say(SetSlot(slot="n_", value="x")) == [invalid, stuck, "Eva, perhaps?"]
    said = await user.say(DenyConfirmation())
    assert said == ["Well.", "I could not make use of that, so I have stopped here. Nothing was done."]
    await user.say(StartFlow(flow="count"))
    await user.say(SetSlot(slot="n_", value="x"))
    assert await user.say(AffirmConfirmation()) == ["A person will take it from here."]
    packet = await packet_of(user)
    assert (packet["flow"], packet["reason"]) == ("count", "stuck")


async def test_people_cannot_ask_for_the_flow_of_an_event_unless_it_says_how(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_event("help", '{say: "Mine."}')), failing())
    assert await user.say(StartFlow(flow="mine")) == ["I cannot do that right now."]
    text = with_event("help", '{say: "Mine."}').replace("mine:\n", "mine:\n    trigger: {intents: [help me]}\n")
    user = talk(assistant(text), failing(), user_id="other")
    assert await user.say(StartFlow(flow="mine")) == ["Mine."]
    assert await user.say(Help()) == ["Mine."]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("help: bok", r"assistant\.yaml:2:\d+: 'help' names the flow 'bok', which does not exist\..*book"),
        ("helpp: book", r"assistant\.yaml:2:\d+: .*helpp.*help"),
    ],
)
def test_events_that_do_not_fit_are_told_where_they_are_written(assistant: Assistant, event: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        assistant(with_event("help", '{say: "Mine."}').replace("help: mine", event))
