"""Requests that say too little, and those that only look like them."""

from __future__ import annotations

import pytest

from soni.du.local.vague import asks_in_general, vague_among
from soni.languages import languages

WORDS = languages(("en", "es"))

FLOWS = {
    "pay_bill": frozenset(["pay", "a", "bill", "pagar", "el", "recibo"]),
    "transfer": frozenset(["send", "money", "pay", "someone", "págale", "pagale", "enviar"]),
    "balance": frozenset(["how", "much", "is", "in", "my", "account", "cuenta"]),
}


@pytest.mark.parametrize(
    "message",
    ["I need to pay something", "tengo que pagar una cosa", "quiero hacer un pago", "a payment, please"],
)
def test_what_fits_two_flows_alike(message: str) -> None:
    assert vague_among(message, FLOWS, WORDS) == ["pay_bill", "transfer"]


@pytest.mark.parametrize(
    "message",
    ["I need to pay the water bill", "pay", "check my account", "pay something to Ana from my savings tomorrow night",
     "something", "tengo un tema con la luz"],
)  # fmt: skip
def test_what_says_more_or_fits_one_alone(message: str) -> None:
    assert vague_among(message, FLOWS, WORDS) == []


def test_who_wants_to_know_about_the_place_and_who_wants_to_tell() -> None:
    assert asks_in_general("cuéntame un poco del local", WORDS, "Tasca Restaurant")
    assert asks_in_general("I'd like some info on your restaurant", WORDS, "Tasca Restaurant")
    assert not asks_in_general("vengo a contarles cómo me fue ayer con ustedes", WORDS, "Tasca Restaurant")
    assert not asks_in_general("tell me about vegan dishes", WORDS, "Tasca Restaurant")
    assert not asks_in_general("quiero información sobre los préstamos del banco", WORDS, "Tasca Restaurant")
    assert not asks_in_general("I'd like info on the mortgages of your bank", WORDS, "Tasca Restaurant")
