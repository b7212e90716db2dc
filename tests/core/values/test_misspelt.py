from datetime import datetime
from typing import Any

import pytest

from soni.core.values import TYPES, Reading
from soni.core.values.misspelt import respellings
from soni.languages import language, languages

# Today is Wednesday, 11 November 2026.
ENGLISH = {
    "tomorow": ("date", "2026-11-12"), "tommorow": ("date", "2026-11-12"), "wendesday": ("date", "2026-11-18"),
    "next thrusday": ("date", "2026-11-12"), "febuary 14th": ("date", "2027-02-14"),
    "the last day of novemeber": ("date", "2026-11-30"), "chrismas eve": ("date", "2026-12-24"),
    "on the twelvth of decemebr": ("date", "2026-12-12"), "in two weaks": ("date", "2026-11-25"),
    "midnigth": ("time", "00:00:00"), "quater past eight in the morning": ("time", "08:15:00"),
    "half past sevn": ("time", "07:30:00"), "tomorow at qarter to nine": ("datetime", "2026-11-12T08:45:00"),
    "twenty mintues": ("duration", 1200), "two huors": ("duration", 7200), "30 minuts": ("duration", 1800),
    "twnety euros": ("money", {"amount": "20.00", "currency": "EUR"}),
    "20 dolars": ("money", {"amount": "20.00", "currency": "USD"}),
    "20eurs": ("money", {"amount": "20.00", "currency": "EUR"}),
    "fivty ponds": ("money", None), "fifty pouns": ("money", {"amount": "50.00", "currency": "GBP"}),
    "thre": ("integer", 3), "twnety-five": ("integer", 25), "eigth": ("integer", 8), "fiften": ("integer", 15),
    "one hunderd": ("integer", 100), "sevnty": ("integer", 70), "sevent": ("integer", None),
    "two and a hlaf": ("number", 2.5),
}  # fmt: skip
SPANISH = {
    "miercles": ("date", "2026-11-18"), "el proximo savado": ("date", "2026-11-14"),
    "el doce de dicienbre": ("date", "2026-12-12"), "nochebieja": ("date", "2026-12-31"),
    "el biernes": ("date", "2026-11-13"), "aller": ("date", "2026-11-10"), "mañna": ("date", "2026-11-12"),
    "el 22 d noviembre": ("date", "2026-11-22"), "a las 5 d la tarde": ("time", "17:00:00"), "3 d": ("date", None),
    "las seis y mdia de la tarde": ("time", "18:30:00"), "a las oho de la noche": ("time", None),
    "a las siete y quarto": ("time", "07:15:00"), "a las nuebe": ("time", "09:00:00"),
    "el juebes a las sinco y media": ("datetime", "2026-11-12T05:30:00"),
    "cuarenta minuots": ("duration", 2400), "dos oras": ("duration", 7200),
    "beinte euros": ("money", {"amount": "20.00", "currency": "EUR"}),
    "ventiun euros": ("money", {"amount": "21.00", "currency": "EUR"}),
    "cuatrosientos euros": ("money", {"amount": "400.00", "currency": "EUR"}),
    "20 dolars": ("money", {"amount": "20.00", "currency": "USD"}),
    "trez": ("integer", 3), "quinze": ("integer", 15), "cien mill": ("integer", None), "dies": ("integer", 10),
    "kuarenta": ("integer", 40), "treita y dos": ("integer", 32), "sewenta": ("integer", None),
    "dos y mdio": ("number", 2.5),
}  # fmt: skip
MISSPELT = [("en", *pair) for pair in ENGLISH.items()] + [("es", *pair) for pair in SPANISH.items()]
READ = ("date", "time", "datetime", "duration", "money", "integer", "number")

ORDINARY_ENGLISH = """
    then there this these those tree free form from fine nice sex once mile mail some come none list least lost
    post part fist fire file fort forth might right sight weak seen sever grant back backs books jury noun nest
    cost mouth moth match marsh mount mondays fridays mornings nights dozens couples thirsty weight height fight
    where were what when went want with which while white world words would could should house horse horses mouse
    money many more most must much such than thank that their them they thing think through team term test text
    true trust turn twice type under until upon visit wait walk wall water well wine wish woman work yellow young
    paint print peace piece penne frank jane julia mark martin sandy tess date data dates later latest early even
    ever every eating eighties fifties sixties flour floor fore our send sent spend sunny summer mourning moaning
    evenings cousin coupon bullion medium minor manure sandwich sending dirty transfer table booking cancel please
"""
ORDINARY_SPANISH = """
    entonces cosa casa cine tras tren trae siento siente sitio cuento cuenta cuanto cuantos cuadro nueva nuevos
    nieve vienes vienen tiene tienes viento vente venta mesas mesa manos mano malo mayor junto julia mario marca
    marcos luces entero dinero pesado pasos paso piso libre libro libros dolor abrir ahorra ahorro adora seas sois
    sean serio dios dice dicen donde diaz tarda tardes noches hacer nacer menor medida medir punta junta juntos
    segun primo prima quien quiere quieres queso poco pero parar pagar paga papa cama como coman comida correo
    cerca cerco cerro hotel hasta otras otra obras coche leche martin mares entes gente suerte siesta semanal
    semanales millas milla mires mides mujeres mueve nuevamente veces voces vivo vino vuelo zona salir saldo cita
    citas tarjeta tarta tarea transferir cambio cancelar cuota sesion seccion setas meta metro masa besos sirve
"""


def _read(kind: str, phrase: str, language: str) -> Any:
    value_type = TYPES[kind]()
    try:
        reading = Reading(language, datetime(2026, 11, 11, 10), languages=("en", "es"))
        return value_type.dump(value_type.parse(phrase, reading))
    except ValueError:
        return None


def _respelt(phrase: str, code: str) -> tuple[str, ...]:
    return tuple(respellings(phrase, language(code), languages(("en", "es"))))


@pytest.mark.parametrize(("language", "phrase", "meant"), MISSPELT)
def test_a_slip_in_a_word_does_not_hide_the_value(language: str, phrase: str, meant: tuple[str, Any]) -> None:
    kind, value = meant
    assert _read(kind, phrase, language) == value


@pytest.mark.parametrize(("language", "words"), [("en", ORDINARY_ENGLISH), ("es", ORDINARY_SPANISH)])
def test_no_ordinary_word_is_taken_for_a_misspelt_value(language: str, words: str) -> None:
    taken = [(word, _respelt(word, language)) for word in words.split() if _respelt(word, language)]
    assert taken == []


@pytest.mark.parametrize(
    ("language", "phrase"),
    [("en", "fifty ponds there"), ("en", "20 pasos"), ("es", "20 pasos"), ("es", "dos mesas"), ("en", "two house"),
     ("es", "lo siento"), ("en", "twnety nice euros"), ("es", "seis y pico")],
)  # fmt: skip
def test_a_word_beyond_repair_leaves_the_phrase_unread(language: str, phrase: str) -> None:
    assert [_read(kind, phrase, language) for kind in READ] == [None] * len(READ)


def test_a_slip_of_the_ear_is_put_right_only_where_it_is_one() -> None:
    assert _respelt("beinte euros", "es") == ("veinte euros",)
    assert _respelt("dies", "en") == ()


def test_a_phrase_that_is_spelt_right_has_no_other_spelling() -> None:
    for phrase in ("", "saturday's", "veinte euros", "half past six", "14th", "18:30", "€5", "next month please"):
        assert _respelt(phrase, "en") == ()


def test_words_that_could_be_several_are_all_offered() -> None:
    assert set(_respelt("20 dolars", "es")) == {"20 dolares", "20 dolar"}
    assert _respelt("20 dolars", "en") == ("20 dollars",)


@pytest.mark.parametrize(
    ("language", "phrase"),
    [("es", "nesesito haser una reserva con vistas al mar"), ("en", "the transportation of two to the airport"),
     ("es", "la transferencia de la semana que viene"), ("en", "next wendesday at the restaurant in the morning")],
)  # fmt: skip
def test_a_hopeless_phrase_has_no_other_spelling(language: str, phrase: str) -> None:
    assert _respelt(phrase, language) == ()
