"""How many of a step's roles must agree, and the names that older files give to that."""

from typing import Final

from supervisor_ai.definitions.workflow_shapes import StepShape

_OF_ONE: Final = frozenset(
    {"structured_json_only", "REVIEW_STATUS: APPROVED", "SECURITY_STATUS: PASSED"}
)
"""Names for what every role step does: the validated answer itself is the gate, never a text."""
OF_ALL: Final = frozenset({"BOTH_APPROVED", "BOTH_PASSED"})
"""Names for several roles of whom all must agree."""


def is_structured(gate: str) -> bool:
    """Tell whether a gate of a role step is a name for the answer of its roles."""
    return gate in _OF_ONE or gate in OF_ALL


def needed(shape: StepShape) -> int | None:
    """Say how many of the roles must agree; None: all."""
    asked, crew = shape.aggregate, len(shape.roles or ())
    if asked is None:
        return None
    if asked.at_least is not None:
        return asked.at_least
    return {"any": 1, "majority": crew // 2 + 1}.get(asked.rule or "")
