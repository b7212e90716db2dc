"""What must never be read into a message: a yes that is none, a value that was not meant, an act that was none."""

from __future__ import annotations

from typing import Any

import pytest

from soni.core.commands import AffirmConfirmation
from tests.du.test_local import AMOUNT, RECIPIENT, REVIEW, meant, read

BILL = {"flow": "pay_bill", "filled": {"biller": "water"}, "asked": None}
BLOCK = {"flow": "block_card", "filled": {"card": "debit", "block_reason": "lost"}, "asked": None}
DROP = {"flow": "cancel_booking", "filled": {"guest_name": "Eva"}, "asked": None}

NO_YES = """
yes, 200|yes make it 200 euros|ok 20|vale, 60 euros|yes I mean 60|yes, the amount is 60|yes, María|ok maria
yes I meant María|sí, el destinatario es María|yes tomorrow|send it tomorrow|send it in 2 days|hazlo mañana
envíalo el lunes|yes from savings|yes, every month|ok hang on|yes hold it|ok let me check|vale, un momento
yes, hmm|yes just kidding|yes scratch that|ok I won't do it|yes I can't|absolutely cannot|ok i refuse
sí, ni loco|ok nothing|ok 👎|yes ❌|ok let's cancel|vale, lo dejamos|sí, vamos a cancelarlo|ok leave it|sí, páralo
yes undo it|ok bye|sí, cámbialo|ok fix it|yes double it|yes check it first|yes I need help|yes I have a question
ok tell me the fee|yes is it free|ok are you sure|yes repeat that|yes, that was a mistake|good question
good morning|correct the amount|right now I can't|right, the amount is off|confirm with Ana first|why not María
let's go with 60|sure looks like fraud|fine I'll do it myself|i accept nothing|si es gratis|si hay saldo
eso es un error|sale muy caro|bueno, depende|venga ya|todo bien menos el importe|all good besides the amount
looks good apart from the amount|ok don’t send it|yes, don’t|Yes, the name is right. But the amount is wrong.
Yes do it now. No wait, cancel|Yes now. Actually no|Yes. This looks like a scam to me.
yes, I want to think about it for a while|yes, provided that it is free|sí, cuando cobre
sure, over my dead body my friend|yes, first show me my balance|yes, when I get paid|cierro|clare|fife euros
you sure|tira eso|ok...|bueno...
adelanto 60|ok i wont send it|yes?|ok what is the fee?|yes to what?|yes but|not yes|I said no, yes?|yes and no
yes? no|ok? are you sure|yes? María|sí? espera|yes? yes but 60|vale? no lo sé
"""


@pytest.mark.parametrize("message", [one for line in NO_YES.split("\n") for one in line.split("|") if one])
async def test_a_careful_person_would_not_pay_on_this(message: str) -> None:
    assert AffirmConfirmation() not in (await read(message, REVIEW)).commands


@pytest.mark.parametrize(
    ("message", "where", "example"),
    [
        ("yes, the phone bill", BILL, "banking"), ("sí, la luz", BILL, "banking"),
        ("yes already paid", BILL, "banking"),
        ("yes, pay the phone bill", BILL, "banking"), ("sí, ya lo pagué", BILL, "banking"),
        ("yes, the credit card", BLOCK, "banking"), ("great news, I found it", BLOCK, "banking"),
        ("yes unblock it", BLOCK, "banking"), ("ok stop", DROP, "restaurant"), ("ok keep it", DROP, "restaurant"),
        ("ok forget it", DROP, "restaurant"), ("vale, déjalo", DROP, "restaurant"),
        ("sí, mantenla", DROP, "restaurant"),
        ("sí vamos", DROP, "restaurant"), ("good, it works", BLOCK, "banking"), ("yes it works", BLOCK, "banking"),
        ("ok don’t cancel", DROP, "restaurant"), ("ok, stop cancelling it", DROP, "restaurant"),
    ],
)  # fmt: skip
async def test_nor_do_anything_else(message: str, where: dict[str, Any], example: str) -> None:
    assert AffirmConfirmation() not in (await read(message, where, example)).commands


async def test_what_is_not_read_to_its_end_is_no_yes() -> None:
    long = "yes. " + "it is a lovely day. " * 40 + "but do not send it"
    assert AffirmConfirmation() not in (await read(long, REVIEW)).commands
    polite = "yes " + "please " * 80 + "but do not send it"
    assert AffirmConfirmation() not in (await read(polite, REVIEW)).commands


CARD = {"flow": "block_card", "filled": {}, "asked": "card"}
BILLER = {"flow": "pay_bill", "filled": {}, "asked": "biller"}
REASON = {"flow": "block_card", "filled": {"card": "debit"}, "asked": "block_reason"}


@pytest.mark.parametrize(
    ("message", "where", "wrong"),
    [
        ("credit not debit", CARD, "debit"), ("phone, not water", BILLER, "water"),
        ("el de la luz no", BILLER, "electricity"),
        ("it was not lost, it was stolen", REASON, "lost"), ("it was not stolen", REASON, "stolen"),
        ("no la he perdido", REASON, "lost"), ("Ana, not Bob", RECIPIENT, "Bob"), ("not Bob, Ana", RECIPIENT, "Bob"),
        ("anyone but Ana", RECIPIENT, "Ana"), ("two fifty", AMOUNT, "two"), ("2 payments of 50", AMOUNT, "2"),
        ("three payments of 20", AMOUNT, "three"), ("10 euros less", REVIEW, "10 euros"),
        ("not María", REVIEW, "María"),
        ("the fee is 2 euros", REVIEW, "2 euros"), ("I don't know", RECIPIENT, "I don't know"),
        ("wait", RECIPIENT, "wait"), ("nobody", RECIPIENT, "nobody"), ("60", RECIPIENT, "60"),
        ("espera", RECIPIENT, "espera"),
        ("send not 50 but 60 to Ana", None, "50"), ("send 50 to Ana tomorrow", None, "Ana tomorrow"),
        ("envía 50 a Ana de mi cuenta", None, "Ana de mi cuenta"),
        ("send 50 to Ana and 20 to Bob", None, "Ana and 20 to Bob"), ("the waiter", BILLER, "water"),
        ("le debo 80 a Ana, mándale 50", None, "80"),
    ],
)  # fmt: skip
async def test_what_was_not_meant_is_never_a_value(message: str, where: Any, wrong: str) -> None:
    values = [command.model_dump().get("value") for command in (await read(message, where)).commands]
    assert wrong not in values


@pytest.mark.parametrize(
    "name",
    ["José Luis Rodríguez de la Fuente", "María del Mar", "Juan de Dios", "Vincent van Gogh", "Domingo Pérez", "May",
     "Dolores", "Paz", "Julio Mar", "Mrs Papadopoulos", "Bill"],
)  # fmt: skip
async def test_a_name_is_taken_whole(name: str) -> None:
    assert await meant(name, RECIPIENT) == [{"set_slot": {"recipient": name}}]


COMMENT = {"flow": "leave_review", "filled": {"stars": 2}, "asked": "comment"}


@pytest.mark.parametrize(
    "message",
    ["stop putting so much salt in the soup", "todo perfecto", "desde el principio todo mal",
     "we will be back for more",
     "la persona que nos atendió, genial", "drop the loud music please", "I had to wait forever to talk to the waiter",
     "the table was too small", "the menu is boring", "deja de poner tanta sal", "thanks for the lovely evening"],
)  # fmt: skip
async def test_whatever_a_person_wants_to_tell_is_told(message: str) -> None:
    (command,) = await meant(message, COMMENT, "restaurant")
    assert list(command) == ["set_slot"]
    assert "comment" in command["set_slot"]


@pytest.mark.parametrize(
    ("message", "where", "act"),
    [
        ("todo", AMOUNT, "cancel_flow"), ("what", AMOUNT, "help"), ("my agent", RECIPIENT, "human_handoff"),
        ("I forgot his IBAN", {"flow": "transfer_funds", "filled": {"amount": 5, "recipient": "Ana"}, "asked": "iban"},
         "cancel_flow"),
        ("cerca de un cedro", {"flow": "block_card", "filled": {"card": "debit"}, "asked": "incident"}, "restart"),
        ("I forgot it on the bus", {"flow": "block_card",
     "filled": {"card": "debit"}, "asked": "incident"}, "cancel_flow"),
    ],
)  # fmt: skip
async def test_an_act_is_not_read_into_other_words(message: str, where: dict[str, Any], act: str) -> None:
    assert all(act not in command for command in await meant(message, where))
