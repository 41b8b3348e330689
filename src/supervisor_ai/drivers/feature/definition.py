"""The definition of a run of a feature: its plan, and what the runs of its components pin."""

from collections.abc import Iterator
from typing import Final

from msgspec import field

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run.definition import Definition, Step, StepLabel, Workflow
from supervisor_ai.drivers.feature.kinds import (
    FEATURE,
    INTERFACES,
    OF_COMPONENT,
    OF_FEATURE,
    PROJECTS,
    SUPERVISORS,
)
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature, UndeclaredFiles
from supervisor_ai.drivers.feature.plan.projects import copies_of, outside, publication
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits

NAME: Final = "feature"
WATCHED: Final = ComponentId(SUPERVISORS)
"""What quality supervisors write goes through the same queue as a component."""
AT_END: Final = ComponentId(f"{SUPERVISORS}-at-end")
"""What their run pins when all components are merged."""


class FeatureDefinition(Definition, frozen=True, kw_only=True):
    """Everything that a run of a feature needs, resolved and pinned."""

    feature: Feature
    slots: ParallelLimits = field(default_factory=ParallelLimits)
    max_returns: int = 2
    """How often a component is built again because it could not be merged as it was."""
    speculation: int = 1
    """How many merges are tested at the same time, each on top of the one before it."""
    undeclared_files: UndeclaredFiles = UndeclaredFiles.WARN
    children: dict[ComponentId, ArtifactHash] = field(default_factory=dict)
    """What the run of each component pins."""
    child_workflows: dict[ComponentId, str] = field(default_factory=dict)
    child_driver: str = ""
    """The driver of the runs of components."""

    @property
    def step_labels(self) -> dict[StepName, StepLabel]:  # type: ignore[explicit-override]
        """Draw phases and components as a tree."""
        return {
            StepName(it.id): StepLabel(
                text=f"{'└─' if it is phase.components[-1] else '├─'} {it.id} {it.title}".rstrip(),
                heading=f"{phase.id} {phase.title}" if it is phase.components[0] else "",
            )
            for phase in self.feature.phases
            for it in phase.components
        }

    @property
    def is_supervised(self) -> bool:
        """Tell whether quality supervisors look at what is merged."""
        return WATCHED in self.children


def expect_feature(definition: Definition) -> FeatureDefinition:
    """Return the definition of a run of a feature as what it is."""
    if isinstance(definition, FeatureDefinition):
        return definition
    raise InternalError("The run's definition says nothing about a feature.")


def permit_of(feature: str) -> str:
    """Name what only one unfinished run of a feature may have."""
    return f"feature:{feature}"


def workflow_of(feature: Feature, *, is_supervised: bool = False) -> Workflow:
    """Make a step of each component, so that a run shows them as it shows any steps."""
    words = "The quality supervisors look at what was merged"
    last = [Step(name=SUPERVISORS, kind=OF_COMPONENT, description=words)] if is_supervised else []
    home = Step(name=FEATURE, kind=OF_FEATURE, description=feature.title)
    parts = [
        Step(name=StepName(it.id), kind=OF_COMPONENT, description=it.title)
        for it in feature.components
    ]
    steps = (home, *_preparations(feature), *parts, *_publications(feature), *last)
    return Workflow(
        name=NAME,
        description=feature.title,
        initial_step=FEATURE,
        steps={step.name: step for step in steps},
    )


def _preparations(feature: Feature) -> Iterator[Step]:
    if outside(feature.projects):
        described = "The files of other repositories are brought in"
        yield Step(name=PROJECTS, kind=OF_COMPONENT, description=described)
    if feature.interfaces:
        yield Step(name=INTERFACES, kind=OF_COMPONENT, description="The interfaces are locked")


def _publications(feature: Feature) -> Iterator[Step]:
    for project in feature.projects:
        if copies_of(feature.projects, project.name):
            name = StepName(publication(project.name))
            described = f"Those who depend on {project.name} get what it publishes"
            yield Step(name=name, kind=OF_COMPONENT, description=described)


def landing_verb(definition: FeatureDefinition) -> str | None:
    """Say how the work of a run lands that has the files of other repositories, too."""
    feature = definition.feature
    return f"feature land {feature.id}" if outside(feature.projects) else None
