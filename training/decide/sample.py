"""A message with its candidates, as the fit sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """A message, and for each candidate its features and what it costs to take it."""

    part: str
    message: str
    kinds: tuple[str, ...]
    features: tuple[dict[str, float], ...]
    costs: tuple[float, ...]

    @property
    def group(self) -> str:
        """The assistant, by which samples are kept together when the fit is judged."""
        return self.part.split(".")[-1] if self.part.startswith("sgd") else self.part.split(".")[0]
