"""CodePlace of code in a test: whether it runs, how often, and whether its failure is seen."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.model import Assertion, Strength

if TYPE_CHECKING:
    from tree_sitter import Node

COMPARISONS: Final = {
    "==": (Strength.EXACT, Strength.WEAK),
    "!=": (Strength.WEAK, Strength.EXACT),
    **dict.fromkeys(("<", ">", "<=", ">="), (Strength.PARTIAL, Strength.PARTIAL)),
}
"""How much a comparison pins down where it has to hold, and where it must not."""
_MAX_REPEATS: Final = 1_000_000


class CodePlace(Struct, frozen=True, kw_only=True):
    """What stands around a piece of code."""

    is_dead: bool = False
    """It never runs."""
    is_caught: bool = False
    """It runs, and nobody hears that it fails."""
    is_floating: bool = False
    """Nobody waits for it."""
    is_conditional: bool = False
    """It runs only if something holds that no table of the test says."""
    repeats: int = 1
    is_countless: bool = False
    """It stands in a loop, and nobody can say how often that runs."""
    bound: frozenset[str] = frozenset()
    """The names that loops around it set: a condition on them belongs to a table."""

    @property
    def cases(self) -> int:
        """How often it runs; 0 if nobody can tell."""
        return 0 if self.is_countless else self.repeats

    @property
    def is_lost(self) -> bool:
        """Tell whether a failure at this place can be seen by nobody."""
        return self.is_dead or self.is_caught

    def dead(self, *, when: bool = True) -> "CodePlace":
        """Return the place, as code that never runs if so."""
        return replace(self, is_dead=True) if when else self

    def caught(self, *, when: bool = True) -> "CodePlace":
        """Return the place, as code whose failure is swallowed if so."""
        return replace(self, is_caught=True) if when else self

    def conditional(self, *, when: bool = True) -> "CodePlace":
        """Return the place, as code that runs only sometimes if so."""
        return replace(self, is_conditional=True) if when else self

    def repeated(
        self, count: int | None, bound: Iterable[str] = (), *, is_once: bool = False
    ) -> "CodePlace":
        """Return the place in a loop that runs so often, as far as is known.

        A loop that is left at the end of every first round runs once.
        """
        if is_once:
            count = min(count or 1, 1)
        return replace(
            self,
            is_dead=self.is_dead or count == 0,
            repeats=min(_MAX_REPEATS, self.repeats * (count or 1)),
            is_countless=self.is_countless or count is None,
            bound=self.bound | frozenset(bound),
        )

    def seen(self, strength: Strength) -> Strength:
        """Return how much an assertion of a strength pins down at this place."""
        if self.is_lost:
            return Strength.NONE
        if self.is_floating:
            return min(strength, Strength.WEAK)
        if self.is_conditional and strength > Strength.WEAK:
            return Strength(strength - 1)
        return strength

    def word(self, strength: Strength) -> str:
        """Say what makes an assertion of a strength say less here, though it is written alike."""
        if self.is_lost or self.seen(strength) is strength:
            return ""
        return "unawaited " if self.is_floating else "sometimes "


Placed = tuple["Node", CodePlace]
Steps = Callable[["Node", CodePlace], Iterable[Placed]]


def placed(node: "Node", place: CodePlace, steps: Steps) -> Iterator[Placed]:
    """Yield a node and all that it holds, each with its place, in the order of the source."""
    stack = [(node, place)]
    while stack:
        found = stack.pop()
        yield found
        if found[0].named_child_count:
            stack.extend(reversed(list(steps(*found))))


def children_at(node: "Node", place: CodePlace) -> Iterator[Placed]:
    """Yield what a node holds, all at one place."""
    for child in node.named_children:
        yield child, place


class FoundAssertion(Struct, frozen=True, kw_only=True):
    """An assertion before its place is known."""

    text: str
    subject: str
    strength: Strength
    resolved: str = ""
    """The subject with what its names stand for, where that differs from how it is written."""
    is_countless: bool = False
    """It is asked of many things, and nobody can say of how many."""

    def at(self, line: int, place: CodePlace) -> Assertion:
        """Return the assertion as it counts at its place."""
        strength = place.seen(self.strength)
        return Assertion(
            text=f"{place.word(self.strength)}{self.text}",
            subject=self.subject,
            resolved=self.resolved,
            strength=strength,
            line=line,
            times=0 if self.is_countless else place.cases,
        )


def most_cases(places: Iterable[CodePlace]) -> int:
    """Return how often a test runs what stands at these places; 0 if nobody can tell."""
    counts = [place.cases for place in places]
    return 0 if 0 in counts else max(counts, default=1)


def negated(strength: Strength) -> Strength:
    """Return what is left when the opposite is checked: to differ from one value says little."""
    return min(strength, Strength.WEAK)
