"""The definition of a run of a feature: its plan, and what the runs of its components pin."""

from typing import Final

from msgspec import field

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run.definition import Definition, Gate, Step, Workflow
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.drivers.feature.kinds import FEATURE, INTERFACES, OF_COMPONENT, OF_FEATURE
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits

NAME: Final = "feature"


class FeatureDefinition(Definition, frozen=True, kw_only=True):
    """Everything that a run of a feature needs, resolved and pinned."""

    feature: Feature
    slots: ParallelLimits = field(default_factory=ParallelLimits)
    max_returns: int = 2
    """How often a component is built again because it could not be merged as it was."""
    children: dict[ComponentId, ArtifactHash] = field(default_factory=dict)
    """What the run of each component pins."""
    child_workflows: dict[ComponentId, str] = field(default_factory=dict)
    child_driver: str = ""
    """The driver of the runs of components."""


def expect_feature(definition: Definition) -> FeatureDefinition:
    """Return the definition of a run of a feature as what it is."""
    if isinstance(definition, FeatureDefinition):
        return definition
    raise InternalError("The run's definition says nothing about a feature.")


def permit_of(feature: str) -> str:
    """Name what only one unfinished run of a feature may have."""
    return f"feature:{feature}"


def workflow_of(feature: Feature) -> Workflow:
    """Make a step of each component, so that a run shows them as it shows any steps."""
    home = Step(name=FEATURE, kind=OF_FEATURE, description=feature.title)
    parts = [
        Step(name=StepName(it.id), kind=OF_COMPONENT, description=it.title)
        for it in feature.components
    ]
    first = [Step(name=INTERFACES, kind=OF_COMPONENT, description="The interfaces are locked")]
    steps = (home, *(first if feature.interfaces else ()), *parts)
    return Workflow(
        name=NAME,
        description=feature.title,
        initial_step=FEATURE,
        steps={step.name: step for step in steps},
    )


def merge_gates(definition: Definition) -> tuple[Gate, ...]:
    """List the commands that every commit of the feature's branch has to pass, each once."""
    found: dict[str, Gate] = {}
    for gate in definition.gates.values():
        if gate.kind == GateKind.COMMAND:
            found.setdefault(gate.name, gate)
    return tuple(found.values())
