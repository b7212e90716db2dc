from dataclasses import replace
from decimal import Decimal

import pytest
from pydantic import BaseModel, ValidationError

from soni.core.values import Reading
from soni.core.values.money import Money, MoneyType

EITHER_LANGUAGE = {
    "100": "100.00 EUR", "100 euros": "100.00 EUR", "€100": "100.00 EUR", "100€": "100.00 EUR",
    "100 €": "100.00 EUR", "$20.50": "20.50 USD", "twenty-five euros": "25.00 EUR",
    "cien euros": "100.00 EUR",
    "mil doscientos euros": "1200.00 EUR", "2k": "2000.00 EUR", "1.5k euros": "1500.00 EUR",
    "20 bucks": "20.00 USD", "veinte pavos": "20.00 EUR", "5 euros con 50": "5.50 EUR",
    "five pounds fifty": "5.50 GBP", "100 CHF": "100.00 CHF", "CHF 100": "100.00 CHF", "100eur": "100.00 EUR",
    "EUR 100": "100.00 EUR", "100 TRY": "100.00 TRY", "-5 euros": "-5.00 EUR", "-$5": "-5.00 USD",
    "50 cents": "0.50 EUR", "cincuenta céntimos": "0.50 EUR", "50p": "0.50 GBP",
    "5 euros and 50 cents": "5.50 EUR", "5 euros y medio": "5.50 EUR", "cinco con cincuenta": "5.50 EUR",
    "five and a half euros": "5.50 EUR", "5€50": "5.50 EUR", "2 millones de euros": "2000000.00 EUR",
    "un euro": "1.00 EUR", "a couple of euros": "2.00 EUR", "unos 30 euros": "30.00 EUR",
    "the 100 euros": "100.00 EUR", "100 euros, por favor": "100.00 EUR", "1.234,56 €": "1234.56 EUR",
    "$1,234.56": "1234.56 USD", "500 yen": "500 JPY",
    "two grand": "2000.00 EUR", "a grand": "1000.00 EUR", "half a grand": "500.00 EUR", "2.5 grand": "2500.00 EUR",
    "a tenner": "10.00 EUR", "a couple of hundred euros": "200.00 EUR", "a couple of thousand": "2000.00 EUR",
    "a couple of grand": "2000.00 EUR", "un par de miles": "2000.00 EUR", "un par de miles de euros": "2000.00 EUR",
    "un par de cientos de euros": "200.00 EUR", "un centenar de euros": "100.00 EUR",
    "one and a half thousand": "1500.00 EUR", "one and a half thousand dollars": "1500.00 USD",
    "un millón y medio de euros": "1500000.00 EUR", "un millón de euros y medio": "1500000.00 EUR",
    "half a million pounds": "500000.00 GBP", "a million and a half dollars": "1500000.00 USD",
    "ten thousand swiss francs": "10000.00 CHF", "950 pesos mexicanos": "950.00 MXN",
    "950 mexican pesos": "950.00 MXN", "30 US dollars": "30.00 USD", "30 american dollars": "30.00 USD",
    "treinta dólares americanos": "30.00 USD", "30 dólares estadounidenses": "30.00 USD",
    "20 libras esterlinas": "20.00 GBP", "20 british pounds": "20.00 GBP", "20 pounds sterling": "20.00 GBP",
    "20 australian dollars": "20.00 AUD", "20 dólares australianos": "20.00 AUD",
    "20 canadian dollars and 50 cents": "20.50 CAD", "20 dólares canadienses": "20.00 CAD",
    "20 hong kong dollars": "20.00 HKD", "20 dólares de Hong Kong": "20.00 HKD",
    "20 new zealand dollars": "20.00 NZD", "100 pesos argentinos": "100.00 ARS",
    "100 pesos colombianos": "100.00 COP", "5000 chilean pesos": "5000 CLP", "200 coronas suecas": "200.00 SEK",
    "200 danish kroner": "200.00 DKK", "200 norwegian crowns": "200.00 NOK", "30 francos suizos": "30.00 CHF",
    "40 soles peruanos": "40.00 PEN", "40 brazilian reais": "40.00 BRL", "40 reales brasileños": "40.00 BRL",
    "500 japanese yen": "500 JPY", "un millón de pesos chilenos": "1000000 CLP", "20 liras turcas": "20.00 TRY",
    "treinta y dos euros con cincuenta": "32.50 EUR", "seis euros y medio": "6.50 EUR",
    "six euros and a half": "6.50 EUR", "euro y medio": "1.50 EUR", "medio euro": "0.50 EUR",
    "half a pound": "0.50 GBP", "a dollar fifty": "1.50 USD", "a euro": "1.00 EUR", "mil euros y medio": "1000.50 EUR",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "money"), EITHER_LANGUAGE.items())
def test_amounts_as_people_say_them(phrase: str, money: str, english: Reading, spanish: Reading) -> None:
    assert str(MoneyType().parse(phrase, english)) == money
    assert str(MoneyType().parse(phrase, spanish)) == money


@pytest.mark.parametrize(
    "phrase",
    ["", "euros", "€", "send 100 euros", "100 euros to Ana", "try 100", "all 100", "100 pesos",
     "100 euros y 50",
     "five pounds five", "5.5 euros 50", "$", "100 euros 200", "5 dollars 50 pounds", "half",
     "1.005 pounds sterling", "20 swiss dollars", "20 mexicanos", "20 swiss", "american dollars", "half a",
     "200 coronas", "medio", "y medio", "10 won", "grand", "half a euro and a half", "of EUR", "de euros"],
)  # fmt: skip
def test_other_words_are_no_amount(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match=r"amount|coins"):
        MoneyType().parse(phrase, english)


def test_an_amount_with_too_many_decimals_is_not_guessed(english: Reading, spanish: Reading) -> None:
    assert MoneyType().parse("1.234 euros", spanish) == 1234
    assert MoneyType().parse("1.234k euros", english) == 1234
    for phrase in ("1.234 euros", "1.000 euros"):
        with pytest.raises(ValueError, match="coins"):
            MoneyType().parse(phrase, english)


def test_the_assistants_currency_settles_bare_numbers_and_whose_dollar_or_peso(english: Reading) -> None:
    mexico, canada = replace(english, currency="MXN"), replace(english, currency="CAD")
    assert MoneyType().parse("100", mexico) == Money(100, "MXN")
    assert MoneyType().parse("$100", mexico) == Money(100, "MXN")
    assert MoneyType().parse("100 pesos", mexico) == Money(100, "MXN")
    assert MoneyType().parse("100 dollars", mexico) == Money(100, "USD")
    assert MoneyType().parse("100 bucks", canada) == Money(100, "CAD")


def test_python_numbers_and_stored_amounts_are_taken(english: Reading) -> None:
    assert MoneyType().coerce(100, english) == Money(100, "EUR")
    assert MoneyType().coerce(0.1, english) == Money("0.10", "EUR")
    assert MoneyType().coerce(Decimal("9.999"), english) == Money(10, "EUR")
    assert MoneyType().coerce({"amount": "5.00", "currency": "USD"}, english) == Money(5, "USD")


@pytest.mark.parametrize("value", [True, None, float("nan"), float("inf"), 10**400, {"amount": 5}, [], {}])
def test_what_is_no_amount_in_python_is_refused(value: object, english: Reading) -> None:
    with pytest.raises(ValueError, match="amount"):
        MoneyType().coerce(value, english)


def test_money_is_stored_as_text_and_code() -> None:
    assert MoneyType().dump(Money(100, "EUR")) == {"amount": "100.00", "currency": "EUR"}


def test_money_is_written_as_the_language_does() -> None:
    hundred = Money(100, "EUR")
    assert MoneyType().format(hundred, "en") == "€100.00"
    assert MoneyType().format(hundred, "es") == "100,00 €"
    assert MoneyType().format(hundred, "en", "short") == "€100"
    assert MoneyType().format(hundred, "es", "short") == "100 €"
    assert MoneyType().format(Money("100.50", "EUR"), "en", "short") == "€100.50"
    assert MoneyType().format(hundred, "nowhere") == "€100.00"


def test_money_compares_and_computes_with_plain_numbers() -> None:
    money = Money("10.50", "EUR")
    assert money == 10.5
    assert money != 10
    assert money == Decimal("10.5")
    assert 10 < money <= 10.5
    assert 11 > money >= 10
    assert money + 1 == 1 + money == 11.5
    assert 20 - money == Money("9.50", "EUR")
    assert 2 * money == money * 2 == 21
    assert money / 2 == Money("5.25", "EUR")
    assert -money == -10.5
    assert abs(-money) == money
    assert (float(money), int(money), bool(money), bool(Money(0, "EUR"))) == (10.5, 10, True, False)
    assert hash(Money(10, "EUR")) == hash(10)


def test_money_of_one_currency_goes_together() -> None:
    assert Money(3, "EUR") + Money(2, "EUR") == Money(5, "EUR")
    assert Money(3, "EUR") - Money(2, "EUR") == Money(1, "EUR")
    assert Money(3, "EUR") / Money(2, "EUR") == Decimal("1.5")
    assert sum([Money(1, "EUR"), Money(2, "EUR")]) == Money(3, "EUR")


def test_money_of_two_currencies_is_never_equal_nor_put_together() -> None:
    euros, dollars = Money(1, "EUR"), Money(1, "USD")
    assert euros != dollars
    with pytest.raises(TypeError, match="EUR and USD"):
        euros + dollars
    with pytest.raises(TypeError, match="EUR and USD"):
        assert euros < dollars


def test_money_is_no_text_and_no_truth() -> None:
    assert Money(1, "EUR") != True  # noqa: E712
    assert Money(1, "EUR") != "1"
    assert Money(1, "EUR") != float("nan")
    with pytest.raises(TypeError):
        Money(1, "EUR") + "1"  # type: ignore[operator, unused-ignore]


def test_pydantic_models_take_money_and_nothing_that_only_looks_like_it() -> None:
    class Transfer(BaseModel):
        amount: Money

    assert Transfer(amount=Money(5, "EUR")).amount == 5
    with pytest.raises(ValidationError):
        Transfer.model_validate({"amount": 5})
