"""What a customer of the banking example can do by just talking, in both languages."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta

import pytest

from soni import RuntimeLoop
from soni.actions import discover_actions
from tests.examples.test_banking import BANKING, CONFIG, UNDERSTANDING

_users = (f"talker{number}" for number in itertools.count())
ANA = "(ES91 2100 0418 4502 0005 1332)"
MARIA = "(ES66 2100 0418 4012 3456 7891)"


class Customer:
    """Talks, lets time pass, and is somebody else each time."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 15, 12)
        self.id = next(_users)
        self.loop = RuntimeLoop(
            CONFIG, actions=discover_actions(BANKING), understanding=UNDERSTANDING, clock=lambda: self.now
        )

    async def says(self, *texts: str) -> str:
        """The answer to the last of these."""
        answer = ""
        for text in texts:
            answer = await self.loop.process_message(text, user_id=self.id)
        return answer


@pytest.fixture
async def customer() -> Customer:
    customer = Customer()
    assert (await customer.loop.start(customer.id)).text == "Hello, this is your bank's assistant."
    return customer


@pytest.mark.parametrize(
    ("correction", "asked"),
    [
        ("I meant 300", f"Send €300.00 to Ana {ANA}?"),
        ("no, make it 200", f"Send €200.00 to Ana {ANA}?"),
        ("change the amount to 60", f"Send €60.00 to Ana {ANA}?"),
        ("not 50, 55", f"Send €55.00 to Ana {ANA}?"),
        ("yes, but to María", f"Send €50.00 to María {MARIA}?"),
        ("to maria", f"Send €50.00 to maria {MARIA}?"),
        ("change the recipient to María", f"Send €50.00 to María {MARIA}?"),
        ("I meant maria", f"Send €50.00 to maria {MARIA}?"),
        ("no, 200 to María", f"Send €200.00 to María {MARIA}?"),
        ("change the amount to 60 and the recipient to María", f"Send €60.00 to María {MARIA}?"),
        ("mejor 40", f"¿Envío 40,00 € a Ana {ANA}?"),
        ("no, a María, por favor", f"Send €50.00 to María {MARIA}?"),  # courtesies do not change the language
        ("mejor a María, por favor", f"¿Envío 50,00 € a María {MARIA}?"),
        ("sí, pero a María y 45 euros", f"¿Envío 45,00 € a María {MARIA}?"),
        ("no era 50, eran 65", f"¿Envío 65,00 € a Ana {ANA}?"),
    ],
)
async def test_b11_b20_b23_corrections_at_the_confirmation(customer: Customer, correction: str, asked: str) -> None:
    await customer.says("send 50 to Ana")
    answer = await customer.says(correction)
    assert answer.splitlines() == [answer.splitlines()[0], asked]
    assert answer.splitlines()[0] in ("I have changed that.", "Lo he cambiado.")


@pytest.mark.parametrize(
    "said",
    [
        "actually nothing", "mejor mañana", "no, Sorry", "rather not", "actually it's fine", "make it quick",
        "to be honest, no", "for sure", "a ver", "para el alquiler", "is there a fee of 2 euros?", "send it in 2 days",
        "change the code to 001234", "I meant 001234", "only if the fee is less than 2",
    ],
)  # fmt: skip
async def test_what_is_no_name_does_not_become_the_recipient(customer: Customer, said: str) -> None:
    await customer.says("send 50 to Ana")
    assert "changed" not in await customer.says(said)
    assert "cambiado" not in await customer.says(said)


@pytest.mark.parametrize("said", ["don't send 50 to Ana", "no quiero enviar 50 a Ana", "I don't want to block my card"])
async def test_what_is_not_wanted_is_not_begun(customer: Customer, said: str) -> None:
    await customer.says(said)
    assert (await customer.loop.get_state(customer.id))["flow_stack"] == []


@pytest.mark.parametrize("said", ["sorry, 000050", "I meant 001234", "no, 031234"])
async def test_what_is_said_to_a_secret_question_is_never_an_amount(customer: Customer, said: str) -> None:
    await customer.says("send 1500 to Ana")
    refused = "Without the right code I cannot send €1,500.00. Nothing was sent."
    assert await customer.says(said) == refused


async def test_of_two_codes_neither_is_taken(customer: Customer) -> None:
    await customer.says("send 1500 to Ana")
    assert (await customer.says("not 654321, 123456")).endswith("(In this demo it is 123456.)")
    assert (await customer.says("it says 123456")).startswith("Send €1,500.00 to Ana")


@pytest.mark.parametrize("said", ["no, cancel", "yes cancel", "can you cancel?", "sí, cancela"])
async def test_cancelling_with_a_word_before_it(customer: Customer, said: str) -> None:
    await customer.says("send 20 euros")
    assert await customer.says(said) in ("All right, I have stopped that.", "De acuerdo, lo dejo.")


async def test_b20_another_stranger_has_another_account(customer: Customer) -> None:
    await customer.says("send 20 to Bob", "GB33 BUKB 2020 1555 5555 55")
    assert (await customer.says("no, to Carol")).endswith("I do not know Carol yet. What is their IBAN?")


async def test_b20_somebody_else_does_not_get_the_account_of_the_first(customer: Customer) -> None:
    await customer.says("send 20 to Bob", "ES79 2100 0813 6101 2345 6789")
    assert (await customer.says("no, to María")).endswith(f"Send €20.00 to María {MARIA}?")


async def test_b22_corrections_while_a_called_flow_asks(customer: Customer) -> None:
    assert "6-digit code" in await customer.says("send 2000 to Ana")
    assert (await customer.says("change the recipient to María")).startswith("I have changed that.\nFor your safety")
    assert (await customer.says("change the amount to 1500")).startswith("I have changed that.\nFor your safety")
    assert await customer.says("123456") == f"Send €1,500.00 to María {MARIA}?"


async def test_b35_cancelling_the_code_is_the_transfers_business(customer: Customer) -> None:
    await customer.says("send 2000 to Ana")
    assert await customer.says("cancel") == (
        "All right, I have stopped that.\nWithout the right code I cannot send €2,000.00. Nothing was sent."
    )


async def test_b21_b8_asked_again_and_repeated(customer: Customer) -> None:
    await customer.says("envía 30 a Ana")
    assert await customer.says("cambia el importe") == "¿Cuánto quieres enviar?"
    assert await customer.says("repite, por favor") == "¿Cuánto quieres enviar?"
    assert await customer.says("35") == f"¿Envío 35,00 € a Ana {ANA}?"


async def test_b7_what_is_needed_cannot_be_skipped(customer: Customer) -> None:
    await customer.says("send 20 to Bob")
    assert await customer.says("skip it") == (
        "Without an IBAN the money would not arrive anywhere.\nI do not know Bob yet. What is their IBAN?"
    )


async def test_b25_a_bill_that_is_paid_is_paid(customer: Customer) -> None:
    assert (await customer.says("pay my water bill", "yes")).startswith("Paid.\nWhich email address")
    answer = await customer.says("I meant the phone bill")
    assert answer.startswith("That has already been done, so I cannot change it any more.\nIf the water bill was")
    assert answer.endswith("You can skip this.")


async def test_b34_cancelling_by_name(customer: Customer) -> None:
    await customer.says("send 20 to Ana")
    assert await customer.says("cancel the transfer") == "All right, I have stopped that."
    assert await customer.says("cancela la transferencia") == "No hay nada que cancelar."


async def test_b40_two_flows_that_fit_are_offered(customer: Customer) -> None:
    assert await customer.says("I need to pay something") == "Which of these do you mean?"
    assert await customer.says("the first one") == "Which bill would you like to pay?"


async def test_b41_b46_asides_come_back_to_the_question(customer: Customer) -> None:
    await customer.says("send 20 euros")
    assert await customer.says("thanks") == "You are welcome.\nWho should receive it?"
    assert (await customer.says("what can you do?")).startswith("This is what I can do:\n- ")
    assert (await customer.says("¿qué puedes hacer?")).startswith("Esto es lo que puedo hacer:\n- Consultar el saldo")


async def test_b30_b31_a_digression_from_a_digression_comes_all_the_way_back(customer: Customer) -> None:
    await customer.says("send 20 euros", "pay a bill")
    answer = await customer.says("what's my balance?")
    back = "Back to where we were: "
    bill = "Pay an electricity, water or phone bill."
    assert answer.endswith(f"{back}{bill}\nWhich bill would you like to pay?")
    assert (await customer.says("cancel")).endswith(f"{back}Send money to another person.\nWho should receive it?")


@pytest.mark.parametrize(
    ("both", "announced", "now"),
    [
        (
            "send 20 euros to Ana and block my card",
            f"Then I will take care of this: Block a card that was lost or stolen.\nSend €20.00 to Ana {ANA}?",
            "Now the next thing: Block a card that was lost or stolen.\nWhich card should I block?",
        ),
        (
            "quiero enviar 20 euros a Ana y bloquear mi tarjeta",
            f"Después me ocupo de esto: Bloquear una tarjeta perdida o robada.\n¿Envío 20,00 € a Ana {ANA}?",
            "Ahora, lo siguiente: Bloquear una tarjeta perdida o robada.\n¿Qué tarjeta bloqueo?",
        ),
    ],
)
async def test_b58_a_second_request_is_announced_and_then_begins(
    customer: Customer, both: str, announced: str, now: str
) -> None:
    assert await customer.says(both) == announced
    assert (await customer.says("no")).endswith(now)


async def test_b42_b43_nonsense_leads_to_a_person_and_back(customer: Customer) -> None:
    await customer.says("send 20 euros")
    for nonsense in ("which colour does the number seven have, I wonder?", "how is the weather over there?"):
        await customer.says(nonsense)
    assert (await customer.says("why do birds sing so loudly?")).endswith("Would you like to talk to a person?")
    assert await customer.says("yes") == "A person will take it from here."
    assert await customer.says("hello?") == ""
    handoff = await customer.loop.get_handoff(customer.id)
    assert handoff is not None
    assert handoff["flow"] == "transfer_funds"
    assert (await customer.loop.say(customer.id, "I am Eve.")).text == "I am Eve."
    turn = await customer.loop.return_to_assistant(customer.id)
    assert turn.text == "You are talking to the assistant again.\nWho should receive it?"


async def test_b53_b54_a_forgotten_payment_is_not_one_yes_away(customer: Customer) -> None:
    await customer.says("send 20 to Ana")
    customer.now += timedelta(minutes=31)
    answer = await customer.says("yes")
    assert answer.startswith("It has been a while, so I have closed what we had open.")
    assert "Done" not in answer
    await customer.says("send 20 to Ana")
    assert await customer.says("start over") == "All right, let us begin anew.\nHello, this is your bank's assistant."
    assert "Done" not in await customer.says("yes")
