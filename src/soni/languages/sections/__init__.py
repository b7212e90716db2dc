"""The files of a language, each with its entries."""

from soni.languages.sections.talk import Acts, Answers, Corrections, Courtesies, Names
from soni.languages.sections.values import Calendar, Money, Numbers, Spelling

__all__ = ["Acts", "Answers", "Calendar", "Corrections", "Courtesies", "Money", "Names", "Numbers", "Spelling"]
