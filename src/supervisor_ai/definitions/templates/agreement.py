"""How many of a step's roles must agree, and the names that older files give to that."""

from typing import Final

from supervisor_ai.definitions.schema.workflows import StepShape
from supervisor_ai.definitions.templates.approvers import levels

_OF_ONE: Final = frozenset(
    {"structured_json_only", "REVIEW_STATUS: APPROVED", "SECURITY_STATUS: PASSED"}
)
"""Names for what every role step does: the validated answer itself is the gate, never a text."""
OF_ALL: Final = frozenset({"BOTH_APPROVED", "BOTH_PASSED"})
"""Names for several roles of whom all must agree."""
_OF: Final = "_of"


def is_structured(gate: str) -> bool:
    """Tell whether a gate of a role step is a name for the answer of its roles."""
    return gate in _OF_ONE or gate in OF_ALL


def needed(shape: StepShape) -> int | None:
    """Say how many of the roles must agree; None: all."""
    asked = shape.aggregate
    if asked is None:
        return None
    if asked.at_least is not None:
        return asked.at_least
    rule = asked.rule or ""
    if _OF in rule:
        return int(rule.partition(_OF)[0])
    return {"any": 1, "majority": majority(max(sizes(shape)))}.get(rule)


def said_total(shape: StepShape) -> int | None:
    """Return the 3 of `2_of_3`."""
    rule = (shape.aggregate.rule if shape.aggregate else None) or ""
    total = rule.partition(f"{_OF}_")[2]
    return int(total) if total else None


def sizes(shape: StepShape) -> tuple[int, ...]:
    """Return how many roles the step has, at each level of complexity where there are levels."""
    if shape.approvers is None:
        return (len(shape.roles or ()),)
    return tuple(len(names) for names in levels(shape.approvers).values())


def majority(size: int) -> int:
    """Return how many are more than half."""
    return size // 2 + 1
