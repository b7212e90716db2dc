"""What people say every day, and what was misread once."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from soni import SoniConfig
from soni.core.commands import AffirmConfirmation
from soni.core.pending_task import collect
from soni.du.local.merging import _meant_once
from soni.du.local.spans import Span
from soni.du.local.understanding import LocalUnderstanding
from soni.evaluation.labelled import Labelled, Place, label_of
from tests.contracts.test_understandings import context
from tests.du.test_local import AMOUNT, BANKING, DAY, GUESTS, LOCAL, RECIPIENT, REVIEW, TRANSFER, meant, place, read
from tests.du.test_local_dangers import BILL, CARD, DROP, REASON

NOW = datetime(2026, 11, 15, 12)
CODE = {"flow": "security_check", "filled": {"amount": 4000, "recipient": "Ana"}, "asked": "code"}
IBAN = {"flow": "transfer_funds", "filled": {"amount": 50, "recipient": "Bo"}, "asked": "iban"}
STOLEN = {"flow": "block_card", "filled": {"card": "debit", "block_reason": "stolen"}, "asked": None}
INCIDENT = {"flow": "block_card", "filled": {"card": "debit", "block_reason": "lost"}, "asked": "incident"}
TABLE = {
    "flow": "book_table",
    "filled": {"guests": 2, "day": "2026-11-20", "hour": "21:00", "seating": "inside", "guest_name": "Kay"},
    "asked": None,
}
DIET = {"flow": "see_menu", "filled": {}, "asked": "diet"}
COMMENT = {"flow": "leave_review", "filled": {"stars": 4}, "asked": "comment", "optional": True}
STARS = {"flow": "leave_review", "filled": {}, "asked": "stars"}
NAME = {"flow": "book_table", "filled": {"guests": 2}, "asked": "guest_name"}
PHONE = {"flow": "book_table", "filled": {"guests": 2, "guest_name": "Kay"}, "asked": "phone", "optional": True}
SEATING = {"flow": "book_table", "filled": {"guests": 2}, "asked": "seating"}


@pytest.mark.parametrize(
    "message",
    ["Sure, do it", "I confirm the transfer.", "Autorizo la operación.", "no problem at all, send it", "hell yes",
     "no changes, send it as is", "yeah that's grand", "all good, hit send", "puede usted enviarlo", "simón, mándalo",
     "dale, joya", "luz verde", "nothing to change, go ahead", "dale caña", "Vale, envíalo ya y me lo quito de encima",
     "Sí, envíelo, se lo ruego", "listo, hágame el favor", "lovely, lock it in", "hala, mándalo y punto",
     "sí sí, envíalo cuanto antes", "please do, asap", "órale, mándalo así",
     "Sí, envíelo sin falta", "That is all in order, please proceed."],
)  # fmt: skip
async def test_a_yes_that_was_asked_for_again(message: str) -> None:
    assert (await read(message, REVIEW)).commands == (AffirmConfirmation(),)


@pytest.mark.parametrize(
    "message",
    ["aye right", "confirm. Actually, disregard, I need to ask my accountant.", "no changes",
     "yes as long as it's free",
     "adelante siempre que quede saldo para el recibo de la luz", "supongo que sí", "no hay problema?",
     "go ahead and tell me which account that comes from", "dale, robame nomás", "ok if you say so",
     "vale, no más", "ok, a otra cosa", "vale, cierra", "vale, me olvido", "ok, asunto resuelto",
     "si puedes, antes del lunes", "ya está bien",
     "ya que estamos, no", "yes i guess", "sí, supongo", "go ahead i think",
     "vale, si puedes esperar", "and be done with it?",
     'yes please, and put "rent" as the reference', "yes genius, to the woman who blocked me"],
)  # fmt: skip
async def test_what_only_sounds_like_a_yes(message: str) -> None:
    assert AffirmConfirmation() not in (await read(message, REVIEW)).commands


async def test_what_happened_to_a_card_does_not_tell_which_one_it_is() -> None:
    found = await meant("bloquea mi tarjeta, me la robaron en el metro")
    assert {"set_slot": {"block_reason": "stolen"}} in found
    assert not any("card" in one.get("set_slot", {}) for one in found)


def test_an_answer_that_is_only_meant_stays_beside_another_option() -> None:
    answer = Span("block_reason", "", 0, 0, 0.6, "meant", value="damaged")
    named, hinted = (Span("card", "debito", 3, 9, sure, "named", value="debit") for sure in (0.95, 0.85))
    context = place(BANKING, REASON)
    assert _meant_once([answer, named], context) == [answer, named]
    assert _meant_once([answer, hinted], context) == [answer, hinted]
    assert _meant_once([answer, hinted], place(BANKING, CARD)) == [answer, hinted]
    assert _meant_once([answer, hinted], place(BANKING, None)) == [hinted]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("language", ["en", "es"])
async def test_nobody_pays_on_what_only_sounds_like_a_yes(language: str, part: int) -> None:
    """Answers to 'Send €50.00 to Ana?' on which a careful clerk would not, written without a look at the code."""
    file = Path(__file__).parent / "data" / f"not_yes.{language}.txt"
    lines = file.read_text(encoding="utf-8").splitlines()[part::5]
    assert len(lines) > 40
    taken = [line for line in lines if AffirmConfirmation() in (await read(line, REVIEW)).commands]
    assert taken == []


@pytest.mark.parametrize(
    ("message", "amount", "name"),
    [
        ("send 20 to Tom, no wait, 25", "25", "Tom"), ("mándale 40 a Beto, no perdón, 45", "45", "Beto"),
        ("Transfer 300 to Mum. Sorry, 350.", "350", "Mum"), ("Envía 80 a Álvaro, uy no, 180", "180", "Álvaro"),
        ("transfer 5000 to my brother Rajesh", "5000", "Rajesh"),
    ],
)  # fmt: skip
async def test_a_transfer_put_right_while_it_is_said(message: str, amount: str, name: str) -> None:
    found = await meant(message)
    assert found[0] == TRANSFER
    assert {"set_slot": {"amount": amount}} in found
    assert {"set_slot": {"recipient": name}} in found
    assert len(found) == 3


@pytest.mark.parametrize(
    ("message", "where", "example", "commands"),
    [
        ("My sister Orla", RECIPIENT, "banking", [{"set_slot": {"recipient": "Orla"}}]),
        ("the amount's wrong", REVIEW, "banking", [{"correct_slot": {"amount": None}}]),
        ("hmm the date's wrong", TABLE, "restaurant", [{"correct_slot": {"day": None}}]),
        ("está mal el nombre", TABLE, "restaurant", [{"correct_slot": {"guest_name": None}}]),
        ("can we do a different time?", TABLE, "restaurant", [{"correct_slot": {"hour": None}}]),
        ("Never mind, I don't want it now.", DAY, "restaurant", [{"cancel_flow": True}]),
        ("hey there", None, "restaurant", [{"chit_chat": "greeting"}]),
        ("not the bar... terrace", SEATING, "restaurant", [{"set_slot": {"seating": "terrace"}}]),
        ("de hoy en una semana", DAY, "restaurant", [{"set_slot": {"day": "de hoy en una semana"}}]),
        ("¿mande?", AMOUNT, "banking", [{"repeat": True}]),
        ("No, not yet. Tell me my balance.", BILL, "banking",
         [{"deny_confirmation": True}, {"start_flow": "check_balance"}]),
        ("ur code never came, put me thru to someone who can help", CODE, "banking", [{"human_handoff": True}]),
        ("borra todo y empezamos otra vez", CODE, "banking", [{"restart": True}]),
        ("let's begin again, I've mixed everything up", CODE, "banking", [{"restart": True}]),
        ("why do i have to type a code at all", CODE, "banking", [{"help": True}]),
        ("four zero two nine one six", CODE, "banking", [{"set_slot": {"code": "402916"}}]),
        ("what even is an iban", IBAN, "banking", [{"explain": "meaning"}]),
        ("nope thats not right", REVIEW, "banking", [{"deny_confirmation": True}]),
        ("Wrong amount, sorry!", RECIPIENT, "banking", [{"correct_slot": {"amount": None}}]),
        ("Oops, I said water but I need the phone one.", BILL, "banking", [{"correct_slot": {"biller": "phone"}}]),
        ("drop a zero, it's 5 not 50", REVIEW, "banking", [{"correct_slot": {"amount": "5"}}]),
        ("el destinatario no es ese", REVIEW, "banking", [{"correct_slot": {"recipient": None}}]),
        ("hmm not yet, let me talk to someone from the staff first", TABLE, "restaurant", [{"human_handoff": True}]),
        ("me and my two kids", GUESTS, "restaurant", [{"set_slot": {"guests": "3"}}]),
        ("menu?", None, "restaurant", [{"start_flow": "see_menu"}]),
        ("tonite if poss", DAY, "restaurant", [{"set_slot": {"day": "tonite if poss"}}]),
        ("uy no, la que perdí es la de crédito", INCIDENT, "banking", [{"correct_slot": {"card": "credit"}}]),
        ("300 bucks... sorry i mean 300 euros", AMOUNT, "banking", [{"set_slot": {"amount": "300 euros"}}]),
        ("Yes? That's right", REVIEW, "banking", [{"affirm_confirmation": True}]),
        ("the debit one", STOLEN, "banking", [{"out_of_scope": True}]),
        ("it was stolen", STOLEN, "banking", [{"out_of_scope": True}]),
        ("that's right, cancel that one please", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("me da igual, como lo que sea", DIET, "restaurant", [{"set_slot": {"diet": "any"}}]),
        ("me equivoqué, son 15 y no 50", RECIPIENT, "banking", [{"correct_slot": {"amount": "15"}}]),
        ("la de débito, que me la robaron", CARD, "banking",
         [{"set_slot": {"card": "debit"}}, {"set_slot": {"block_reason": "stolen"}}]),
        ("Disculpe, me he equivocado en el importe", RECIPIENT, "banking", [{"correct_slot": {"amount": None}}]),
        ("ese no es el destinatario, cámbialo", REVIEW, "banking", [{"correct_slot": {"recipient": None}}]),
        ("me equivoqué de persona, dejame cambiar el destinatario", REVIEW, "banking",
         [{"correct_slot": {"recipient": None}}]),
        ("oye q el importe no es ese, dejame ponerlo otra vez", RECIPIENT, "banking",
         [{"correct_slot": {"amount": None}}]),
        ("Ive got the wrong recipient there, let me change it", REVIEW, "banking",
         [{"correct_slot": {"recipient": None}}]),
        ("Can I alter the time?", TABLE, "restaurant", [{"correct_slot": {"hour": None}}]),
        ("he puesto mal la hora, la quiero cambiar", TABLE, "restaurant", [{"correct_slot": {"hour": None}}]),
        ("Boris, y cámbiame el importe a 70", RECIPIENT, "banking",
         [{"set_slot": {"recipient": "Boris"}}, {"correct_slot": {"amount": "70"}}]),
        ("q va, no lo mandes", REVIEW, "banking", [{"deny_confirmation": True}]),
        ("no hace falta, gracias", PHONE, "restaurant", [{"skip": True}]),
        ("así nomás, sin teléfono", PHONE, "restaurant", [{"skip": True}]),
        ("I shan't be leaving a phone number", PHONE, "restaurant", [{"skip": True}]),
        ("nvm we'll go somewhere else", DAY, "restaurant", [{"cancel_flow": True}]),
        ("Quita, ya no quiero opinar, anúlame la reserva de Pilar", STARS, "restaurant",
         [{"cancel_flow": True}, {"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "Pilar"}}]),
        ("fuera, que queremos fumar", SEATING, "restaurant", [{"set_slot": {"seating": "terrace"}}]),
        ("Apunte: Milagros Urrutia", NAME, "restaurant", [{"set_slot": {"guest_name": "Milagros Urrutia"}}]),
        ("se me extravió mi tarjeta de débito, ¿la pueden congelar?", None, "banking",
         [{"start_flow": "block_card"}, {"set_slot": {"block_reason": "lost"}}, {"set_slot": {"card": "debit"}}]),
        ("Transfer 2k to Beatriz Lobo at PT50 0002 0123 1234 5678 9015 4", None, "banking",
         [TRANSFER, {"set_slot": {"amount": "2k"}}, {"set_slot": {"recipient": "Beatriz Lobo"}},
          {"set_slot": {"iban": "PT50 0002 0123 1234 5678 9015 4"}}]),
        ("no, son 150 euros, no 50", REVIEW, "banking", [{"correct_slot": {"amount": "150 euros"}}]),
        ("it's not 50, sorry, 15 and not 50", REVIEW, "banking", [{"correct_slot": {"amount": "15"}}]),
        ("somos 3 y no 2, y el sabado en vez del viernes", TABLE, "restaurant",
         [{"correct_slot": {"guests": "3"}}, {"correct_slot": {"day": "el sabado"}}]),
        ("en vez de 2 ponle 4 personas", TABLE, "restaurant", [{"correct_slot": {"guests": "4"}}]),
        ("y eso del código para qué es?", CODE, "banking", [{"help": True}]),
        ("no hace falta que me mandes nada", PHONE, "restaurant", [{"skip": True}]),
        ("paso de dar el número", PHONE, "restaurant", [{"skip": True}]),
        ("jajsjd ññ pqpq", SEATING, "restaurant", [{"out_of_scope": True}]),
        ("my sister in law, Gurpreet Kaur", RECIPIENT, "banking", [{"set_slot": {"recipient": "Gurpreet Kaur"}}]),
        ("se me ha olvidado contar a mi suegra, seremos 7", DAY, "restaurant", [{"correct_slot": {"guests": "7"}}]),
        ("bórrela no más, señorita", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("yep bin it", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("que me pase con alguien del restaurante, haga el favor", NAME, "restaurant", [{"human_handoff": True}]),
        ("¿Y ese código para qué lo necesitan?", CODE, "banking", [{"help": True}]),
        ("lower it to 20 euros", REVIEW, "banking", [{"correct_slot": {"amount": "20 euros"}}]),
        ("uf no, he puesto un cero de más, son 5", REVIEW, "banking", [{"correct_slot": {"amount": "5"}}]),
        ("No, no la anule todavía", DROP, "restaurant", [{"deny_confirmation": True}]),
        ("ajá, esa misma, cancélala", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("Estupendo, resérvela", TABLE, "restaurant", [{"affirm_confirmation": True}]),
        ("todo bien menos la gente, q somos siete", TABLE, "restaurant", [{"correct_slot": {"guests": "siete"}}]),
        ("never mind, we'll go elsewhere", DAY, "restaurant", [{"cancel_flow": True}]),
        ("Mándale 75 a Cristóbal y págame también el móvil", None, "banking",
         [TRANSFER, {"set_slot": {"amount": "75"}}, {"set_slot": {"recipient": "Cristóbal"}},
          {"start_flow": "pay_bill"}, {"set_slot": {"biller": "phone"}}]),
        ("No la anule, por favor", DROP, "restaurant", [{"deny_confirmation": True}]),
        ("quita quita, no la anules", DROP, "restaurant", [{"deny_confirmation": True}]),
        ("go ahead and get rid of it", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("paso de darlo", PHONE, "restaurant", [{"skip": True}]),
        ("la hora no me cuadra, cámbiala", TABLE, "restaurant", [{"correct_slot": {"hour": None}}]),
        ("y ese numerito para que me lo pedís?", CODE, "banking", [{"help": True}]),
        ("didnt catch that, ask me once more", CODE, "banking", [{"repeat": True}]),
        ("os quiero poner cinco estrellas", None, "restaurant",
         [{"start_flow": "leave_review"}, {"set_slot": {"stars": "cinco"}}]),
        ("cancela eso y dime nomás dónde quedan", DAY, "restaurant",
         [{"cancel_flow": True}, {"start_flow": "opening_hours"}]),
        ("somos cuatro y queremos cenar en la barra hoy a las diez de la noche, hay sitio?", None, "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "cuatro"}}, {"set_slot": {"seating": "bar"}},
          {"set_slot": {"day": "hoy"}}, {"set_slot": {"hour": "a las diez de la noche"}}]),
        ("tengo que pagar una cosa", None, "banking", [{"clarify": ["pay_bill", "transfer_funds"]}]),
        ("I need to make a payment", None, "banking", [{"clarify": ["pay_bill", "transfer_funds"]}]),
        ("es por un tema de reservas", None, "restaurant", [{"clarify": ["book_table", "cancel_booking"]}]),
        ("can you tell me a bit about your place?", None, "restaurant", [{"clarify": ["opening_hours", "see_menu"]}]),
        ("me han mangado la visa", None, "banking",
         [{"start_flow": "block_card"}, {"set_slot": {"block_reason": "stolen"}}, {"set_slot": {"card": "credit"}}]),
        ("el martes, comprando en el mercado de Surquillo", INCIDENT, "banking",
         [{"set_slot": {"incident": "el martes, comprando en el mercado de Surquillo"}}]),
        ("no need for such loud music", COMMENT, "restaurant",
         [{"set_slot": {"comment": "no need for such loud music"}}]),
        ("la cocina no estaba limpia", COMMENT, "restaurant",
         [{"set_slot": {"comment": "la cocina no estaba limpia"}}]),
        ("I'm not quite sure, cancel it", DAY, "restaurant", [{"cancel_flow": True}]),
        ("something's got to be paid today", None, "banking", [{"clarify": ["transfer_funds", "pay_bill"]}]),
        ("my credit card was stolen on the tram this morning, shut it down please", None, "banking",
         [{"start_flow": "block_card"}, {"set_slot": {"card": "credit"}}, {"set_slot": {"block_reason": "stolen"}},
          {"set_slot": {"incident": "on the tram this morning"}}]),
        ("It got robbed", REASON, "banking", [{"set_slot": {"block_reason": "stolen"}}]),
        ("cancel my table under Brandt and get me another one for thursday at 9pm", None, "restaurant",
         [{"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "Brandt"}}, {"start_flow": "book_table"},
          {"set_slot": {"day": "for thursday"}}, {"set_slot": {"hour": "at 9pm"}}]),
        ("yeah unfortunately", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("never mind, forget the whole thing", TABLE, "restaurant", [{"cancel_flow": True}]),
        ("That is correct, please proceed with the payment.", BILL, "banking", [{"affirm_confirmation": True}]),
        ("forget about it, cancel the transfer", REVIEW, "banking", [{"cancel_flow": True}]),
        ("Never mind, leave it.", {"flow": "pay_bill", "filled": {}, "asked": "biller"}, "banking",
         [{"cancel_flow": True}]),
        ("hang on, the amount is wrong", REVIEW, "banking", [{"correct_slot": {"amount": None}}]),
        ("no no es para Lucas no para Ana", REVIEW, "banking", [{"correct_slot": {"recipient": "Lucas"}}]),
        ("va apartala", TABLE, "restaurant", [{"affirm_confirmation": True}]),
        ("va que va, confírmala", TABLE, "restaurant", [{"affirm_confirmation": True}]),
        ("do it, block the thing",
         {"flow": "block_card", "filled": {"card": "debit"}, "asked": None}, "banking",
         [{"affirm_confirmation": True}]),
        ("ya no quiero mandar nada, mejor enséñame los movimientos", IBAN, "banking",
         [{"cancel_flow": True}, {"start_flow": "list_transactions"}]),
        ("ya no pagues eso, mejor bloquea mi tarjeta de débito", BILL, "banking",
         [{"cancel_flow": True}, {"start_flow": "block_card"}, {"set_slot": {"card": "debit"}}]),
        ("uf no, espérate, no lo mandes", REVIEW, "banking", [{"deny_confirmation": True}]),
        ("q cosas puedes hacer?", None, "banking", [{"help": True}]),
        ("what sort of stuff can you actually do", None, "banking", [{"help": True}]),
        ("half one, lunch like", {"flow": "book_table", "filled": {"guests": 2}, "asked": "hour"}, "restaurant",
         [{"set_slot": {"hour": "half one in the afternoon"}}]),
        ("for lunch at 25:99", {"flow": "book_table", "filled": {"guests": 2}, "asked": "hour"}, "restaurant",
         [{"set_slot": {"hour": "25:99"}}]),
        ("no quiero tanto ruido, mejor una mesa fuera", COMMENT, "restaurant",
         [{"set_slot": {"comment": "no quiero tanto ruido, mejor una mesa fuera"}}]),
        ("2pm and wed like to sit outside", {"flow": "book_table", "filled": {"guests": 2}, "asked": "hour"},
         "restaurant", [{"set_slot": {"hour": "2pm"}}, {"set_slot": {"seating": "terrace"}}]),
        ("id like a table for ten on monday, its my moms birthday", None, "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "for ten"}}, {"set_slot": {"day": "on monday"}}]),
        ("please drop our booking. Name's Lindqvist.", None, "restaurant",
         [{"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "Lindqvist"}}]),
        ("Fuera, por favor. Y a nombre de Jacinto", SEATING, "restaurant",
         [{"set_slot": {"seating": "terrace"}}, {"set_slot": {"guest_name": "Jacinto"}}]),
        ("pasale 30 al Fede", None, "banking",
         [TRANSFER, {"set_slot": {"amount": "30"}}, {"set_slot": {"recipient": "Fede"}}]),
        ("split the airbnb with dimitri, i gotta send him €211.30", None, "banking",
         [TRANSFER, {"set_slot": {"recipient": "dimitri"}}, {"set_slot": {"amount": "€211.30"}}]),
        ("someone nicked my wallet, need my debit card stopped right now", None, "banking",
         [{"start_flow": "block_card"}, {"set_slot": {"block_reason": "stolen"}}, {"set_slot": {"card": "debit"}}]),
        ("somos mi mujer y yo, ¿nos guarda una mesa para el jueves?", None, "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "2"}}, {"set_slot": {"day": "para el jueves"}}]),
        ("quiero cancelar mi reserva, a nombre de Tobías Lagos, y también dejar una opinión", None, "restaurant",
         [{"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "Tobías Lagos"}},
          {"start_flow": "leave_review"}]),
        ("Bloquea mi tarjeta de débito, que la perdí, y mándale 40 euros a Lautaro", None, "banking",
         [{"start_flow": "block_card"}, {"set_slot": {"card": "debit"}}, {"set_slot": {"block_reason": "lost"}},
          TRANSFER, {"set_slot": {"amount": "40 euros"}}, {"set_slot": {"recipient": "Lautaro"}}]),
        ("vegana, y después quiero mesa para 2", DIET, "restaurant",
         [{"set_slot": {"diet": "vegan"}}, {"start_flow": "book_table"}, {"set_slot": {"guests": "para 2"}}]),
        ("Could you fit in a party of nine on the 12th of December, half past eight in the evening?", None,
         "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "nine"}},
          {"set_slot": {"day": "on the 12th of December"}}, {"set_slot": {"hour": "half past eight in the evening"}}]),
        ("pasame la carta, no como carne", None, "restaurant",
         [{"start_flow": "see_menu"}, {"set_slot": {"diet": "vegetarian"}}]),
        ("que me han cobrado estos dias?", None, "banking", [{"start_flow": "list_transactions"}]),
        ("We need a spot outdoors on the 28th!", None, "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"seating": "terrace"}}, {"set_slot": {"day": "on the 28th"}}]),
        ("nel pastel", REVIEW, "banking", [{"deny_confirmation": True}]),
        ("nope, leave it for now", BILL, "banking", [{"deny_confirmation": True}]),
        ("six one seven double two four five five nine", PHONE, "restaurant",
         [{"set_slot": {"phone": "six one seven double two four five five nine"}}]),
        ("my number is six double one two three four five six seven", PHONE, "restaurant",
         [{"set_slot": {"phone": "six double one two three four five six seven"}}]),
        ("seis uno siete dos dos cuatro cinco cinco nueve", PHONE, "restaurant",
         [{"set_slot": {"phone": "seis uno siete dos dos cuatro cinco cinco nueve"}}]),
        ("el seis uno siete veintidós cuarenta y cinco cincuenta y nueve", PHONE, "restaurant",
         [{"set_slot": {"phone": "el seis uno siete veintidós cuarenta y cinco cincuenta y nueve"}}]),
        ("cancélelo por favor", RECIPIENT, "banking", [{"cancel_flow": True}]),
        ("The food was lovely but the waiter was rude", COMMENT, "restaurant",
         [{"set_slot": {"comment": "The food was lovely but the waiter was rude"}}]),
        ("please cancel for tonight, booking's under O'Leary", None, "restaurant",
         [{"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "O'Leary"}}]),
        ("before that, show me my balance", REVIEW, "banking", [{"start_flow": "check_balance"}]),
        ("antes de eso, ¿cuánto tengo?", REVIEW, "banking", [{"start_flow": "check_balance"}]),
        ("not yet, show me my latest transactions first", BILL, "banking", [{"start_flow": "list_transactions"}]),
        ("todavía no, enséñame el saldo primero", BILL, "banking", [{"start_flow": "check_balance"}]),
        ("four I think", GUESTS, "restaurant", [{"set_slot": {"guests": "four"}}]),
        ("cuatro creo", GUESTS, "restaurant", [{"set_slot": {"guests": "cuatro"}}]),
        ("mejor que sean 60", REVIEW, "banking", [{"correct_slot": {"amount": "60"}}]),
        ("60 mejor, no 50", REVIEW, "banking", [{"correct_slot": {"amount": "60"}}]),
        ("a mi vecina que se llama Rosaura", RECIPIENT, "banking", [{"set_slot": {"recipient": "Rosaura"}}]),
        ("my landlord, he is called Piotr Nowak", RECIPIENT, "banking", [{"set_slot": {"recipient": "Piotr Nowak"}}]),
        ("wait, that's the wrong person", REVIEW, "banking", [{"correct_slot": {"recipient": None}}]),
        ("umm no thats the wrong day", TABLE, "restaurant", [{"correct_slot": {"day": None}}]),
        ("go back, i got the number of people wrong", SEATING, "restaurant", [{"correct_slot": {"guests": None}}]),
        ("just me and my wife", GUESTS, "restaurant", [{"set_slot": {"guests": "2"}}]),
        ("just me", GUESTS, "restaurant", [{"set_slot": {"guests": "1"}}]),
        ("Una mesa para dos. Soy Rodrigo Cáceres.", None, "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "para dos"}},
          {"set_slot": {"guest_name": "Rodrigo Cáceres"}}]),
        ("envia doscientos cincuenta a Laura Méndez ES91 2100 0418 4502 0005 1332", None, "banking",
         [TRANSFER, {"set_slot": {"amount": "doscientos cincuenta"}}, {"set_slot": {"recipient": "Laura Méndez"}},
          {"set_slot": {"iban": "ES91 2100 0418 4502 0005 1332"}}]),
        ("please cancel Tom Baker's booking and make a new one for 8 people on Sunday", None, "restaurant",
         [{"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "Tom Baker"}}, {"start_flow": "book_table"},
          {"set_slot": {"guests": "for 8"}}, {"set_slot": {"day": "on Sunday"}}]),
        ("its my mums 60th, want to book you for 12 of us on 28 november", None, "restaurant",
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "for 12"}}, {"set_slot": {"day": "on 28 november"}}]),
    ],
)  # fmt: skip
async def test_what_was_misread(message: str, where: Any, example: str, commands: list[Any]) -> None:
    assert await meant(message, where, example) == commands


async def test_a_card_that_was_stolen_may_be_any() -> None:
    message = "my card was nicked on the bus yesterday"
    where = Place(history=[{"bot": "Done. Ana receives €60.00. Your reference is T0004."}])
    understood = await LOCAL["banking"].understand(message, Labelled(message, (), where).context(BANKING, now=NOW))
    told = [{"block_reason": "stolen"}, {"incident": "on the bus yesterday"}]
    assert [label_of(one) for one in understood.commands] == [
        {"start_flow": "block_card"},
        *({"set_slot": one} for one in told),
    ]


OUTING = SoniConfig.model_validate(
    {
        "flows": {
            "find_film": {
                "trigger": {"intents": ["find a film", "which films are on"]},
                "steps": [{"step": "a", "type": "collect", "slot": "genre"}],
            },
            "search_flight": {
                "trigger": {"intents": ["find a flight", "search for flights"]},
                "steps": [
                    {"step": "a", "type": "collect", "slot": "origin_city"},
                    {"step": "b", "type": "collect", "slot": "destination_city"},
                ],
            },
        },
        "slots": {
            "genre": {"type": "text", "description": "the kind of film"},
            "origin_city": {"type": "text", "description": "the city to fly from"},
            "destination_city": {"type": "text", "description": "the city to fly to"},
        },
    }
)


@pytest.mark.parametrize(
    ("message", "flow", "asked", "values"),
    [
        ("I would like to see a drama movie.", "find_film", "genre", [{"genre": "drama"}]),
        ("Asian sounds pretty good.", "find_film", "genre", [{"genre": "Asian"}]),
        ("In Santa Rosa please.", "search_flight", "origin_city", [{"origin_city": "Santa Rosa"}]),
        ("I am flying from Los Angeles to Las Vegas", "search_flight", "origin_city",
         [{"origin_city": "Los Angeles"}, {"destination_city": "Las Vegas"}]),
    ],
)  # fmt: skip
async def test_a_kind_is_a_word_and_a_city_has_its_article(
    message: str, flow: str, asked: str, values: list[dict[str, str]]
) -> None:
    where = context(collect("?", asked), OUTING, flow=flow)
    understood = await LocalUnderstanding(OUTING).understand(message, where)
    assert [label_of(one) for one in understood.commands] == [{"set_slot": value} for value in values]
