"""How many people are meant where nobody counts them: 'just me', 'two adults and a child'."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from soni.core.values.numerals import numerals
from soni.du.local.words import fold
from soni.languages import any_of, built, longest_first

if TYPE_CHECKING:
    from soni.languages import Language


class _People:
    """Who comes, in some languages."""

    def __init__(self, words: Language) -> None:
        said, self.count = words.names, numerals(words).count
        number = any_of(longest_first(word for word in self.count if word.isalpha()))
        self.members = re.compile(
            rf"\b(?:(?P<me>{any_of(said.me)})"
            rf"|{any_of(said.whose_person)} (?:(?P<one>{any_of(said.one_person)})|(?P<two>{any_of(said.two_people)}))"
            rf"|(?:{any_of(said.whose_people)} )?(?P<count>\d{{1,3}}|{number}|{any_of(said.one_more)}) "
            rf"(?:{any_of(said.more_people)} )?{any_of(said.several_people)})\b"
        )
        self.alone = re.compile(rf"\b{any_of(said.alone)}\b(?!,? *(?:{any_of(said.not_alone)}|&|\+)(?!\w))")
        self.both = re.compile(any_of(said.both))
        self.between = re.compile(rf"[\s,&+]*(?:{any_of(said.and_people)}\b[\s,]*)*")


_people = built(_People)


def people_in(text: str, words: Language) -> tuple[int, int, int] | None:
    """How many people the words list, and where they do so; None if they list none."""
    folded, known = fold(text), _people(words)
    for pattern, count in ((known.alone, 1), (known.both, 2)):
        if hit := pattern.search(folded):
            return count, hit.start(), hit.end()
    chains: list[list[re.Match[str]]] = []
    for member in known.members.finditer(folded):
        if chains and known.between.fullmatch(folded[chains[-1][-1].end() : member.start()]):
            chains[-1].append(member)
        else:
            chains.append([member])
    listed = [chain for chain in chains if _is_list(chain) and _is_joined(chain, folded)]
    if len(listed) != 1:
        return None
    return sum(_heads(member, known) for member in listed[0]), listed[0][0].start(), listed[0][-1].end()


def _is_list(members: list[re.Match[str]]) -> bool:
    """Whether these are all who come: the one who speaks and others, or several that are counted."""
    speaks = sum(member["me"] is not None for member in members)
    counted = all(member["count"] is not None for member in members)
    return len(members) > 1 and (speaks == 1 or (counted and speaks == 0))


def _is_joined(members: list[re.Match[str]], folded: str) -> bool:
    """Whether an 'and' is among them: 'book me, my mother is ill' lists nobody."""
    between = [folded[one.end() : other.start()] for one, other in pairwise(members)]
    return any(re.search(r"[a-z&+]", words) for words in between)


def _heads(member: re.Match[str], known: _People) -> int:
    if member["count"] is None:
        return 2 if member["two"] is not None else 1
    word = member["count"]
    return int(word) if word.isdigit() else known.count.get(word, 1)
