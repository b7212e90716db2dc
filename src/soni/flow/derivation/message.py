"""A message is a transaction: its words are tried together, and taken or refused as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from soni.flow.delta import merge_delta
from soni.flow.derivation.walk import Walk
from soni.flow.derivation.words import apply

if TYPE_CHECKING:
    from soni.core.state import DialogueState, Fact
    from soni.flow.memory import Again, Change
    from soni.flow.world import World

MOST_PASSES = 100
"""How often a message is tried; each pass takes away a word or a decision, so it never comes to that."""


@dataclass(slots=True)
class Pass:
    """What of a message counts so far, and what it is tried on."""

    world: World
    base: DialogueState
    """The state before the message, or after the last thing it has done for good."""
    words: list[Change]
    void: list[Change] = field(default_factory=list)
    """What rules and decisions have taken away."""
    errors: list[Any] = field(default_factory=list)
    """The rules that were broken, which say so."""
    tries: int = 0
    had_errors: bool = False
    """Whether a rule was broken in this turn, whatever has come of it."""

    def state(self) -> DialogueState:
        """The state to try next."""
        return apply(self.world, self.base, [*self.words, *self.void])

    @property
    def changes(self) -> bool:
        """Whether it changes what was said before, which may have to be refused."""
        return any(word.replaces or word.is_news for word in self.words)

    def taken(self, state: DialogueState) -> None:
        """What has come of it so far stands."""
        self.base, self.words, self.void, self.errors = state, [], [], []

    def again(self, again: Again) -> bool:
        """Take away what does not hold; False if that has been tried too often."""
        self.tries += 1
        mine = self._words_for(again) if again.rule is not None else []
        targets = {word.target for word in mine}
        self.void += [change for change in again.changes if change.target not in targets]
        other_readings = [_read_otherwise(word) for word in mine if word.otherwise is not None]
        if mine:
            # A yes or no beside something that cannot be was meant for something else.
            kept = [word for word in self.words if word.answer is None and word not in mine]
            self.words = [*kept, *other_readings]
        if again.rule is not None and not other_readings:
            self.errors.append(again.rule)
            self.had_errors = True
        return self.tries < MOST_PASSES

    def _words_for(self, again: Again) -> list[Change]:
        """The words of this message that are to be taken away."""
        broken = {change.target for change in again.changes}
        return [word for word in self.words if word.fact is not None and word.target in broken]

    def refuse(self) -> Literal["refused", "quiet", "stay", "person"]:
        """Go on without the changes of what was said before, then without anything that was said.

        What only depends on a word stays in silence. Where nothing was said, the flow stays where it is; if a rule is
        broken there, a person is needed.
        """
        self.tries += 1
        if not self.words or self.tries > MOST_PASSES:
            return "person" if self.void or self.tries > MOST_PASSES else "stay"
        self.void, self.errors = [], []
        if any(word.follows for word in self.words):
            self.words = [word for word in self.words if not word.follows]
            return "quiet"
        kept = [word for word in self.words if not word.replaces and word.answer is None]
        self.words = kept if len(kept) < len(self.words) else []
        return "refused"

    def stay(self, state: DialogueState) -> DialogueState:
        """The state in which the uppermost flow goes on where it stands."""
        walk = Walk(self.world, state)
        walk.stay()
        return merge_delta(state, walk.delta())


def _read_otherwise(word: Change) -> Change:
    """The other thing that a person's words may mean."""
    return replace(word, fact={**cast("Fact", word.fact), "value": word.otherwise}, otherwise=None)
