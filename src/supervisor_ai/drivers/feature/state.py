"""The state of a feature's run: where each component stands, and the queue to the branch."""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.definition import FeatureDefinition
from supervisor_ai.drivers.feature.kinds import FEATURE, INTERFACES
from supervisor_ai.drivers.feature.plan.graph import Node
from supervisor_ai.drivers.feature.plan.model import ComponentId, ComponentStatus

LOCKING: Final = ComponentId(INTERFACES)
"""The interfaces go through the same queue as a component, before all of them."""


class FeatureWish(StrEnum):
    """What a person can tell a feature that is being built."""

    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    SKIP = "skip"

    @classmethod
    def read(cls, word: str) -> "FeatureWish | None":
        """Find the wish that a word stands for."""
        return next((it for it in cls if it.value == word), None)


class PartStage(StrEnum):
    """What is to be done next for a component."""

    NONE = "none"
    ASSIGN = "assign"
    START = "start"
    BUILD = "build"
    """Its run is at work."""
    QUEUE = "queue"
    """It waits for its turn to be merged."""
    GATES = "gates"
    """The merge is tested."""
    LAND = "land"
    BACK = "back"
    """It could not be merged, and is built again with what was said."""
    DONE = "done"
    STOP = "stop"
    """It has failed."""


class Part(Struct, frozen=True, kw_only=True):
    """Where one component stands."""

    status: ComponentStatus = ComponentStatus.PENDING
    stage: PartStage = PartStage.NONE
    visit: int = 0
    child: RunId | None = None
    task: ArtifactHash | None = None
    snapshot: Snapshot | None = None
    """The merge that is tested."""
    verdicts: dict[int, e.GateEnded] = field(default_factory=dict)
    feedback: tuple[ArtifactHash, ...] = ()
    returns: int = 0
    touched: tuple[str, ...] = ()
    reason: str = ""


class FeatureState(Struct, frozen=True, kw_only=True):
    """Everything that decisions about a feature depend on."""

    definition: FeatureDefinition
    tip: Snapshot
    """Where the feature's branch stands, or will begin."""
    landed: CommitSha | None = None
    parts: dict[ComponentId, Part] = field(default_factory=dict)
    queue: tuple[ComponentId, ...] = ()
    is_paused: bool = False
    skips: tuple[ComponentId, ...] = ()
    """Which components a person wants to do without."""
    is_home: bool = False
    """Whether the run has come to its own step."""
    is_called: bool = False
    """Whether a person said something since the run began to wait."""
    lengths: dict[Node, float] = field(default_factory=dict)
    first: dict[Node, tuple[Node, ...]] = field(default_factory=dict)

    def part(self, component: ComponentId) -> Part:
        """Tell where a component stands."""
        return self.parts.get(component, Part())

    @property
    def statuses(self) -> dict[ComponentId, ComponentStatus]:
        """Tell the status of each component that has begun."""
        return {name: it.status for name, it in self.parts.items() if name != LOCKING}


def evolve(state: FeatureState, event: Event) -> FeatureState:
    """Fold one recorded fact into the state."""
    match event:
        case e.SignalReceived(signal=signal):
            return _told(state, signal)
        case e.ChildEnded():
            return _child_ended(state, event)
        case e.SignalAwaited():
            return replace(state, is_called=False)
        case e.StepEntered(step=step) if step == FEATURE:
            return replace(state, is_home=True)
        case e.PlacedEvent(step=step) if step != FEATURE:
            return _placed(state, ComponentId(step), event)
        case _:
            return state


def _told(state: FeatureState, signal: str) -> FeatureState:
    word, _, name = signal.partition(" ")
    component = ComponentId(name)
    part = state.part(component)
    state = replace(state, is_called=True)
    match FeatureWish.read(word):
        case FeatureWish.PAUSE:
            return replace(state, is_paused=True)
        case FeatureWish.RESUME:
            return replace(state, is_paused=False)
        case FeatureWish.RETRY if part.status in {ComponentStatus.FAILED, ComponentStatus.SKIPPED}:
            fresh = Part(visit=part.visit, feedback=part.feedback)
            return replace(state, parts={**state.parts, component: fresh})
        case FeatureWish.SKIP if part.status in {ComponentStatus.FAILED, ComponentStatus.PENDING}:
            return replace(state, skips=(*state.skips, component))
        case _:
            return state


def _child_ended(state: FeatureState, event: e.ChildEnded) -> FeatureState:
    for name, part in state.parts.items():
        if part.child == event.child and part.stage is PartStage.BUILD:
            if event.status is RunStatus.COMPLETED:
                ready = replace(part, stage=PartStage.QUEUE)
                return replace(
                    state, parts={**state.parts, name: ready}, queue=(*state.queue, name)
                )
            reason = f"Run {event.child} is {event.status.value}: {event.outcome.reason}"
            stopped = replace(part, stage=PartStage.STOP, reason=reason)
            return replace(state, parts={**state.parts, name: stopped})
    return state


def _placed(state: FeatureState, name: ComponentId, event: e.PlacedEvent) -> FeatureState:
    before = state.part(name)
    part = _moved(before, event)
    state = replace(state, parts={**state.parts, name: part})
    match event:
        case f.InterfacesWritten():
            return replace(state, queue=(*state.queue, name))
        case e.IntegrationLanded(commit=commit, tree=tree) if before.snapshot is not None:
            tip = Snapshot(commit=commit, tree=tree or before.snapshot.tree)
            return replace(state, tip=tip, landed=commit)
        case e.StepPassed() | e.StepFailed() | e.StepSkipped():
            skips = tuple(it for it in state.skips if it != name)
            queue = tuple(it for it in state.queue if it != name)
            return replace(state, queue=queue, skips=skips)
        case _:
            return state


def _moved(part: Part, event: e.PlacedEvent) -> Part:  # noqa: C901 - one case per fact
    match event:
        case e.StepEntered(visit=visit, feedback=feedback):
            # Only a component that is sent back begins again right after it failed.
            is_return = part.status is ComponentStatus.FAILED
            return Part(
                status=ComponentStatus.IMPLEMENTING,
                stage=PartStage.ASSIGN,
                visit=visit,
                feedback=tuple(it.artifact for it in feedback),
                returns=part.returns + is_return,
            )
        case f.AssignmentWritten(task=task):
            return replace(part, task=task, stage=PartStage.START)
        case e.ChildStarted(child=child):
            return replace(part, child=child, stage=PartStage.BUILD)
        case f.InterfacesWritten(snapshot=snapshot, task=task):
            return replace(part, snapshot=snapshot, task=task, stage=PartStage.GATES)
        case f.MergeStarted():
            return replace(part, status=ComponentStatus.TESTING)
        case f.MergePrepared(snapshot=snapshot, touched=touched):
            return replace(part, snapshot=snapshot, touched=touched, stage=PartStage.GATES)
        case f.MergeRefused(report=report, reason=reason):
            return _sent_back(part, reason, report)
        case f.MergeNeedless() | e.IntegrationLanded():
            return replace(part, stage=PartStage.DONE)
        case e.GateEnded(slot=slot):
            return replace(part, verdicts={**part.verdicts, slot: event})
        case e.IntegrationRefused(reason=reason):
            return replace(part, stage=PartStage.STOP, reason=reason)
        case e.StepPassed():
            return replace(part, status=ComponentStatus.COMPLETED, stage=PartStage.NONE)
        case e.StepFailed(reason=reason):
            return replace(part, status=ComponentStatus.FAILED, stage=PartStage.NONE, reason=reason)
        case e.StepSkipped(reason=reason):
            return replace(
                part, status=ComponentStatus.SKIPPED, stage=PartStage.NONE, reason=reason
            )
        case _:
            return part


def _sent_back(part: Part, reason: str, report: ArtifactHash) -> Part:
    return replace(part, stage=PartStage.BACK, reason=reason, feedback=(report,))


def step_of(component: ComponentId) -> StepName:
    """Name the step of a component."""
    return StepName(component)
