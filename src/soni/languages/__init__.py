"""Everything that is English, Spanish or of another language: one folder of data each, and what reads them."""

from soni.languages.kinds import any_of, filled, longest_first
from soni.languages.language import (
    ENGLISH,
    FOLDER,
    Language,
    built,
    known_languages,
    language,
    languages,
    problems,
    shown_in,
    shown_texts,
    vocabulary_of,
)

__all__ = [
    "ENGLISH",
    "FOLDER",
    "Language",
    "any_of",
    "built",
    "filled",
    "known_languages",
    "language",
    "languages",
    "longest_first",
    "problems",
    "shown_in",
    "shown_texts",
    "vocabulary_of",
]
