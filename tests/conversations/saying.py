"""Short ways to say things in a test, and to write the slots of an assistant."""

from __future__ import annotations

from typing import Any

from soni.core.commands import AffirmConfirmation, Command, CorrectSlot, DenyConfirmation, SetSlot, StartFlow

CHANGED = "I have changed that."
DONE = "That has already been done, so I cannot change it any more."
PERSON = "Would you like to talk to a person?"
NEEDS_A_PERSON = "That was done, but something went wrong afterwards. A person will look into it."
YES = AffirmConfirmation()
NO = DenyConfirmation()


def start(flow: str, **values: Any) -> Command:
    """Ask for a flow, with what it needs."""
    return StartFlow(flow=flow, slots=values)


def put(slot: str, value: Any) -> Command:
    """Say a value."""
    return SetSlot(slot=slot, value=value)


def correct(slot: str, value: Any = None) -> Command:
    """Say another value than before; None takes the value back."""
    return CorrectSlot(slot=slot, value=value)


def with_slots(texts: str, flows: str, **others: str) -> str:
    """An assistant with these slots of type text, a confirmation's `ok`, the others as written, and the flows."""
    written = dict.fromkeys(texts.split(), "type: text") | {"ok": "type: boolean"} | others
    return "slots:\n" + "".join(f"  {name}: {{{how}}}\n" for name, how in written.items()) + "flows:" + flows
