import pytest

from soni.core.values import Reading
from soni.core.values.email import Email

PHRASES = {
    "ana@example.com": "ana@example.com", "Ana.Ruiz+x@Example.COM": "Ana.Ruiz+x@example.com",
    "<ana@example.com>.": "ana@example.com", "ana@example.com, please": "ana@example.com",
    "ana arroba example punto com": "ana@example.com", "ana dot ruiz at mail dot example dot com":
    "ana.ruiz@mail.example.com", "please.me@example.com": "please.me@example.com",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "address"), PHRASES.items())
def test_addresses_written_and_spoken(phrase: str, address: str, english: Reading) -> None:
    assert Email().parse(phrase, english) == address


@pytest.mark.parametrize(
    "phrase",
    ["", "ana", "ana@", "@example.com", "ana@example", "a@b@c.com", "write to ana@example.com", "a..b@c.com"],
)
def test_other_words_are_no_address(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="not an email"):
        Email().parse(phrase, english)
