"""Words that tell which slot a value beside them is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.template import Field
from soni.du.local.words import content, lexicon

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig, SlotConfig

HOLLOW = lexicon(
    "the a an of to for who which what how much many my is are in on at it and or with from by your you user el "
    "la los las de del que quien cual cuanto cuantos cuantas mi es para en un una y o con se lo al por su"
)
OF_TYPE = {
    "money": lexicon("amount sum money quantity price importe cantidad monto dinero precio"),
    "integer": lexicon("number quantity numero cantidad"),
    "number": lexicon("number quantity numero cantidad"),
    "date": lexicon("date day fecha dia"),
    "time": lexicon("time hour hora"),
    "datetime": lexicon("date time day fecha hora dia"),
    "duration": lexicon("duration length duracion"),
    "email": lexicon("email mail address correo"),
    "phone": lexicon("phone number telefono numero movil celular cell mobile"),
    "iban": lexicon("iban account cuenta"),
}
_HEADS = lexicon(
    "people person persons guests travelers travellers passengers riders seats tickets diners adults party pax "
    "ppl us personas persona comensales pasajeros viajeros plazas adultos entradas billetes"
)
"""Whatever heads are counted as."""
_NAMES = lexicon("name nombre recipient payee person destinatario beneficiario persona artist director actor title")
_PLACES = lexicon(
    "city town place location area origin destination airport station address ciudad lugar origen destino "
    "direccion pickup venue country region state street"
)
_FROM = lexicon("origin from departure leaving start source origen salida desde pickup")
_TO = lexicon("destination to arrival going end destino llegada hasta dropoff")
BEFORE_PLACES = lexicon("in at near around en por cerca")
_BEFORE_FROM = lexicon("from leaving departing desde de")
_BEFORE_TO = lexicon("to towards for into a hasta hacia")
_BEFORE_NAMES = lexicon("named called under llamada llamado by with")


class Cues:
    """What the author's own words tell about each slot."""

    def __init__(self, flows: Mapping[str, FlowConfig], slots: Mapping[str, SlotConfig]) -> None:
        self.before: dict[str, set[str]] = {name: set() for name in slots}
        """Words that stand right before a slot in trigger phrases."""
        for flow in flows.values():
            for template in flow.trigger.templates:
                for left, piece in zip(template.pieces, template.pieces[1:], strict=False):
                    if isinstance(piece, Field) and isinstance(left, str) and piece.slot in slots:
                        self.before[piece.slot] |= set(content(left)[-1:])
        self.named = {name: _naming(name, slot) for name, slot in slots.items()}
        """Words that name a slot: its name, its aliases, its description."""
        self.vocabulary = {word for words in self.named.values() for word in words} | {
            word
            for flow in flows.values()
            for template in flow.trigger.templates
            for piece in template.pieces
            if isinstance(piece, str)
            for word in content(piece)
        }
        """The author's own words: none of them is somebody's name."""
        self.names = {name for name, slot in slots.items() if slot.type == "text" and self._is_name(name, slot)}
        """Text slots that hold a name, of a person or a place, rather than sentences."""
        self.called = {name: self._called(name, slot) for name, slot in slots.items()}
        """Words that a slot goes by: its name and its aliases."""
        for name in self.names:
            self.before[name] |= self._generic(name) | ({"al"} if "a" in self.before[name] else set())

    def counts_people(self, name: str) -> bool:
        """Whether a number says how many people there are."""
        return "people" in self.named[name]

    def _is_name(self, name: str, slot: SlotConfig) -> bool:
        if slot.examples:
            return all(word[:1].isupper() for example in slot.examples for word in example.split())
        return bool(self._called(name, slot) & (_NAMES | _PLACES))

    @staticmethod
    def _called(name: str, slot: SlotConfig) -> set[str]:
        return {*content(name.replace("_", " ")), *(word for alias in slot.aliases for word in content(alias))}

    def _generic(self, name: str) -> set[str]:
        words = self.called[name]
        if words & _FROM and words & (_PLACES | _FROM):
            return set(_BEFORE_FROM)
        if words & _TO and words & (_PLACES | _TO):
            return set(_BEFORE_TO)
        if words & _PLACES:
            return set(BEFORE_PLACES)
        return set(_BEFORE_NAMES)


def _naming(name: str, slot: SlotConfig) -> set[str]:
    told = content(" ".join(slot.description.sources if slot.description else ()))
    aliases = {word for alias in slot.aliases for word in content(alias)}
    words = ({*content(name.replace("_", " ")), *told} - HOLLOW) | aliases
    return words | _HEADS if slot.type in ("integer", "number") and words & _HEADS else words
