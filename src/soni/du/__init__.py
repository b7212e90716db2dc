"""Understanding: from a message to commands."""

from typing import TYPE_CHECKING, Any

from soni.du.cascade import Cascade
from soni.du.context import DialogueContext
from soni.du.understanding import Found, Understanding, Understood, Usage

if TYPE_CHECKING:
    from soni.du.llm import SlotExtractor, SoniDU

__all__ = [
    "Cascade",
    "DialogueContext",
    "Found",
    "SlotExtractor",
    "SoniDU",
    "Understanding",
    "Understood",
    "Usage",
]


def __getattr__(name: str) -> Any:
    """Import DSPy only for those who ask for it."""
    if name not in ("SoniDU", "SlotExtractor"):
        raise AttributeError(f"module 'soni.du' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module("soni.du.llm"), name)
