"""Dialogue acts in English and Spanish: yes, no, cancel, help, thanks; read only where they make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import ChitChat, Help, HumanHandoff, Repeat, Restart, ResumeFlow
from soni.core.values.boolean import Boolean
from soni.du.local.words import content, lexicon

if TYPE_CHECKING:
    from soni.core.commands import Command
    from soni.core.values import Reading

_BOOLEAN = Boolean()

_FILLERS = lexicon(
    "a ah ahora all alright and bueno eh eso esto favor gracias hey i it just la las lo me muchas now oh please "
    "por pues que quiero so thank thanks that the think this to uh um want well y you"
)
_CANCEL = lexicon(
    "abort anula anular anulalo cancel cancela cancelalo cancelar cancelemos cancelo dejalo dejemoslo olvidalo "
    "olvidate quit stop detente basta"
)
_CANCEL_PHRASES = (
    "never mind", "nevermind", "forget it", "forget about it", "forget that", "drop it", "leave it", "olvida eso",
    "dejalo estar", "no quiero seguir", "i changed my mind", "he cambiado de idea", "para todo", "ya no quiero",
)  # fmt: skip
_BEFORE_CANCEL = lexicon("no yes si can could you puedo puedes podemos actually sorry wait please")
_REFUSALS = (
    "dont", "do not", "i dont want", "i do not want", "i would not", "not ", "never ", "anything but", "no quiero",
    "no lo ", "no la ", "no me ", "no envies", "no mandes", "no hagas", "no pagues", "no bloquees", "ya no ", "nunca ",
)  # fmt: skip
_ACK = lexicon(
    "ok okay okey vale entendido understood got gotcha claro bien fine next siguiente continue continua sigue si "
    "yes perfecto listo"
)
_DENIALS = lexicon("no nope nah nop negativo negative never jamas nunca not incorrect incorrecto wrong")


def is_cancel(text: str) -> bool:
    """Whether the whole message asks to stop what is being done."""
    words = content(text)
    joined = " ".join(words)
    if any(phrase in joined for phrase in _CANCEL_PHRASES) and len(words) <= 8:
        return True
    rest = [word for word in words if word not in _FILLERS and word not in _BEFORE_CANCEL]
    return bool(rest) and all(word in _CANCEL for word in rest)


def is_refusal(text: str) -> bool:
    """Whether the message says what is not wanted: "don't send it", "no quiero enviar nada", "not the debit one"."""
    words = " ".join(content(text)[:4]).replace("'", "").replace("’", "")
    return words.startswith(_REFUSALS)


def begins_with_cancel(text: str, longest: int = 6) -> bool:
    """Whether a short message asks to cancel something: 'cancel the transfer', 'anula el pago'."""
    words = content(text)
    first = next((word for word in words if word not in _FILLERS), "")
    return len(words) <= longest and first in _CANCEL


def yes_or_no(text: str, reading: Reading) -> bool | None:
    """True for a yes, False for a no, None for anything that is neither, or both.

    Every word must agree to a yes: "claro que no", "ok, wait" and "sure, don't" are none. A no may say more.
    """
    first = content(text)[:1]
    denies = bool(first) and first[0] in _DENIALS
    if "?" in text:
        return False if denies else None
    try:
        return _BOOLEAN.parse(text, reading)
    except ValueError:
        return False if denies else None


def is_acknowledgement(text: str) -> bool:
    """Whether the message only says that it was seen."""
    rest = [word for word in content(text) if word not in _FILLERS]
    return not rest or all(word in _ACK or word in {"it", "know"} for word in rest)


_AROUND = lexicon(
    "a ah al and ante bien bueno can could dime do eh el entonces favor for hey i im just la las le lo los me my now "
    "oh ok okay para please por pues puede puedes puedo que quiero quisiera so te the there to tu un una us vale want "
    "we well would like y ya you your si gustaria"
)
"""Words that change nothing about an act."""

_PHRASES: list[tuple[Command, tuple[str, ...]]] = [
    (Help(), (
        "help", "help me", "i need help", "i need some help", "what can you do", "what can you do for me",
        "what else can you do", "what can i do", "what can i do here", "what can i ask", "how does this work",
        "what can you help me with", "how can you help", "how can you help me", "what are my options",
        "what options do i have", "menu", "options", "ayuda", "ayudame", "necesito ayuda", "que puedes hacer",
        "que mas puedes hacer", "que sabes hacer", "en que me puedes ayudar", "en que puedes ayudarme",
        "que puedo hacer", "que puedo hacer aqui", "que puedo pedirte", "que opciones hay", "que opciones tengo",
        "opciones", "para que sirves", "como funciona esto",
    )),
    (Repeat(), (
        "repeat", "repeat that", "repeat it", "repeat the question", "can you repeat that", "say that again",
        "say it again", "come again", "pardon", "what did you say", "what was that", "what was the question",
        "sorry what", "once more", "again", "repite", "repitelo", "repite la pregunta", "puedes repetir",
        "puedes repetirlo", "otra vez", "dilo otra vez", "que has dicho", "que dijiste", "como has dicho",
        "cual era la pregunta", "perdona que has dicho",
    )),
    (Restart(), (
        "restart", "start over", "start again", "begin again", "start from the beginning", "start from scratch",
        "lets start over", "from the beginning", "empezar de nuevo", "empecemos de nuevo", "empieza de nuevo",
        "volver a empezar", "volvamos a empezar", "reiniciar", "reinicia", "desde el principio", "desde cero",
    )),
    (ResumeFlow(), (
        "go back", "lets go back", "back to that", "back to where we were", "where were we", "resume",
        "go on with that", "continue with that", "lets continue", "go back to what we were doing", "volvamos",
        "volver", "volvamos a lo de antes", "sigamos", "sigamos con eso", "continuemos", "sigue con lo de antes",
        "por donde ibamos", "sigamos donde lo dejamos", "volvamos a eso",
    )),
    (HumanHandoff(), (
        "human", "agent", "operator", "representative", "real person", "a person", "an agent", "customer service",
        "human please", "persona", "una persona", "humano", "un humano", "agente", "un agente", "operador",
        "atencion al cliente", "una persona real", "connect me to a person", "connect me to an agent",
        "transfer me to an agent", "get me a person", "pasame con una persona", "pasame con un agente",
        "ponme con una persona", "ponme con un agente",
    )),
    (ChitChat(topic="greeting"), (
        "hello", "hi", "hi there", "hey", "hello there", "good morning", "good afternoon", "good evening",
        "how are you", "hi how are you", "hello how are you", "hola", "buenas", "buenos dias", "buenas tardes",
        "buenas noches", "hola buenas", "hola que tal", "que tal", "hola buenos dias", "hola buenas tardes",
        "como estas", "hola como estas",
    )),
    (ChitChat(topic="thanks"), (
        "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "thx", "cheers", "great thanks",
        "thank you so much", "perfect thanks", "gracias", "muchas gracias", "mil gracias", "perfecto gracias",
        "genial gracias", "muy amable", "te lo agradezco",
    )),
    (ChitChat(topic="goodbye"), (
        "bye", "bye bye", "goodbye", "good bye", "see you", "see you later", "thats all", "that is all",
        "thats all thanks", "thanks bye", "nothing else", "adios", "hasta luego", "hasta pronto", "chao", "nos vemos",
        "eso es todo", "nada mas", "gracias adios", "eso es todo gracias",
    )),
]  # fmt: skip
_SKIPS = (
    "skip", "skip it", "skip that", "skip this", "skip this question", "pass", "leave it empty", "leave it blank",
    "leave that out", "rather not say", "prefer not to say", "i would rather not say", "id rather not say",
    "i dont have one", "saltar", "saltalo", "saltatelo", "omitir", "omitelo", "paso", "dejalo en blanco",
    "dejalo vacio", "prefiero no decirlo", "no tengo", "pasa a la siguiente",
)  # fmt: skip
_NOTHINGS = ("no", "nope", "none", "nothing", "no thanks", "no thank you", "nada", "ninguno", "ninguna", "no gracias")
_PEOPLE = lexicon("person human agent operator representative someone somebody persona humano agente operador alguien")
_MOST_WORDS = 10
_TALKING = lexicon("talk speak chat hablar hablo hable")


def _core(text: str) -> tuple[str, ...]:
    words = tuple(word.replace("'", "").replace("’", "") for word in content(text))
    return tuple(word for word in words if word not in _AROUND) or words


_ACTS: dict[tuple[str, ...], Command] = {_core(phrase): act for act, phrases in _PHRASES for phrase in phrases}
_SKIP_CORES = frozenset(_core(phrase) for phrase in _SKIPS)
_NOTHING_CORES = frozenset(_core(phrase) for phrase in _NOTHINGS)


def act_of(text: str) -> Command | None:
    """What the whole message does, if it is one of the things people say to any assistant."""
    core = _core(text)
    if core in _ACTS:
        return _ACTS[core]
    words = set(content(text))
    return HumanHandoff() if len(words) <= _MOST_WORDS and words & _PEOPLE and words & _TALKING else None


def is_skip(text: str, *, optional: bool) -> bool:
    """Whether the message declines to answer; a plain no does so where an answer is not needed."""
    core = _core(text)
    return core in _SKIP_CORES or (optional and core in _NOTHING_CORES)
