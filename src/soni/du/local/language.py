"""Which language a message shows, if it shows one: '100' and 'Ana' show none."""

from __future__ import annotations

from soni.du.local.words import content, lexicon

_ENGLISH = lexicon(
    "about account again am an and are at be been but by can cancel card could did do does for from get go had "
    "has have hello hey hi how i if in is it its just like lost make me money much my need not of on or pay "
    "please send should so some stop than thank thanks that the their them then there they this to today tomorrow "
    "transfer wanna want was we were what when where which who why will with would yes you your"
)
_SPANISH = lexicon(
    "al algo anula ayer bien buenas buenos cancela como con cual cuando cuanta cuanto cuenta dame de del desde "
    "dia dias dime dinero donde el ella en enviar era es esa ese eso esta este esto favor gracias ha hacer hago "
    "hasta hay he hola hoy la las le lo los mandar manana mas me mejor mi mis mucho muy necesito nos o olvidalo "
    "para pero por porque puede puedes puedo pues que quiero quiere saldo se ser si sin sobre soy su sus tarjeta "
    "te tengo tiene todo tu tus un una unos vale ya yo envia envio enviale manda mandale transferencia transfiere "
    "pagar paga recibo factura movimientos ultimos veinte treinta cincuenta cien bloquea bloquear perdido robado "
    "adelante acuerdo hazlo dejalo"
)
_MARKS = set("¿¡ñ")


def language_of(text: str) -> str | None:
    """'en', 'es', or None when the words do not tell."""
    words = content(text)
    english = sum(word in _ENGLISH for word in words)
    spanish = sum(word in _SPANISH for word in words) + 2 * any(mark in text.lower() for mark in _MARKS)
    if english == spanish:
        return None
    return "en" if english > spanish else "es"
