"""Dialogue acts in English and Spanish: what people say to any assistant, word for word or nearly so."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from soni.core.commands import CancelFlow, ChitChat, Help, HumanHandoff, Repeat, Restart, ResumeFlow, Skip
from soni.du.local.encoder import phrase_vectors, vector
from soni.du.local.words import content, fold, lexicon

if TYPE_CHECKING:
    from soni.core.commands import Command
    from soni.du.local.encoder import Vectors

_AROUND = lexicon(
    "a ah al and ante bien bueno can could dime do eh el entonces favor for hey i im just la las le lo los me my "
    "now oh ok okay para please pls plz por porfa pues puede puedes puedo que quiero quisiera so te the there to "
    "lets let's tu un una us vale want we well would like y ya you your si gustaria mate u bah buf uf uy ay "
    "hala ea anda q aqui aca actually"
)
"""Words that change nothing about an act."""

_POLITE = lexicon("please pls plz porfa por favor ok okay vale oh hey well bueno pues ya now ahora just so")

_PHRASES: list[tuple[Command, tuple[str, ...]]] = [
    (Help(), (
        "help", "help me", "i need help", "i need some help", "what can you do", "what can you do for me",
        "what sort of things can you do", "what sort of things can you do for me", "what sort of stuff can you do",
        "what kind of things can you do", "what kind of stuff can you do", "what things can you do",
        "que cosas puedes hacer", "que cosas sabes hacer", "que cosas puedo pedirte", "que cosas puedo hacer",
        "what else can you do", "what can i do", "what can i do here", "what can i ask", "how does this work",
        "what can you help me with", "how can you help", "how can you help me", "what are my options",
        "what options do i have", "menu", "options", "i am lost, what are you able to do", "i don't know what to say",
        "what kind of things do you handle", "what do you do here", "i am not sure what to do", "why does that matter",
        "why do you need that", "why do you ask", "what do you need that for", "why do you want to know",
        "ayuda", "ayudame", "necesito ayuda", "que puedes hacer", "que mas puedes hacer", "que sabes hacer",
        "en que me puedes ayudar", "en que puedes ayudarme", "que puedo hacer", "que puedo hacer aqui",
        "que puedo pedirte", "que opciones hay", "que opciones tengo", "opciones", "para que sirves",
        "como funciona esto", "no se que hacer", "que cosas puedes gestionar", "que tipo de cosas haces",
        "no entiendo que tengo que hacer", "para que necesitas eso", "por que me preguntas eso",
        "para que quieres saberlo",
    )),
    (Repeat(), (
        "repeat", "repeat that", "repeat it", "repeat the question", "can you repeat that", "say that again",
        "say it again", "come again", "pardon", "what did you say", "what was that", "what was the question",
        "sorry what", "once more", "again", "what was that again", "i did not catch that",
        "didnt catch that", "i didnt catch that", "ask me again", "ask me once more",
        "can you say it once more",
        "what did you ask me", "can you read that out again", "i missed that", "mande", "como dice", "como dices",
        "que me preguntaste", "que me has preguntado", "no te entendi", "no te he entendido", "no te he pillado",
        "que me has pedido", "que me pediste", "repitame eso", "repiteme eso", "me lo repites",
        "repite", "repitelo", "repite la pregunta", "puedes repetir", "puedes repetirlo", "otra vez",
        "dilo otra vez", "que has dicho", "que dijiste", "como has dicho", "cual era la pregunta",
        "perdona que has dicho", "me repite la pregunta", "no te he oido bien", "me lo dices otra vez",
    )),
    (Restart(), (
        "restart", "start over", "start again", "begin again", "start from the beginning", "start from scratch",
        "lets start over", "from the beginning", "scrap everything and start over", "let's begin from zero",
        "empezar de nuevo", "empecemos de nuevo", "empieza de nuevo", "volver a empezar", "volvamos a empezar",
        "reiniciar", "reinicia", "desde el principio", "desde cero", "empecemos todo desde cero",
        "borra todo y empezamos de nuevo", "borra todo", "empezamos otra vez", "empecemos otra vez", "wipe everything",
    )),
    (ResumeFlow(), (
        "go back", "lets go back", "back to that", "back to where we were", "where were we", "resume",
        "go on with that", "continue with that", "lets continue", "go back to what we were doing",
        "back to what we were doing before", "let's get back to that", "continue where we left off",
        "volvamos", "volver", "volvamos a lo de antes", "sigamos", "sigamos con eso", "continuemos",
        "sigue con lo de antes", "por donde ibamos", "sigamos donde lo dejamos", "volvamos a eso",
        "retomemos lo que dejamos a medias",
    )),
    (HumanHandoff(), (
        "human", "agent", "operator", "representative", "real person", "a person", "an agent", "customer service",
        "human please", "connect me to a person", "connect me to an agent", "transfer me to an agent",
        "get me a person", "let me speak to somebody", "i want to talk to a real person", "can i speak to the manager",
        "is there a human i can talk to", "i'd rather talk to someone",
        "persona", "una persona", "humano", "un humano", "agente", "un agente", "operador", "atencion al cliente",
        "una persona real", "pasame con una persona", "pasame con un agente", "ponme con una persona",
        "ponme con un agente", "quiero hablar con alguien", "puedo hablar con el encargado",
        "alguien de carne y hueso por favor",
    )),
    (ChitChat(topic="greeting"), (
        "hello", "hi", "hi there", "hey", "hello there", "good morning", "good afternoon", "good evening", "hiya",
        "how are you", "hi how are you", "hello how are you", "howdy", "good day", "hola", "buenas", "buenos dias",
        "buenas tardes", "buenas noches", "hola buenas", "hola que tal", "que tal", "hola buenos dias",
        "hola buenas tardes", "como estas", "hola como estas", "muy buenas", "wenas",
    )),
    (ChitChat(topic="thanks"), (
        "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "thx", "cheers", "great thanks",
        "thank you so much", "perfect thanks", "thanks you have been very kind", "cheers that was really helpful",
        "gracias", "muchas gracias", "mil gracias", "perfecto gracias", "genial gracias", "muy amable",
        "te lo agradezco", "muchisimas gracias", "gracias por tu ayuda", "gracias me has salvado",
    )),
    (ChitChat(topic="goodbye"), (
        "bye", "bye bye", "goodbye", "good bye", "see you", "see you later", "thats all", "that is all",
        "thats all thanks", "thanks bye", "nothing else", "that will be all for today", "have a nice day",
        "adios", "hasta luego", "hasta pronto", "chao", "nos vemos", "eso es todo", "nada mas", "gracias adios",
        "eso es todo gracias", "que tengas un buen dia",
    )),
    (CancelFlow(), (
        "cancel", "cancel that", "cancel it", "stop", "stop it", "never mind", "nevermind", "forget it",
        "forget about it", "forget that", "forget the whole thing", "drop it", "leave it", "i changed my mind",
        "i don't want to do this anymore", "i do not want this any more", "abort", "quit", "call it off",
        "cancela", "cancelalo", "cancelar", "anula", "anulalo", "dejalo", "dejalo estar", "dejemoslo", "olvidalo",
        "olvida eso", "he cambiado de idea", "ya no quiero hacerlo", "no quiero seguir", "para todo", "basta",
        "mejor dejalo", "dejalo da igual", "ya no hace falta",
    )),
    (Skip(), (
        "skip", "skip it", "skip that", "skip this", "skip this question", "pass", "leave it empty",
        "leave it blank", "leave that out", "rather not say", "prefer not to say", "i would rather not say",
        "id rather not say", "i dont have one", "i'd rather not give that out", "i prefer not to answer that",
        "next question", "i don't need that", "i'd rather keep that to myself", "just move on", "let's skip that one",
        "i don't want to give my number", "i don't have it on me",
        "saltar", "saltalo", "saltatelo", "saltatela", "omitir", "omitelo", "paso",
        "dejalo en blanco", "dejalo vacio", "prefiero no decirlo", "prefiero no dar ese dato", "no tengo",
        "pasa a la siguiente", "esa me la salto", "prefiero no contestar", "siguiente pregunta", "no lo tengo a mano",
        "eso me lo guardo", "no hace falta ese dato", "mejor no lo doy",
    )),
]  # fmt: skip

_NOTHINGS = (
    "no", "nope", "none", "nothing", "no thanks", "no thank you", "nada", "ninguno", "ninguna", "no gracias",
    "nothing else", "no nothing else", "that's all", "no that's all", "nada mas", "no nada mas", "eso es todo",
    "no hace falta", "no es necesario", "no need", "no need for that", "not necessary", "not needed",
)  # fmt: skip
_NEEDLESS = (
    "no hace falta", "no es necesario", "no hay necesidad", "no need", "not necessary", "not needed", "no necesito",
    "i dont need", "i wont need", "no me hace falta", "no ocupo",
)  # fmt: skip
_WITHHELD = re.compile(
    r"\b(?:paso de|no (?:quiero|pienso|voy a)|prefiero no|mejor no|no te l[oa]) (?:dar|decir|poner|contar|dejar)"
    r"(?:te|os|le|les)?(?:l[oa]s?)?$|\bno ocupo\b"
)
"""'Paso de darlo', 'prefiero no decirlo'."""
_CANCEL = lexicon(
    "abort anula anular anulalo anulala anulelo anulela cancel cancela cancelalo cancelala cancelelo cancelela "
    "cancelame cancelen cancelar cancelemos cancelo cancele "
    "deja dejalo dejemoslo olvida olvidalo olvidate quit stop detente basta scrap scratch drop forget anule pare nvm"
)
_CANCEL_PHRASES = (
    "never mind", "nevermind", "call it off", "i dont want to", "ya no quiero", "no quiero seguir", "paso de",
    "corta con", "ya paso de", "dejate de", "dejemos", "quita quita",
)  # fmt: skip
_KEEP = re.compile(
    r"\b(?:no|nunca) (?:(?:me|la|lo|las|los|se|te|le|nos) )*(?:cancel\w*|anul\w*|borr\w*|elimin\w*|quit[ea]\w*)\b"
    r"|\b(?:don'?t|do not|not|never) (?:you )?(?:cancel\w*|delete|remove|drop|scrap)\b"
)
"""'No la anule todavía': it is not to be called off."""
_RESUME = lexicon("back resume sigamos sigue seguimos volvamos volver continuemos continua continue retomemos retoma")
_RESUME_PHRASES = ("go back", "get back", "carry on", "go on", "vamos volver")
_UNDOING = ("cancel", "anul", "annul", "revoke", "borr", "elimin")
_UNDONE = (
    "call off", "no longer need", "cant make it", "cannot make it", "wont make it", "cant come", "no podemos ir",
    "no vamos a ir", "no podre ir", "no iremos", "ya no vamos", "al final no", "drop our", "drop my", "take us off",
    "quita la", "quitar la", "not coming",
)  # fmt: skip
_PEOPLE = lexicon(
    "person human agent operator representative someone somebody anyone manager advisor adviser employee persona "
    "humano agente operador operadora alguien encargado encargada responsable gestor gestora asesor asesora "
    "empleado empleada"
)
_TALKING = lexicon(
    "talk speak chat call through thru connect hablar hablo hable hablamos comunicar comuniqueme comunicame pasame "
    "ponme paseme pongame llame llamen pase pasen pasa comunique comuniquen atienda atiendan atiende"
)
_WANTING = lexicon("want need give get put quiero necesito dame deme prefiero rather")
_ONESELF = lexicon(
    "i me my can could let hablo quiero quisiera puedo podria pasame ponme necesito dame deme please pls porfa us"
)
_VAGUELY = lexicon("someone somebody anyone alguien persona person")
_MOST_WORDS = 12
_WHY = re.compile(
    r"^(?:and |but |y |pero )*(?:(?:el|la|eso|ese|esa|este|esta|lo)(?: \w+){0,2} )?"
    r"(?:why|how come|what for|what do you|para que|pa que|pa q|por que|xq)\b.*"
    r"\b(?:need|want|asking|ask|have to|tengo que|hay que|necesit\w*|quer\w*|quier\w*|pid\w*|ped\w*|pregunt\w*)\b"
)
"""Asking back about the question itself."""
_REFUSALS = (
    "dont", "do not", "i dont want", "i do not want", "i would not", "not ", "never ", "anything but", "no quiero",
    "no lo ", "no la ", "no me ", "no envies", "no mandes", "no hagas", "no pagues", "no bloquees", "ya no ", "nunca ",
)  # fmt: skip
_ACK = lexicon(
    "ok okay okey vale entendido understood got gotcha claro bien fine next siguiente continue continua sigue si "
    "yes perfecto listo it know great perfect"
)

WORDS = frozenset(word for _, phrases in _PHRASES for phrase in phrases for word in phrase.split()) | _ACK
"""Every word of an act, for slips of the keyboard to be put right."""


def _plain(text: str) -> tuple[str, ...]:
    return tuple(word.replace("'", "").replace("’", "") for word in content(text))


def _core(text: str) -> tuple[str, ...]:
    """The words that make an act: without those that change nothing, unless hardly any would be left."""
    words = _plain(text)
    telling = tuple(word for word in words if word not in _AROUND)
    if len(telling) > 1 or len(words) == 1:
        return telling or words
    return tuple(word for word in words if word not in _POLITE) or words


_ACTS: dict[tuple[str, ...], Command] = {_core(phrase): act for act, phrases in _PHRASES for phrase in phrases}
_NOTHING_CORES = frozenset(_core(phrase) for phrase in _NOTHINGS)


def act_of(text: str) -> Command | None:
    """What the whole message does, if it is, word for word, one of the things people say to any assistant."""
    core = _core(text)
    if core in _ACTS:
        return _ACTS[core]
    words = set(content(text))
    if _WHY.match(" ".join(_plain(text))) and len(words) <= _MOST_WORDS:
        return Help()
    asks = words & (_TALKING if words & _ONESELF else frozenset())
    wants = words & _PEOPLE and (asks or (words & _WANTING and words & (_PEOPLE - _VAGUELY) and words & _ONESELF))
    return HumanHandoff() if len(words) <= _MOST_WORDS and wants else None


def act_near(text: str) -> tuple[Command, float, str]:
    """The act that the message is most like, how much, and the phrase that shows it."""
    acts, phrases, vectors = _embedded()
    similar = vectors @ vector(text)
    best = int(np.argmax(similar))
    return acts[best], float(similar[best]), phrases[best]


@lru_cache(maxsize=1)
def _embedded() -> tuple[list[Command], list[str], Vectors]:
    pairs = [(act, phrase) for act, phrases in _PHRASES for phrase in phrases if len(phrase.split()) > 1]
    phrases = [phrase for _, phrase in pairs]
    return [act for act, _ in pairs], phrases, phrase_vectors(phrases)


def warm() -> None:
    """Embed the acts now rather than with the first message."""
    _embedded()


def declines(text: str) -> bool:
    """Whether the message says that there is nothing to answer, where an answer is not needed."""
    return _core(text) in _NOTHING_CORES


def withholds(text: str) -> bool:
    """The same in a sentence of its own; where any words are an answer it may be one: 'no need for such loud music'."""
    said = " ".join(_plain(text))
    return said.startswith(_NEEDLESS) or _WITHHELD.search(said) is not None


def keeps(text: str) -> bool:
    """Whether the message says that something is not to be called off."""
    return _KEEP.search(fold(text)) is not None


def begins_with_cancel(text: str) -> bool:
    """Whether the message begins by calling something off: 'cancel the transfer', 'olvídate de la carta'."""
    words = _plain(text)
    if keeps(text):
        return False
    first = next(
        (word for word in words if word not in _AROUND and word not in ("no", "mejor", "actually", "yes", "yeah")), ""
    )
    return first in _CANCEL or " ".join(words[:5]).startswith(_CANCEL_PHRASES)


def begins_with_resume(text: str) -> bool:
    """Whether the message goes back to something: 'back to the transfer', 'sigamos con la reserva'."""
    words = [word for word in _plain(text) if word not in _AROUND and word not in ("lets", "let's", "con")]
    return bool(words) and (words[0] in _RESUME or " ".join(words[:2]) in _RESUME_PHRASES)


def undoes(text: str) -> bool:
    """Whether some word of the text calls something off that was arranged before."""
    words = _plain(text)
    return any(word.startswith(_UNDOING) for word in words) or any(phrase in " ".join(words) for phrase in _UNDONE)


def is_refusal(text: str) -> bool:
    """Whether the message says what is not wanted: "don't send it", "no quiero enviar nada", "not the debit one"."""
    return " ".join(_plain(text)[:4]).startswith(_REFUSALS)


def is_acknowledgement(text: str) -> bool:
    """Whether the message only says that it was seen."""
    rest = [word for word in content(text) if word not in _AROUND]
    return not rest or all(word in _ACK for word in rest)
