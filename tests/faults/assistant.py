"""The assistant that is killed in these tests, and a witness outside of it: a file that its actions append to."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from soni import ActionContext, Actions, SoniConfig
from soni.config.loader import read_config
from soni.core.commands import AffirmConfirmation, Command, OutOfScope, SetSlot, StartFlow
from soni.core.message_sink import Message, MessageSink
from soni.du.context import DialogueContext
from soni.du.understanding import Understood
from soni.store.fail_points import passed

NOON = datetime(2026, 3, 2, 12)
USER = "ana"
TURNS = ("send", "100", "Ana", "yes", "what is left?")

YAML = """
slots:
  amount: {type: text}
  recipient: {type: text}
  sure: {type: boolean}
  reference: {type: text, source: system}
  left: {type: text, source: system}
flows:
  transfer:
    description: Send money
    trigger: {intents: [send]}
    steps:
      - {collect: amount, message: "How much?"}
      - {collect: recipient, message: "To whom?"}
      - {step: look, type: action, call: look_up}
      - {step: review, type: confirm, slot: sure, message: "Send {amount} to {recipient}?"}
      - {step: pay, type: action, call: pay, map_outputs: {id: reference}, on_unknown: unsure, on_error: sorry}
      - {step: note, type: action, call: note}
      - {step: done, type: say, message: "Done: {reference}.", jump_to: end}
      - {step: unsure, type: say, message: "I do not know whether it went through.", jump_to: end}
      - {step: sorry, type: say, message: "It did not go through."}
  balance:
    description: What is left
    trigger: {intents: [balance]}
    steps:
      - {step: look, type: action, call: look_up, map_outputs: {left: left}}
      - {step: tell, type: say, message: "{left} is left."}
"""


def config(folder: Path) -> SoniConfig:
    """The assistant."""
    file = folder / "assistant.yaml"
    file.write_text(YAML, encoding="utf-8")
    found, problems = read_config(file)
    assert found is not None, problems
    return found


class Witness:
    """A file that only grows, and that no database knows of."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def write(self, line: str) -> None:
        """Add a line, at once and whole."""
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{line}\n".encode())
        os.close(descriptor)

    def lines(self, start: str = "") -> list[str]:
        """What was seen."""
        seen = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []
        return [line for line in seen if line.startswith(start)]


def actions(witness: Witness) -> Actions:
    """Actions of every class, which the witness sees."""
    registry = Actions()

    @registry.register("look_up", effect="pure")
    async def look_up() -> dict[str, str]:
        witness.write("looked")
        return {"left": "42"}

    @registry.register("pay", effect="once")
    async def pay(amount: str, recipient: str, context: ActionContext) -> dict[str, str]:
        passed("before paying")
        witness.write(f"paid {amount} {recipient} {context.idempotency_key}")
        passed("after paying")
        await context.inform("Sent…")
        return {"id": "T1"}

    @registry.register("note", effect="idempotent")
    async def note(reference: str, context: ActionContext) -> None:
        witness.write(f"noted {reference} {context.idempotency_key}")

    return registry


class Script:
    """What each message means; the witness sees how often it was asked."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        self._witness.write(f"understood {message}")
        meaning: dict[str, Command] = {
            "send": StartFlow(flow="transfer"),
            "yes": AffirmConfirmation(),
            "what is left?": StartFlow(flow="balance"),
        }
        if message in meaning:
            return Understood.of([meaning[message]], by="script")
        slot = context.asked
        return Understood.of([SetSlot(slot=slot, value=message) if slot else OutOfScope()], by="script")


class WitnessSink(MessageSink):
    """A person who writes down everything they hear."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    async def send(self, message: Message) -> None:
        self._witness.write(f"heard {message.id} {message.sequence} {message.text}")
