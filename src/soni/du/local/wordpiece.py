"""Words cut into the pieces that the English encoder knows."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

_WORDS = Path(__file__).parent / "weights" / "words.txt"
_TOKEN = re.compile(r"(?:[^\W_]|[€£¥₹¢])+|[^\w\s]|_")
_LONGEST_WORD = 100
_BEGIN, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


@lru_cache(maxsize=1)
def _vocabulary() -> dict[str, int]:
    return {word: number for number, word in enumerate(_WORDS.read_text(encoding="utf-8").splitlines())}


def is_word(word: str) -> bool:
    """Whether a word in lower case is one of the vocabulary's own."""
    return word in _vocabulary()


def piece_ids(text: str, most: int) -> list[int]:
    """The numbers of a text's pieces, between the marks of a beginning and an end."""
    known = _vocabulary()
    plain = unicodedata.normalize("NFD", text.lower())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    ids = [known[_BEGIN]]
    for token in _TOKEN.findall(plain):
        ids += _pieces(token)
        if len(ids) >= most:
            break
    return [*ids[: most - 1], known[_END]]


@lru_cache(maxsize=8192)
def _pieces(token: str) -> tuple[int, ...]:
    known, unknown = _vocabulary(), (_vocabulary()[_UNKNOWN],)
    if len(token) > _LONGEST_WORD:
        return unknown
    ids: list[int] = []
    start = 0
    while start < len(token):
        for end in range(len(token), start, -1):
            piece = token[start:end] if start == 0 else f"##{token[start:end]}"
            if piece in known:
                ids.append(known[piece])
                start = end
                break
        else:
            return unknown
    return tuple(ids)
