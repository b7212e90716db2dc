"""The banking example, talked to in words, in its languages, through the offline understanding."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from soni import RuntimeLoop, load_config
from soni.actions import discover_actions
from soni.du.local.understanding import LocalUnderstanding

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"
CONFIG = load_config(BANKING)
UNDERSTANDING = LocalUnderstanding(CONFIG)
_users = itertools.count()

Say = Callable[[str], Awaitable[str]]


@pytest.fixture
async def say() -> Say:
    loop = RuntimeLoop(CONFIG, actions=discover_actions(BANKING), understanding=UNDERSTANDING)
    user = f"user{next(_users)}"

    await loop.start(user)

    async def one(text: str) -> str:
        return await loop.process_message(text, user_id=user)

    return one


async def test_a_transfer_with_a_balance_question_in_the_middle(say: Say) -> None:
    assert await say("I'd like to send some money") == "How much would you like to send?"
    assert await say("100 euros") == "Who should receive it?"
    answer = await say("what's my balance?")
    assert "€2,345.67" in answer
    assert answer.endswith("Back to where we were: Send money to another person.\nWho should receive it?")
    assert await say("to Ana, please") == "Send €100.00 to Ana (ES91 2100 0418 4502 0005 1332)?"
    assert "how much" not in (await say("how much do I have?")).splitlines()[-1]
    assert "Done. Ana receives €100.00." in await say("yes, go ahead")
    assert "€2,245.67" in await say("how much do I have?")


async def test_everything_in_one_sentence(say: Say) -> None:
    assert (await say("transfer 250 euros to Ana")).startswith("Send €250.00 to Ana")
    assert await say("no") == "All right. Nothing was done."
    assert (await say("Envía 30 € a Juan Pérez por favor")).startswith("¿Envío 30,00 € a Juan Pérez")
    assert await say("no, déjalo") == "De acuerdo, lo dejo."


async def test_a_stranger_needs_an_iban_that_is_one(say: Say) -> None:
    await say("send 20 euros to Bob")
    assert (await say("ES00 1234")).startswith("That is not a valid IBAN.")
    assert (await say("GB33 BUKB 2020 1555 5555 55")).startswith("Send €20.00 to Bob (GB33")


async def test_large_sums_need_the_code(say: Say) -> None:
    assert "6-digit code" in await say("send 1500 euros to Ana")
    assert (await say("12")).startswith("The code has six digits.")
    assert (await say("123456")).startswith("Send €1,500.00 to Ana")
    assert "Done." in await say("sí")  # a word that people borrow does not change the language


async def test_a_wrong_code_sends_nothing(say: Say) -> None:
    await say("send 1500 euros to Ana")
    assert "Nothing was sent." in await say("999999")
    assert "€2,345.67" in await say("check my balance")


async def test_what_is_not_there_cannot_be_sent(say: Say) -> None:
    assert "has only €2,345.67" in await say("send 9000 euros to Ana")


async def test_a_changed_amount_at_the_confirmation_is_confirmed_anew(say: Say) -> None:
    await say("send 100 euros to Ana")
    assert (await say("no, make it 200 euros")).endswith("Send €200.00 to Ana (ES91 2100 0418 4502 0005 1332)?")
    assert "Ana receives €200.00" in await say("ok")


async def test_a_new_transfer_said_at_the_confirmation_changes_all_of_it(say: Say) -> None:
    await say("send 100 to ana")
    assert (await say("send 50 to María")).endswith("Send €50.00 to María (ES66 2100 0418 4012 3456 7891)?")


async def test_the_digits_of_an_iban_are_not_an_amount(say: Say) -> None:
    await say("send 100 to ana")
    answer = await say("change the iban to ES79 2100 0813 6101 2345 6789")
    assert answer.endswith("Send €100.00 to ana (ES79 2100 0813 6101 2345 6789)?")


async def test_a_bare_number_at_a_confirmation_is_unclear(say: Say) -> None:
    await say("send 100 to ana")
    assert (await say("3")).endswith("Send €100.00 to ana (ES91 2100 0418 4502 0005 1332)?")


async def test_the_language_stays_until_another_is_shown(say: Say) -> None:
    assert (await say("envía 50 a ana")).startswith("¿Envío")
    assert (await say("no")).startswith("De acuerdo")
    assert (await say("Quiero hacer una transferencia")).startswith("¿Cuánto")
    assert (await say("100")).startswith("¿A quién")
    assert (await say("a Ana")).startswith("¿Envío")
    assert "Done." in (await say("yes, go ahead"))


@pytest.mark.parametrize(
    "text",
    [
        "ok no", "yes please cancel it", "sure, but not now", "sí, pero no a ella", "vale, espera", "yes to what?",
        "yes?", "ok what is the fee?", "yes if there is no fee", "right person?", "yes I don't want that",
        "claro que no", "fine, cancel it", "ok wait", "sure, don't do it", "yes no", "vale, pero no lo hagas",
        "right now I don't want that", "perfecto, cancela la operación", "ok forget the transfer", "mejor no", "nope",
        "correct amount, wrong person", "no gracias", "ni hablar", "yes but not now", "hmm", "what?", "¿seguro?",
    ],
)  # fmt: skip
async def test_nothing_but_a_yes_is_a_yes(say: Say, text: str) -> None:
    await say("send 100 euros to Ana")
    assert "Done" not in await say(text)
    await say("cancel")
    await say("cancel")
    assert "2,345.67" in (await say("how much do I have?")).replace("2.345,67", "2,345.67")


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes!", "yep", "sure", "ok", "go ahead", "yes, please", "confirm", "sí", "si", "vale", "dale",
     "claro que sí", "por supuesto", "de acuerdo, adelante", "Sí, hazlo", "va"],
)  # fmt: skip
async def test_a_yes_in_many_words(say: Say, text: str) -> None:
    await say("send 100 euros to Ana")
    answer = await say(text)
    assert "Done." in answer or "Hecho." in answer


async def test_other_currencies_are_refused(say: Say) -> None:
    assert (await say("send 100 dollars to Ana")).startswith("I can send between")


@pytest.mark.parametrize("word", ["cancel", "never mind", "cancela", "olvídalo", "déjalo", "Stop!"])
async def test_cancelling_in_words(say: Say, word: str) -> None:
    await say("send money")
    assert await say(word) in ("All right, I have stopped that.", "De acuerdo, lo dejo.")


async def test_a_card_is_blocked(say: Say) -> None:
    assert (await say("Me han robado la tarjeta")).startswith("¿Qué tarjeta bloqueo?")
    assert "Puedes saltarte esta pregunta" in await say("la de crédito")
    assert await say("no, gracias") == "¿Bloqueo definitivamente tu tarjeta de crédito (robada)?"
    assert await say("sí, por favor") == "Tu tarjeta de crédito está bloqueada. Ya te enviamos una nueva."


async def test_a_bill_is_paid_once(say: Say) -> None:
    assert "€63.40" in await say("pay my electricity bill")
    assert (await say("yes")).startswith("Paid.\nWhich email address")
    assert await say("skip it") == "Thank you."
    assert "nothing to pay" in await say("pay my electricity bill")


async def test_movements_are_listed(say: Say) -> None:
    assert "Supermarket" in await say("show me my latest transactions")
    assert "Tus últimos movimientos" in await say("¿cuáles son mis últimos movimientos?")


@pytest.mark.parametrize("text", ["what's the weather like?", "tell me a joke", "¿quién ganó el partido?", "asdf"])
async def test_what_it_cannot_do_it_says(say: Say, text: str) -> None:
    answer = await say(text)
    assert "I did not get that" in answer or "no lo he entendido" in answer


async def test_a_called_flow_cannot_be_asked_for(say: Say) -> None:
    answer = await say("security check")
    assert "6-digit" not in answer


async def test_a_transfer_and_a_lost_card_in_portuguese(say: Say) -> None:
    review = "Posso enviar {} para Ana (ES91 2100 0418 4502 0005 1332)?"
    assert await say("quero mandar 50 euros pra Ana") == review.format("€ 50,00")
    assert (await say("não, 60")).endswith(review.format("€ 60,00"))
    assert "€ 2.345,67" in await say("quanto tenho na conta?")
    assert "Ana vai receber € 60,00." in await say("sim, pode mandar")
    assert await say("perdi meu cartão de crédito") == (
        "Onde e quando aconteceu? Se preferir, pode pular esta pergunta."
    )
    assert (await say("no metrô ontem à noite")).startswith("Posso bloquear em definitivo o seu cartão de crédito")
    assert await say("n quero") == "Tudo bem. Nada foi feito."


@pytest.mark.parametrize(
    "said",
    [
        "se tiver saldo", "n confirmo", "sim, mas espera", "no sábado", "mas só amanhã", "sim se for hoje", "talvez",
        "pode ser que sim", "já disse que não", "claro que não", "confirma o IBAN?", "depois eu mando", "si hay saldo",
    ],
)  # fmt: skip
async def test_nothing_is_sent_in_portuguese_without_a_yes(say: Say, said: str) -> None:
    await say("quero mandar 50 euros pra Ana")
    assert "Pronto." not in await say(said)
