"""Free text, kept as the person wrote it."""

from soni.core.values.locales import checked_spec
from soni.core.values.value import Json, Reading, ValueType, register


@register
class Text(ValueType[str]):
    """Any words at all, for names, codes and remarks."""

    name = "text"

    def parse(self, text: str, reading: Reading) -> str:
        stripped = text.strip()
        if not stripped:
            raise ValueError("no words")
        return stripped

    def coerce(self, value: object, reading: Reading) -> str:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**100:
            return str(value)  # actions often give references and codes as integers
        if isinstance(value, str):
            return self.parse(value, reading)
        raise ValueError("not a text")

    def dump(self, value: str) -> Json:
        return value

    def load(self, data: Json) -> str:
        if isinstance(data, str):
            return data
        raise ValueError("not a stored text")

    def format(self, value: str, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return value
