"""Who must agree to a change, by how complex it is."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.definitions.schema.workflows import ApproversShape, StepShape
from supervisor_ai.domain.run.gates import Complexity

Levels = Mapping[Complexity, tuple[str, ...]]
IMPOSSIBLE: Final = "IMPOSSIBLE_WAIT"
"""How a mistake begins that would let a run wait for an agreement that nobody can give."""
MATRIX: Final[Levels] = {
    Complexity.SIMPLE: ("reviewer",),
    Complexity.MEDIUM: ("reviewer_gemini", "reviewer_codex"),
    Complexity.COMPLEX: ("reviewer_gemini", "reviewer_codex", "security_auditor"),
}
"""Who agrees where a step says `approvers: matrix`."""


def levels(shape: ApproversShape) -> dict[Complexity, tuple[str, ...]]:
    """Name those who must agree at each level; a level that is left out is as the one below."""
    if shape.table is not None:
        return dict(MATRIX)
    found: dict[Complexity, tuple[str, ...]] = {}
    below: tuple[str, ...] = ()
    for level in Complexity:
        below = tuple(getattr(shape, level.value) or below)
        found[level] = below
    return found


def everybody(found: Levels) -> tuple[str, ...]:
    """Name all who may have to agree, in the order of the levels."""
    return tuple(dict.fromkeys(name for names in found.values() for name in names))


def levels_of(found: Levels, role: str) -> str:
    """Name the levels at which a role must agree."""
    return ", ".join(level.value for level, names in found.items() if role in names)


def smallest_crew(shape: StepShape) -> int:
    """Return how many roles a step has at least."""
    if shape.approvers is not None:
        return min(len(names) for names in levels(shape.approvers).values())
    return len(shape.roles or ())
