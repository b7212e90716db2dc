"""Languages: folders of data, one for each, and several of them as one for an assistant that offers several."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import yaml

from soni.errors import ConfigError, Place, Problem, did_you_mean
from soni.languages import sections
from soni.languages.kinds import Fault, texts_in
from soni.source import FileReader, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from functools import _lru_cache_wrapper

    from soni.languages.kinds import Demand, Kind

T = TypeVar("T")

ENGLISH = "en"
"""The language that says which entries there are, and that is read where an assistant's own has no folder."""
FOLDER = Path(__file__).parent
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_SECTIONS: dict[str, type] = {
    "numbers": sections.Numbers,
    "calendar": sections.Calendar,
    "money": sections.Money,
    "spelling": sections.Spelling,
    "answers": sections.Answers,
    "acts": sections.Acts,
    "corrections": sections.Corrections,
    "names": sections.Names,
    "courtesies": sections.Courtesies,
}
_SHOWN = ("texts", "page", "chat")
"""Files of texts that people see; in each language they show the same fields."""
_WORD = re.compile(r"(?<![\\\w])[a-z']+")
_FIELD = re.compile(r"\{(\w+)\}")
_MOST_NAMED = 6


@dataclass(frozen=True, eq=False, slots=True)
class Language:
    """The words of one language, or of several that an assistant offers together."""

    codes: tuple[str, ...]
    numbers: sections.Numbers
    calendar: sections.Calendar
    money: sections.Money
    spelling: sections.Spelling
    answers: sections.Answers
    acts: sections.Acts
    corrections: sections.Corrections
    names: sections.Names
    courtesies: sections.Courtesies

    @classmethod
    def load(cls, folder: Path) -> Language:
        """Read a folder; ConfigError says all that is missing or wrong in it, and where."""
        try:
            read: dict[str, Any] = {
                name: _section(_raw(folder / f"{name}.yaml"), kind) for name, kind in _SECTIONS.items()
            }
        except (OSError, UnicodeDecodeError, yaml.YAMLError, Fault, KeyError, TypeError):
            raise ConfigError(list(problems(folder))) from None
        return cls((folder.name,), **read)


def problems(folder: Path) -> Iterable[Problem]:
    """What is missing or wrong in the folder of a language, each where it stands."""
    for name, kind in _SECTIONS.items():
        reader = FileReader(folder / f"{name}.yaml")
        try:
            reader.read()
        except Unreadable as error:
            yield error.problem
            continue
        yield from reader.problems
        yield from _faults(_raw(folder / f"{name}.yaml"), name, kind, reader)
    for name in _SHOWN:
        yield from _untold(folder, name)


def _faults(raw: object, name: str, kind: type, reader: FileReader) -> Iterable[Problem]:
    top = reader.source.place(()) or Place(reader.shown, 1, 1)
    if not isinstance(raw, dict):
        yield Problem(f"the file must be a map with the entries of {ENGLISH}/{name}.yaml.", place=top)
        return
    kinds: dict[str, Any] = get_type_hints(kind, include_extras=True)
    for entry in raw:
        if entry not in kinds:
            hint = did_you_mean(entry, kinds) or f"Those that there are stand in {ENGLISH}/{name}.yaml."
            yield Problem(f"there is no entry '{entry}'.", hint=hint, place=reader.source.place((entry,), key=True))
    for entry, annotated in kinds.items():
        wanted, demand = _kind_and_demand(annotated)
        if entry not in raw:
            hint = f"In English: {_example(name, entry)}. Write [] or {{}} if the language has none."
            yield Problem(f"'{entry}' is missing; it is {wanted.wanted}.", hint=hint, place=top)
            continue
        try:
            wanted.check(raw[entry], demand)
        except Fault as fault:
            place = reader.source.place((entry, *fault.path))
            yield Problem(f"'{entry}': {fault.message}", place=place)


def _example(name: str, entry: str) -> str:
    """The beginning of an entry as English has it."""
    value = _raw(FOLDER / ENGLISH / f"{name}.yaml").get(entry)
    words = list(value)[:_MOST_NAMED] if value else ["nothing"]
    return ", ".join(words) + (", …" if value and len(value) > _MOST_NAMED else "")


def _untold(folder: Path, name: str) -> Iterable[Problem]:
    """What is wrong with the texts that people see."""
    path = folder / f"{name}.yaml"
    reader = FileReader(path)
    try:
        reader.read()
    except Unreadable as error:
        yield error.problem
        return
    yield from reader.problems
    told, english = _raw(path), _raw(FOLDER / ENGLISH / f"{name}.yaml")
    top = reader.source.place(()) or Place(str(path), 1, 1)
    if not isinstance(told, dict):
        yield Problem(f"the file must be a map with the texts of {ENGLISH}/{name}.yaml.", place=top)
        return
    for text in english:
        if text not in told:
            yield Problem(f"the text '{text}' is missing.", hint=f"In English: {_sources(english[text])[0]}", place=top)
            continue
        place = reader.source.place((text,))
        if not all(isinstance(source, str) and source for source in _sources(told[text])):
            yield Problem(f"'{text}' must be a text, or a list of texts.", place=place)
        elif (own := _fields(told[text])) != (wanted := _fields(english[text])):
            shown = ", ".join(f"{{{field}}}" for field in sorted(wanted)) or "nothing"
            odd = ", ".join(f"{{{field}}}" for field in sorted(own)) or "nothing"
            yield Problem(f"'{text}' shows {odd}, and in English {shown}.", place=place)
    for text in told:
        if text not in english:
            place = reader.source.place((text,), key=True)
            yield Problem(f"there is no text '{text}'.", hint=did_you_mean(text, english), place=place)


def _sources(text: Any) -> list[Any]:
    return text if isinstance(text, list) else [text]


def _fields(text: Any) -> set[str]:
    return {field for source in _sources(text) for field in _FIELD.findall(source)}


def _raw(path: Path) -> Any:
    """A file as texts, lists and maps: in a language, `no` and `on` are words."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  # this loader makes texts alone


def _section(raw: Any, kind: type[T]) -> T:
    """A file as its entries; that patterns can be compiled is seen when they are, which takes its time."""
    kinds: dict[str, Any] = get_type_hints(kind, include_extras=True)
    if raw.keys() != kinds.keys():
        raise KeyError
    entries: dict[str, Kind] = {}
    for name, annotated in kinds.items():
        wanted, demand = _kind_and_demand(annotated)
        entries[name] = wanted.read(raw[name])
        if demand is not None:
            demand.check(entries[name])
    return kind(**entries)


def _kind_and_demand(annotated: Any) -> tuple[type[Kind], Demand | None]:
    """The kind of an entry, and what else is demanded of it."""
    kind: type[Kind] = getattr(annotated, "__origin__", annotated)
    return kind, getattr(annotated, "__metadata__", (None,))[0]


@lru_cache(maxsize=1)
def known_languages() -> frozenset[str]:
    """The languages that there is a folder for."""
    return frozenset(path.parent.name for path in FOLDER.glob("*/*.yaml"))


def language(code: str) -> Language:
    """One language; English for one that there is no folder for."""
    return _loaded(code if code in known_languages() else ENGLISH)


@lru_cache(maxsize=32)
def _loaded(code: str) -> Language:
    return Language.load(FOLDER / code)


@lru_cache(maxsize=64)
def languages(codes: tuple[str, ...]) -> Language:
    """Several languages as one, so that people may mix them; English for those that there is no folder for."""
    several = sorted({language(code) for code in codes}, key=lambda one: one.codes)
    if len(several) == 1:
        return several[0]
    joined: dict[str, Any] = {
        name: _joined([getattr(one, name) for one in several], kind) for name, kind in _SECTIONS.items()
    }
    return Language(tuple(one.codes[0] for one in several), **joined)


def _joined(several: list[Any], kind: type[T]) -> T:
    return kind(
        **{
            entry.name: type(getattr(several[0], entry.name)).joined([getattr(one, entry.name) for one in several])
            for entry in fields(kind)  # type: ignore[arg-type]  # every section is a dataclass
        }
    )


@lru_cache(maxsize=32)
def vocabulary_of(words: Language) -> frozenset[str]:
    """Every word that the entries of a language have, also within phrases and patterns; not slips and abbreviations."""
    sections = [(getattr(words, name), kind) for name, kind in _SECTIONS.items() if name != "spelling"]
    entries = (
        getattr(section, entry.name) for section, kind in sections for entry in fields(kind) if entry.name != "letters"
    )
    return frozenset(word for entry in entries for text in texts_in(entry) for word in _WORD.findall(text))


@lru_cache(maxsize=4)
def shown_texts(name: str) -> Mapping[str, Mapping[str, Any]]:
    """The texts of a file that people see, by language, English first: `texts`, `page` or `chat`."""
    return {code: _shown(FOLDER / code, name) for code in (ENGLISH, *sorted(known_languages() - {ENGLISH}))}


def shown_in(name: str, *codes: str) -> Mapping[str, Any]:
    """The texts of a file in the first of these languages that there is a folder for, or in English."""
    return shown_texts(name)[next((code for code in codes if code in known_languages()), ENGLISH)]


def _shown(folder: Path, name: str) -> Mapping[str, Any]:
    """The texts of one file, if all is well with them; looking for what is not well costs time."""
    english = _raw(FOLDER / ENGLISH / f"{name}.yaml")
    try:
        texts: Mapping[str, Any] = _raw(folder / f"{name}.yaml")
        if texts.keys() == english.keys() and all(_fields(texts[one]) == _fields(english[one]) for one in english):
            return texts
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, AttributeError):
        pass
    raise ConfigError(list(_untold(folder, name)))


def built(build: Callable[[Language], T]) -> _lru_cache_wrapper[T]:
    """What is built of a language's words once, however many messages are read with it."""

    @lru_cache(maxsize=64)
    def once(words: Language) -> T:
        try:
            return build(words)
        except re.error:
            faults = [fault for code in words.codes for fault in problems(FOLDER / code)]
            if faults:
                raise ConfigError(faults) from None
            raise

    return once
