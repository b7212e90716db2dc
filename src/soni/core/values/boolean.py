"""Yes and no."""

import re

from soni.core.values.locales import checked_spec, is_spanish
from soni.core.values.phrase import fold
from soni.core.values.value import Json, Reading, ValueType, register


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


_YES = _phrases("""
    yes, yeah, yea, yep, yup, true, on, ok, okay, sure, sure thing, of course, certainly, definitely, absolutely,
    indeed, right, correct, exactly, that is right, that's right, thats right, that is correct, that's correct, thats
    correct, sounds good, fine, alright, all right, go ahead, do it, i do, no problem, yes i do, i would, yes it is,
    yes sir, confirm, confirmed, i confirm, proceed, perfect, great, good, please do, why not, sure why not, all good,
    all correct, that's all correct, that is all correct, por que no, that works, that works for me, works for me,
    looks good, sounds great, that sounds good, that sounds great, that would be great, that'll work, that is fine, it
    is correct, it's correct, yes please, go for it, awesome, cool, excellent, wonderful, very well, i'd like that, i
    would like that, yes that's right, yes that is right, yes that's correct, yes that is correct, yes do it, send it,
    i agree, agreed, affirmative, that's fine, okey, okay then, let's go, si, claro, claro que si, vale, de acuerdo,
    por supuesto, desde luego, correcto, exacto, exactamente, eso es, asi es, dale, venga, verdadero, perfecto, bueno,
    adelante, hazlo, sin problema, como no, efectivamente, ok vale, cierto, sip, activado, confirmo, confirmado, lo
    confirmo, confirmar, acepto, va, afirmativo, esta bien, muy bien, todo correcto, que si, sii, si si, envialo,
    mandalo, por supuesto que si, desde luego que si, hagalo, genial, sale, orale, asi esta bien, es correcto, esta
    correcto, proceda, procede, todo bien, me parece bien, eso mismo, conforme, yess, yeh, aye, you bet, ok then, ok
    sure, okie dokie, okey dokey, righto, right you are, fantastic, brilliant, amazing, lovely, superb, approved, roger
    that, let's do it, lets do it, do that, make it so, spot on, bang on, that's it, thats it, that's the one, thats
    the one, lgtm, go on then, crack on, by all means, happy with that, i'm happy with that, im happy with that, i am
    sure, i'm sure, im sure, without a doubt, totally, for sure, 100%, 100 percent, deal, k, kk, pay it, book it,
    please proceed, please go ahead, aja, claro claro, dale pues, venga va, venga vale, va pues, vale pues, sale pues,
    sale y vale, de una, de una vez, trato hecho, asi mero, tal cual, eso, exacto eso, todo en orden, listo, listo
    pues, hagale, hagale pues, dele, dele pues, por mi si, por mi bien, por mi perfecto, obvio, obvio que si, seguro
    que si, sin duda, cien por cien, cien por ciento, tira, tira millas, dale nomas, adelante con ello, adelante pues,
    me sirve, me cuadra, me late, me vale asi, ta bien, esta bueno, esta perfecto, bien asi, andale, andale pues, orale
    pues, si po, sipo, oka, okis, de lujo, faltaria mas, si porfavor, 👍, 👌, afirmo, estoy seguro, estoy segura, de
    acuerdo con todo, nice, just the ticket, that's just the ticket, you got it, hook me up, hell yes, hell yeah, heck
    yes, heck yeah, damn right, too right, make it happen, you have the green light, you've got the green light, green
    light, green light from me, ship it, hit send, work away, fire ahead, away you go, off you go, have at it, good to
    go, get it done, put it through, seal the deal, suits me, suits me fine, uh huh, uh-huh, mhm, mmhm, yessir, yes
    ma'am, yup yup, yes yes, yas, yass, yesss, alrighty, okey doke, grand, grand so, go on, yes all of it, yes to all,
    yes to all of it, ✅, si senor, si senora, luz verde, tienes luz verde, tiene luz verde, tienes mi visto bueno,
    tiene mi visto bueno, tiene usted mi visto bueno, autorizo, lo autorizo, positivo, si esa misma, si ese mismo,
    palante, tira palante, para adelante, a por ello, al lio, dale gas, metele, metele nomas, va que va, bien ahi, de
    diez, correctisimo, perfectisimo, si a todo, bien, oki, okey, sep, siii, esa misma, ese mismo, esa
    mera, ese mero, estupendo, fenomenal, magnifico, excelente, dale cana, dale candela, dale fuerte, lock it in, lock
    that in
""")
_NO = _phrases("""
    no, nope, nah, nay, false, off, no way, not really, not at all, of course not, definitely not, absolutely not,
    certainly not, never, i don't, i do not, no i don't, that is wrong, that's wrong, thats wrong, wrong, incorrect,
    negative, don't, do not, not correct, that's not right, that is not right, that's not correct, that is not
    correct, claro que no, por supuesto que no, desde luego que no, para nada, en absoluto, nunca, que va, de ninguna
    manera, incorrecto, falso, ni hablar, negativo, nop, desactivado, no es correcto, no lo hagas, mejor no, que no,
    ahora no, not now, better not, i'd rather not, rather not, no quiero, i don't want to, don't do it, do not do it,
    don't send it, no lo envies, no lo mandes, jamas, not yet, not right now, not today, todavia no, aun no, hoy no,
    por ahora no, de momento no, ya no, nope nope, no no, no no no, nel, nel pastel, nones
""")
_POLITE = ("please", "thanks", "thank you", "por favor", "gracias", "muchas gracias", "thank you very much")

YES, NO = frozenset(_YES), frozenset(_NO)
"""The words for yes and for no, folded."""

_GOOD = (
    "perfect|great|good|fine|correct|right|wonderful|awesome|okay|ok|nice|lovely|excellent|accurate|fantastic|"
    "brilliant|amazing|superb|cool|ideal|grand|confirmed|approved|in order"
)
_APPROVES = re.compile(
    r"(?:yes )?(?:(?:that|this|it|everything|all|that one)(?: all)?"
    r"(?:'?s| is| sounds?| looks?| seems?| will be| would be)? |sounds |looks |is )"
    r"(?:all |just |very |really |exactly |absolutely |totally |so )*"
    rf"(?:{_GOOD})(?: (?:for|by|with|to) me| enough| indeed)?"
    r"|(?:yes )?(?:(?:that|this|it|that one) )?(?:will |would |should |does )?(?:works?|do)"
    r"(?: (?:for me|just fine|fine|great|well))+"
    r"|(?:yes )?(?:that|this|it) (?:will|would|should) (?:work|do)"
    r"|(?:yes )?(?:that|this) (?:works(?: out)?(?: for me)?|suits(?: for)? me)"
    r"|(?:yes )?(?:that is|that's|this is) (?:exactly )?what i (?:want|need|wanted|meant|said)"
    r"|i (?:approve|agree|accept)(?: (?:of |with |to )?(?:that|this|it))?|(?:i )?sure do"
    r"|you(?:'?re| are) (?:absolutely |quite |totally )?(?:right|correct)"
    r"|you got (?:it|that)(?: right| correct)?|you have (?:it|that) (?:right|correct)|you nailed it"
    r"|(?:that|this|it)(?:(?:'?ll| will) do| suits me)(?: (?:fine|nicely|well|just fine))?"
    r"|that'?s (?:the plan|about it|what i want|exactly it)"
    r"|(?:(?:eso|esto|todo|asi) )?(?:esta|es|suena|(?:me|nos) (?:parece|va|viene|sirve|queda|cuadra|encaja)) "
    r"(?:muy |todo |asi |super |de )*(?:bien|perfecto|correcto|genial|barbaro|estupendo|fenomenal|fantastico|conforme"
    r"|perlas|maravilla|lujo|cine)|todo (?:bien|perfecto|correcto|conforme|ok)"
)

_MEANING: dict[str, bool | None] = {
    **dict.fromkeys(_POLITE, None),
    **dict.fromkeys(_YES, True),
    **dict.fromkeys(_NO, False),
}
_ENGLISH_LETTERS = {"y": True, "n": False}
_SPANISH_LETTERS = {"s": True, "n": False}  # y is "and"
_LONGEST = max(6, *(phrase.count(" ") + 1 for phrase in _MEANING))
_MOST_WORDS = 8


@register
class Boolean(ValueType[bool]):
    """An answer, or a switch."""

    name = "boolean"

    def parse(self, text: str, reading: Reading) -> bool:
        phrase = fold(text)
        letters = _SPANISH_LETTERS if is_spanish(reading.language) else _ENGLISH_LETTERS
        answer = letters[phrase] if phrase in letters else _MEANING.get(phrase)
        if answer is not None:
            return answer
        return _agreed(phrase)

    def coerce(self, value: object, reading: Reading) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.parse(value, reading)
        raise ValueError("not a yes or no")

    def dump(self, value: bool) -> Json:
        return value

    def load(self, data: Json) -> bool:
        if isinstance(data, bool):
            return data
        raise ValueError("not a stored boolean")

    def format(self, value: bool, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        if is_spanish(language):
            return "sí" if value else "no"
        return "yes" if value else "no"


def approves(phrase: str) -> bool:
    """Whether a folded phrase finds something good: "that sounds great", "me parece bien"."""
    return _APPROVES.fullmatch(phrase) is not None


def _agreed(phrase: str) -> bool:
    """What several answers in a row say ("sí, claro", "no, thanks"), when they all say the same."""
    words = phrase.replace(",", " ").replace(".", " ").replace("!", " ").split()
    if not words or len(words) > _MOST_WORDS:
        raise ValueError("not a yes or no")
    meanings = _meanings(words)
    if meanings is None:
        raise ValueError("not a yes or no")
    if len(meanings) != 1:
        raise ValueError("neither yes nor no")
    return meanings.pop()


def _meanings(words: list[str]) -> set[bool] | None:
    """What the words say if they can be cut into answers: "sure, do it" has "sure do" in it, but also "do it"."""
    if not words:
        return set()
    for end in range(min(_LONGEST, len(words)), 0, -1):
        piece = " ".join(words[:end])
        rest = _meanings(words[end:]) if piece in _MEANING or approves(piece) else None
        if rest is not None:
            meaning = _MEANING.get(piece, True)
            return rest if meaning is None else {*rest, meaning}
    return None
