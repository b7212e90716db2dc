"""The assistant that is served in these tests, and what its messages mean."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from soni import ActionContext, Actions, SoniConfig
from soni.config.loader import read_config
from soni.core.commands import (
    AffirmConfirmation,
    Command,
    DenyConfirmation,
    HumanHandoff,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from soni.du.context import DialogueContext
from soni.du.understanding import Understood, Usage
from tests.faults.assistant import Witness

YAML = """
settings: {name: Test Bank}
slots:
  amount: {type: text}
  recipient: {type: choice, options: {ana: {label: Ana}, luis: {label: Luis}}}
  sure: {type: boolean}
  pin: {type: text, sensitive: true}
  reference: {type: text, source: system}
  logged_in: {type: boolean, scope: conversation, source: system}
flows:
  welcome:
    steps:
      - {step: hello, type: say, message: {en: "Hello.", es: "Hola."}}
  transfer:
    description: Send money
    trigger: {intents: [send]}
    steps:
      - {collect: amount, message: "How much?"}
      - {collect: recipient, message: "To whom?"}
      - {step: review, type: confirm, slot: sure, message: "Send {amount} to {recipient}?"}
      - {step: pay, type: action, call: pay, map_outputs: {id: reference}, on_unknown: unsure}
      - {step: done, type: say, message: "Done: {reference}.", jump_to: end}
      - {step: unsure, type: say, message: "I do not know whether it went through."}
  card:
    description: Unblock a card
    trigger: {intents: [card]}
    steps:
      - {collect: pin, message: "Your PIN?"}
      - {step: done, type: say, message: "Unblocked."}
  guarded:
    description: Let somebody in
    trigger: {intents: [guarded]}
    steps:
      - {collect: pin, message: "Your PIN?"}
      - {step: wait, type: action, call: wait}
      - {step: done, type: say, message: "Let in."}
  slow:
    description: Take a while
    trigger: {intents: [slow]}
    steps:
      - {step: first, type: say, message: "One moment."}
      - {step: wait, type: action, call: wait}
      - {step: done, type: say, message: "There."}
  many:
    description: Say a lot
    trigger: {intents: [many]}
    steps:
      - {step: one, type: say, message: "One."}
      - {step: two, type: say, message: "Two."}
      - {step: three, type: say, message: "Three."}
  flood:
    description: Say more than anybody reads
    trigger: {intents: [flood]}
    steps:
      - {step: lot, type: say, message: "LONG"}
  vault:
    description: Open the vault
    trigger: {intents: [vault]}
    if: logged_in
    steps:
      - {step: open, type: say, message: "Open."}
  broken:
    description: Fail
    trigger: {intents: [broken]}
    steps:
      - {step: fail, type: action, call: fail}
"""


def config(*, greets: bool = False) -> SoniConfig:
    """The assistant."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "assistant.yaml"
        text = YAML.replace("LONG", "x" * 50_000)
        file.write_text(text.replace("Bank}", "Bank, start_flow: welcome}") if greets else text, encoding="utf-8")
        found, problems = read_config(file)
    assert found is not None, problems
    return found


class Gate:
    """Lets a test hold an action for as long as it wants."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()


def actions(witness: Witness, gate: Gate) -> Actions:
    """Its actions; the witness sees payments, and `wait` waits for the gate."""
    registry = Actions()

    @registry.register("pay", effect="once")
    async def pay(amount: str, recipient: str, context: ActionContext) -> dict[str, str]:
        witness.write(f"paid {amount} {recipient}")
        await context.inform("Sending…")
        return {"id": "T1"}

    @registry.register("wait", effect="pure")
    async def wait() -> None:
        gate.reached.set()
        await gate.open.wait()

    @registry.register("fail", effect="pure")
    async def fail(pin: str | None = None) -> None:
        raise ValueError("the mainframe said no")

    return registry


class Script:
    """What each message means."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        flows = ("card", "guarded", "slow", "many", "vault", "broken", "flood")
        starts = {"send": "transfer", **{flow: flow for flow in flows}}
        meaning: dict[str, Command] = {
            "yes": AffirmConfirmation(),
            "no": DenyConfirmation(),
            "a person, please": HumanHandoff(),
            **{word: StartFlow(flow=flow) for word, flow in starts.items()},
        }
        command = meaning.get(message)
        if command is None:
            command = SetSlot(slot=context.asked, value=message) if context.asked else OutOfScope()
        usage = Usage(1, 30, 5, 0.01) if message == "many" else Usage()
        return Understood((*Understood.of([command], by="script").found,), by="script", usage=usage)
