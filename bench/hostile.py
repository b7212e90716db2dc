"""Messages made to be slow, in any length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def repeated(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A text of some length that is made of one piece again and again."""

    def text(length: int) -> str:
        room = max(length - len(before) - len(after), 0)
        return before + (piece * (room // len(piece) + 1))[:room] + after

    return text


KINDS: dict[str, Callable[[int], str]] = {
    "spaces": repeated(" ", "a", "b"),
    "tabs and no-break spaces": repeated("\t\xa0", "a", "b"),
    "line breaks": repeated("\n", "a", "b"),
    "zero-width spaces": repeated("\u200b\u202e", "a", "b"),
    "control characters": repeated("\x07", "a", "b"),
    "accents on one letter": repeated("\u0301\u0327", "a"),
    "no": repeated("no "),
    "commas": repeated(", "),
    "full stops": repeated("."),
    "exclamation marks": repeated("!", "pay", "x"),
    "question marks": repeated("? "),
    "one long word": repeated("a"),
    "digits": repeated("9"),
    "digits and blanks": repeated("1 "),
    "number words": repeated("hundred thousand "),
    "corrections": repeated("20, no wait, 30, "),
    "courtesies": repeated("vale, "),
    "wait a moment": repeated("wait a moment, "),
    "and then": repeated(" and then "),
    "change the": repeated("change the amount to "),
    "names": repeated("Ana María de la O ", "to "),
    "at signs": repeated("a@", "", "!"),
    "brackets": repeated("({[<"),
    "braces of templates": repeated("{amount} {0.__class__} "),
    "dates": repeated("next monday in two weeks "),
    "times": repeated("half past six in the morning "),
    "yes": repeated("yes "),
    "tell them that": repeated("tell them that "),
    "emoji": repeated("😀👩‍👩‍👧"),
    "Chinese": repeated("转账给安娜"),
    "every character": lambda length: "".join(chr(0xA1 + number % 50_000) for number in range(length)),
    "slips": repeated("trasnfer muney too "),
}
