"""Commands: typed, registered, the same after a trip through JSON."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest

from soni.core.commands import COMMANDS, Command, CorrectSlot, SetSlot, StartFlow, UnknownCommand, load, register
from soni.core.values.money import Money
from soni.dm.orchestrator.commands import handlers_by_command
from soni.errors import SoniError


@pytest.mark.parametrize(
    "command",
    [
        StartFlow(flow="a", slots={"n": 1}),
        SetSlot(slot="a", value=0),
        SetSlot(slot="a", value=False),
        CorrectSlot(slot="a"),
    ],
)
def test_a_command_survives_json(command: Command) -> None:
    assert load(json.loads(json.dumps(command.dump()))) == command


def test_values_of_slot_types_become_what_their_slots_can_read() -> None:
    assert SetSlot(slot="a", value=Money(5, "EUR")).dump()["value"] == {"amount": "5.00", "currency": "EUR"}
    assert SetSlot(slot="a", value=date(2026, 1, 2)).dump()["value"] == "2026-01-02"
    assert SetSlot(slot="a", value=Decimal("1.5")).dump()["value"] == "1.5"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"type": "set_slto"}, "Did you mean 'set_slot'"),
        ({}, "no command 'None'"),
        ({"type": "set_slot"}, "Field required"),
        ({"type": "start_flow", "flow": 3}, "string"),
        ({"type": "cancel_flow", "extra": 1}, "Extra"),
    ],
)
def test_what_is_no_command_is_refused_with_the_reason(data: dict[str, object], reason: str) -> None:
    with pytest.raises(UnknownCommand, match=reason):
        load(data)


def test_a_command_nobody_handles_fails_at_the_start() -> None:
    @register
    class OrderPizza(Command):
        """Order a pizza."""

    try:
        with pytest.raises(SoniError, match="no handler for the command 'order_pizza'"):
            handlers_by_command()
    finally:
        del COMMANDS["order_pizza"]
