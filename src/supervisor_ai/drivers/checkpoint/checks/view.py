"""A session as its checks see it: facts of all artifacts, in one order."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import CheckMaterial
from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts, Citation, Statement
from supervisor_ai.drivers.checkpoint.facts.reader import read_artifact

MOST_STATED: Final = 1_000
_SHOWN: Final = 5
Params = Mapping[str, str | int]
Placed = tuple[str, Statement]
"""A statement and the artifact that has it."""


class MaterialView:
    """What all checks of a checkpoint share; where an artifact came from cannot be seen in it."""

    def __init__(self, material: CheckMaterial) -> None:
        self.material = material

    @cached_property
    def new_facts(self) -> dict[str, ArtifactFacts]:
        """Read what was not read before."""
        loaded = self.material.artifacts.items()
        return {path: read_artifact(path, it.text, task=it.task) for path, it in loaded}

    @cached_property
    def facts(self) -> dict[str, ArtifactFacts]:
        """Return the facts of all artifacts: in the order of their tasks, then of their paths."""
        known = {**self.material.older, **self.new_facts}
        order = {task.id: place for place, task in enumerate(self.material.tasks)}
        last = len(order)
        paths = sorted(known, key=lambda it: (order.get(known[it].task, last), known[it].task, it))
        return {path: known[path] for path in paths}

    def stated(self, kind: str) -> tuple[Placed, ...]:
        """Return what all artifacts state of one kind; an id counts where it stands first."""
        return tuple(islice(self._stated(kind), MOST_STATED))

    def _stated(self, kind: str) -> Iterator[Placed]:
        seen: set[str] = set()
        for path, facts in self.facts.items():
            for statement in getattr(facts, kind):
                if statement.id in seen:
                    continue
                seen.update({statement.id} - {""})
                yield path, statement

    def everywhere(self, kind: str) -> Iterator[Statement]:
        """Return all statements of one kind, those that are repeated included."""
        return (it for facts in self.facts.values() for it in getattr(facts, kind))


def cite(placed: Placed) -> Citation:
    """Cite the line of a statement."""
    path, statement = placed
    return Citation(file=path, line=statement.line, quote=statement.quote)


def names(placed: Sequence[Placed]) -> str:
    """Name some statements for people."""
    shown = ", ".join(statement.name for _, statement in placed[:_SHOWN])
    return f"{shown} and {len(placed) - _SHOWN} more" if len(placed) > _SHOWN else shown
