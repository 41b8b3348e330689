"""What a step does, as far as its keys say so."""

from typing import Final

from supervisor_ai.definitions.workflow_shapes import StepShape
from supervisor_ai.domain.run.definition import StepKind

_COMMIT_COMMAND: Final = ["git", "commit"]
_COMMIT_STEP: Final = "commit"


def kind_of(name: str, shape: StepShape) -> StepKind | None:
    """Tell what a step does."""
    kind = _declared(shape)
    if kind is not StepKind.GATE or shape.gate is not None or shape.gates is not None:
        return kind
    if shape.command is None:
        return StepKind.COMMIT if name == _COMMIT_STEP else kind
    return StepKind.COMMIT if shape.command == _COMMIT_COMMAND else kind


def _declared(shape: StepShape) -> StepKind | None:
    if shape.type is not None:
        return StepKind(shape.type)
    if shape.gate_type is not None:
        return StepKind(f"{shape.gate_type}_gate")
    if any(it is not None for it in (shape.role, shape.roles, shape.approvers)):
        return StepKind.ROLE
    return StepKind.GATE if shape.command or shape.gate or shape.gates else None
