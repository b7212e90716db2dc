"""Commands and handlers of an assistant's own."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from soni import RuntimeLoop
from soni.core import commands
from soni.core.commands import COMMANDS, Command, OutOfScope, SetSlot, StartFlow, StartSession, Trouble
from soni.core.pending_task import inform
from soni.core.state import DialogueState
from soni.dm.orchestrator.commands import CommandHandler, OutOfScopeHandler
from soni.du.context import DialogueContext
from soni.du.understanding import Understood
from soni.errors import SoniError
from soni.flow.delta import FlowDelta
from soni.runtime.context import RuntimeContext
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

SORRY = "Sorry, I did not understand that, or it is not something I can help with."
TROUBLE = "Sorry, I have trouble understanding anything just now. Please say it again in a moment."

TRIP = """
    slots: {city: {type: text}, pin: {type: text, sensitive: true}}
    flows:
      book: {steps: [{collect: city, message: "Where to?"}, {collect: pin, message: "PIN?"}, {say: "To {city}."}]}
      weather: {steps: [{say: "Sunny."}]}
"""


class CallTaxi(Command):
    """Get me a taxi."""

    to: str
    when: date | None = None
    value: int = 0


class CallTaxiHandler(CommandHandler[CallTaxi]):
    """Say that one comes."""

    command = CallTaxi

    async def handle(self, command: CallTaxi, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return FlowDelta(tasks=(inform(f"A taxi to {command.to}, {command.when}."),))


async def test_a_command_of_ones_own_works(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), command_handlers=[CallTaxiHandler()])
    assert await user.say(CallTaxi(to="Oslo")) == ["A taxi to Oslo, None."]
    await user.say(StartFlow(flow="book"))
    ride = CallTaxi(to="home", when=date(2026, 5, 4))
    assert await user.say(ride) == ["A taxi to home, 2026-05-04.", "Where to?"]
    assert user.last is not None
    assert user.last.commands == (ride,)
    assert user.last.explain.commands[0].command == {"type": "call_taxi", "to": "home", "when": "2026-05-04"}


async def test_the_understanding_is_told_of_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), command_handlers=[CallTaxiHandler()])
    await user.say(CallTaxi(to="Oslo"))
    known = user.understanding.contexts[-1].commands
    assert known["call_taxi"] is CallTaxi
    assert "set_slot" in known
    assert not {"start_session", "return_to_assistant", "trouble"} & set(known), "no message can mean these"


async def test_another_assistant_knows_nothing_of_it(assistant: Assistant, talk: Talk) -> None:
    config = assistant(TRIP)
    talk(config, command_handlers=[CallTaxiHandler()])
    other = talk(config)
    assert await other.say(CallTaxi(to="Oslo")) == [TROUBLE]
    assert "call_taxi" not in other.understanding.contexts[-1].commands
    assert "call_taxi" not in COMMANDS


class Curt(OutOfScopeHandler):
    """Another way to say that something was not understood."""

    async def handle(self, command: OutOfScope, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return FlowDelta(tasks=(inform("What?"),), trace=({"event": "out_of_scope", "why": "curt"},))


async def test_a_handler_of_a_built_in_command_can_be_replaced(assistant: Assistant, talk: Talk) -> None:
    config = assistant(TRIP)
    user = talk(config, command_handlers=[Curt()])
    await user.say(StartFlow(flow="book"))
    assert await user.say(OutOfScope()) == ["What?", "Where to?"]
    assert await user.say() == ["What?", "Where to?"]
    assert await user.say(OutOfScope()) == ["What?", "Would you like to talk to a person?"]
    assert await talk(config, user_id="other").say(OutOfScope()) == [SORRY]


def test_a_registered_command_that_nobody_handles_fails_at_the_start(assistant: Assistant) -> None:
    config = assistant(TRIP)
    try:
        commands.register(CallTaxi)
        with pytest.raises(SoniError, match=r"no handler for the command 'call_taxi'\. Pass one to RuntimeLoop"):
            RuntimeLoop(config)
        RuntimeLoop(config, command_handlers=[CallTaxiHandler()])
    finally:
        COMMANDS.pop("call_taxi", None)
    RuntimeLoop(config)


def test_two_commands_of_one_name_are_refused(assistant: Assistant) -> None:
    class Repeat(Command):
        """Say it again, Sam."""

    class RepeatHandler(CommandHandler[Repeat]):
        command = Repeat

        async def handle(self, command: Repeat, state: DialogueState, context: RuntimeContext) -> FlowDelta:
            return FlowDelta()

    with pytest.raises(SoniError, match=r"two commands named 'repeat'\. Give one of the classes another name"):
        RuntimeLoop(assistant(TRIP), command_handlers=[RepeatHandler()])


class Unheard(Command):
    """Nobody knows it."""


@pytest.mark.parametrize("command", [StartSession(), Trouble(), Unheard()])
async def test_b44_a_command_that_no_message_can_mean_is_a_failure_of_the_understanding(
    assistant: Assistant, talk: Talk, command: Command
) -> None:
    config = assistant("settings: {start_flow: weather}" + TRIP.replace("\n    ", "\n"))
    user = talk(config)
    await user.say(StartFlow(flow="book"))
    assert await user.say(command) == [TROUBLE, "Where to?"]
    assert user.last is not None
    assert user.last.error is None
    assert [one.by for one in user.last.explain.commands] == ["nobody"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["PIN?"]


class Careless:
    """Gives back what is no command at all."""

    def __init__(self) -> None:
        self.answer: Any = None

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        if self.answer == "nothing":
            return None  # type: ignore[return-value]  # on purpose
        return Understood.of([self.answer], by="careless")


@pytest.mark.parametrize("answer", ["nothing", None, {"type": "cancel_flow"}, SetSlot(slot="city", value=object())])
async def test_b44_what_is_no_command_at_all_is_a_failure_too(assistant: Assistant, talk: Talk, answer: Any) -> None:
    understanding = Careless()
    understanding.answer = StartFlow(flow="book")
    user = talk(assistant(TRIP), understanding=understanding)
    await user.say()
    understanding.answer = answer
    assert await user.say(text="?!") == [TROUBLE, "Where to?"]
    assert user.last is not None
    assert user.last.error is None


class BookTable(Command):
    """A command whose fields have the names that slots' commands use, and other types."""

    slot: int = 0
    slots: int = 0
    value: int = 0


class BookTableHandler(CommandHandler[BookTable]):
    command = BookTable

    async def handle(self, command: BookTable, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return FlowDelta(tasks=(inform("A table."),))


async def test_a_command_may_call_its_fields_what_it_likes(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), command_handlers=[BookTableHandler()])
    assert await user.say(BookTable(slots=2)) == ["A table."]
    assert user.last is not None
    assert user.last.error is None
    assert await user.say(BookTable(slot=2, value=3)) == ["A table."]


async def test_a_command_of_ones_own_at_a_sensitive_question_ends_the_turn_well(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(TRIP), command_handlers=[CallTaxiHandler()])
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(CallTaxi(to="Oslo", value=7)) == ["A taxi to Oslo, None.", "PIN?"]
    assert user.last is not None
    assert user.last.error is None


async def test_what_is_said_to_a_sensitive_question_is_masked_whatever_it_is_taken_for(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(TRIP), command_handlers=[CallTaxiHandler()])
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    await user.say(CallTaxi(to="quiz"), text="quiz")
    assert user.last is not None
    assert "quiz" not in str(user.last.explain)
    assert "quiz" not in str((await user.state())["commands"])


class Chatty(CommandHandler[CallTaxi]):
    """Leaves a trace with more in it than the framework's own."""

    command = CallTaxi

    async def handle(self, command: CallTaxi, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return FlowDelta(tasks=(inform("Yes."),), trace=({"event": "taxi", "why": "asked for", "to": command.to},))


async def test_b55_a_handlers_own_trace_can_be_explained(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), command_handlers=[Chatty()])
    assert await user.say(CallTaxi(to="Oslo")) == ["Yes."]
    assert user.last is not None
    assert [event.event for event in user.last.explain.events] == ["taxi"]


class StartsWeather(CommandHandler[CallTaxi]):
    """Starts a flow, as built-in handlers do."""

    command = CallTaxi

    async def handle(self, command: CallTaxi, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return context.flow_manager.handle_intent_change(state, "weather")


async def test_a_handler_can_change_the_flows(assistant: Assistant, talk: Talk) -> None:
    user: Conversation = talk(assistant(TRIP), command_handlers=[StartsWeather()])
    await user.say(StartFlow(flow="book"))
    assert await user.say(CallTaxi(to="Oslo")) == ["Sunny.", "Back to where we were: book.", "Where to?"]


class Faulty(CommandHandler[CallTaxi]):
    command = CallTaxi

    async def handle(self, command: CallTaxi, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        raise RuntimeError("a mistake")


async def test_a_handler_that_fails_costs_one_turn(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), command_handlers=[Faulty()])
    await user.say(StartFlow(flow="book"))
    assert await user.say(CallTaxi(to="Oslo")) == ["Sorry, something went wrong on my side. Please try again."]
    assert user.last is not None
    assert "a mistake" in str(user.last.explain)
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["PIN?"]
