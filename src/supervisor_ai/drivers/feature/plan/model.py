"""A feature as its plan tells it: phases, components and the interfaces between them."""

from enum import StrEnum
from typing import Final, NewType

from msgspec import Struct

from supervisor_ai.drivers.feature.plan.projects import FeatureProject

ComponentId = NewType("ComponentId", str)
"""The full id of a component: `P1T5-PH2-C3`."""
PhaseId = NewType("PhaseId", str)
"""The full id of a phase: `P1T5-PH2`."""


class ComponentStatus(StrEnum):
    """Where a component stands."""

    PENDING = "pending"
    IMPLEMENTING = "implementing"
    TESTING = "testing"
    """It is done, and is being tested together with what is on the feature's branch."""
    REVIEW = "review"
    """It waits for a person."""
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class PhaseStatus(StrEnum):
    """Where a phase stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


class FeatureStatus(StrEnum):
    """Where a feature stands."""

    PLANNING = "planning"
    IN_PROGRESS = "in_progress"
    REVIEW = "review"
    COMPLETED = "completed"
    FAILED = "failed"


class StartWhen(StrEnum):
    """What a phase waits for besides the components that its own components name."""

    PHASES_COMPLETED = "phases_completed"
    """All phases with a smaller sequence."""
    INTERFACES_LOCKED = "interfaces_locked"
    """The interfaces alone, which are locked before any component begins."""


class Overlaps(StrEnum):
    """What becomes of files that two components claim of which neither waits for the other."""

    REFUSE = "refuse"
    """The plan has a mistake: it says who comes first, or nobody shares a file."""
    SERIALIZE = "serialize"
    """They are never built at the same time, in whatever order."""


class UndeclaredFiles(StrEnum):
    """What becomes of files that a component writes and its plan does not name."""

    WARN = "warn"
    """They are merged, and shown."""
    RETURN = "return"
    """The component is built again without them."""


class InterfaceKind(StrEnum):
    """In which language an interface is written."""

    TYPESCRIPT = "typescript_interface"
    OPENAPI = "openapi"
    PYTHON = "python_stub"
    JSON_SCHEMA = "json_schema"
    PROTOBUF = "protobuf"
    SQL = "sql"


DONE: Final = frozenset({ComponentStatus.COMPLETED, ComponentStatus.SKIPPED})
"""What depends on a component that stands here can begin."""
AT_WORK: Final = frozenset(
    {ComponentStatus.IMPLEMENTING, ComponentStatus.TESTING, ComponentStatus.REVIEW}
)
FAILED: Final = frozenset({ComponentStatus.FAILED, ComponentStatus.CANCELLED})


class Interface(Struct, frozen=True, kw_only=True):
    """What components of a phase agree on before any of them is built."""

    name: str
    kind: InterfaceKind
    definition: str


class Component(Struct, frozen=True, kw_only=True):
    """What one worker builds."""

    id: ComponentId
    name: str
    """What the plan calls it, within its phase."""
    phase: PhaseId
    title: str = ""
    description: str = ""
    files: tuple[str, ...] = ()
    """The files that it may write: paths, directories and patterns."""
    depends_on: tuple[ComponentId, ...] = ()
    uses: tuple[str, ...] | None = None
    """The interfaces that it depends on; None: those of the phases that it needs."""
    role: str | None = None
    workflow: str | None = None
    cli: str | None = None
    is_checkpoint: bool = False
    """Whether it builds nothing, and looks at its phase before the next one begins."""
    project: str | None = None
    """The project whose files it writes; None: the repository as a whole."""
    estimate: float | None = None
    """How long somebody expects it to take, in any unit that all components share."""


CHECKPOINT: Final = "checkpoint"
"""What the part of a phase is called that looks at all others before the next phase begins."""


class FeaturePhase(Struct, frozen=True, kw_only=True):
    """A part of a feature whose components are built side by side."""

    id: PhaseId
    name: str
    """What the plan calls it."""
    sequence: int
    title: str = ""
    start_when: StartWhen = StartWhen.PHASES_COMPLETED
    components: tuple[Component, ...] = ()
    interfaces: tuple[Interface, ...] = ()


class Feature(Struct, frozen=True, kw_only=True):
    """A plan: what is built, by whom, in which order."""

    id: str
    title: str
    phases: tuple[FeaturePhase, ...]
    """In the order of their sequence."""
    description: str = ""
    overlaps: Overlaps = Overlaps.REFUSE
    projects: tuple[FeatureProject, ...] = ()
    """The projects of its components, and all that these depend on."""
    external: tuple[str, ...] = ()
    """The imports that a person called packages."""

    @property
    def components(self) -> tuple[Component, ...]:
        """List the components of all phases."""
        return tuple(it for phase in self.phases for it in phase.components)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """List the interfaces of all phases."""
        return tuple(it for phase in self.phases for it in phase.interfaces)

    def titles(self) -> dict[ComponentId, str]:
        """Say what each component is about."""
        return {it.id: it.title or it.name for it in self.components}

    def short_names(self) -> dict[ComponentId, str]:
        """Call each component as plans do from outside its phase."""
        return {
            it.id: f"{phase.name}.{it.name}" for phase in self.phases for it in phase.components
        }


def phase_id(feature: str, number: int) -> PhaseId:
    """Name a phase by its number, from 1."""
    return PhaseId(f"{feature}-PH{number}")


def component_id(phase: PhaseId, number: int) -> ComponentId:
    """Name a component by its number in its phase, from 1."""
    return ComponentId(f"{phase}-C{number}")
