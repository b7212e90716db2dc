"""How many people are meant where nobody counts them: 'just me', 'mi pareja y yo', 'two adults and a child'."""

from __future__ import annotations

import re
from itertools import pairwise

from soni.core.values.numerals import COUNT
from soni.du.local.words import fold

_ONE = (
    "wife|husband|partner|boyfriend|girlfriend|fiancee?|mum|mom|mother|dad|father|son|daughter|brother|sister|friend|"
    "boss|colleague|aunt|uncle|cousin|grandma|grandmother|grandpa|grandfather|baby|kid|child|toddler|neighbour|neighbor|"
    "mate|date|missus|missis|hubby|wifey|gf|bf|bestie|polola|pololo|flatmate|roommate|mujer|marido|esposa|esposo|pareja|novia|novio|madre|padre|mama|papa|hijo|hija|hermano|hermana|amigo|amiga|"
    "jefe|jefa|tia|tio|prima|primo|abuela|abuelo|bebe|nino|nina|vecino|vecina|suegra|suegro|companero|companera|senora|"
    "chico|chica|cunado|cunada|nieto|nieta"
)
_TWO = "parents|twins|in-laws|inlaws|grandparents|padres|papas|gemelos|gemelas|mellizos|mellizas|suegros|abuelos"
_MANY = (
    "adults?|kids?|children|child|babies|people|persons?|friends|mates|guests|grown-?ups?|toddlers?|teenagers?|"
    "colleagues|adultos?|ninos?|ninas?|ninxs|peques|personas?|amigos|amigas|bebes?|mayores|chicos|chicas|chavales|hijos|"
    "hijas|menores|primos|hermanos|colegas|companeros"
)
_NUMBER = rf"\d{{1,3}}|{'|'.join(sorted((word for word in COUNT if word.isalpha()), key=len, reverse=True))}|an?"
_MEMBERS = re.compile(
    r"\b(?:(?P<me>me|myself|i|yo|un servidor|una servidora)"
    rf"|(?:my|our|the|his|her|mi|mis|nuestr[oa]s?|el|la|los|las|su|sus|un|una) (?:(?P<one>{_ONE})|(?P<two>{_TWO}))"
    rf"|(?:(?:my|our|mis|los|las|the) )?(?P<count>{_NUMBER}) (?:(?:more|mas|of my|de mis) )?(?:{_MANY}))\b"
)
_ALONE = re.compile(
    r"\b(?:(?:just|only) (?:me|myself|the one)|solo yo|yo solo|yo sola|nomas yo|solamente yo|para mi (?:solo|sola)|"
    r"voy (?:solo|sola))\b(?!,? *(?:and|y|e|with|con|plus|mas|&|\+)(?!\w))"
)
_BOTH = re.compile(
    r"\b(?:the two of us|both of us|us two|we two|two of us|a couple(?! of)|nosotros dos|nosotras dos|somos pareja|"
    r"en pareja|una pareja)\b|^(?:solo |para )?los dos\b"
)
_BETWEEN = re.compile(r"[\s,&+]*(?:(?:and|y|e|plus|con|with|mas|tambien|also)\b[\s,]*)*")


def people_in(text: str) -> tuple[int, int, int] | None:
    """How many people the words list, and where they do so; None if they list none."""
    folded = fold(text)
    for pattern, count in ((_ALONE, 1), (_BOTH, 2)):
        if hit := pattern.search(folded):
            return count, hit.start(), hit.end()
    chains: list[list[re.Match[str]]] = []
    for member in _MEMBERS.finditer(folded):
        if chains and _BETWEEN.fullmatch(folded[chains[-1][-1].end() : member.start()]):
            chains[-1].append(member)
        else:
            chains.append([member])
    listed = [chain for chain in chains if _is_list(chain) and _is_joined(chain, folded)]
    if len(listed) != 1:
        return None
    return sum(map(_heads, listed[0])), listed[0][0].start(), listed[0][-1].end()


def _is_list(members: list[re.Match[str]]) -> bool:
    """Whether these are all who come: the one who speaks and others, or several that are counted."""
    speaks = sum(member["me"] is not None for member in members)
    counted = all(member["count"] is not None for member in members)
    return len(members) > 1 and (speaks == 1 or (counted and speaks == 0))


def _is_joined(members: list[re.Match[str]], folded: str) -> bool:
    """Whether an 'and' is among them: 'book me, my mother is ill' lists nobody."""
    between = [folded[one.end() : other.start()] for one, other in pairwise(members)]
    return any(re.search(r"[a-z&+]", words) for words in between)


def _heads(member: re.Match[str]) -> int:
    if member["count"] is None:
        return 2 if member["two"] is not None else 1
    word = member["count"]
    return int(word) if word.isdigit() else COUNT.get(word, 1)
