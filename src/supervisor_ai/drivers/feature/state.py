"""The state of a feature's run: where each component stands, and the queue to the branch."""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName
from supervisor_ai.domain.knowledge.provenance import KnowledgeOrigin
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.definition import WATCHED, FeatureDefinition
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.book import InterfaceBook, evolve_book
from supervisor_ai.drivers.feature.interfaces.checks import InterfaceCheck
from supervisor_ai.drivers.feature.kinds import FEATURE, INTERFACES, PROJECTS
from supervisor_ai.drivers.feature.parts import Part, PartStage, evolve_part, taken_back
from supervisor_ai.drivers.feature.plan.dependents import undone_with
from supervisor_ai.drivers.feature.plan.graph import Node
from supervisor_ai.drivers.feature.plan.model import AT_WORK, ComponentId, ComponentStatus, PhaseId
from supervisor_ai.drivers.feature.plan.projects import is_publication
from supervisor_ai.drivers.feature.projects import events as p
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin
from supervisor_ai.drivers.moves.clearance import Clearance
from supervisor_ai.drivers.moves.clearance import evolve as evolve_clearance

LOCKING: Final = ComponentId(INTERFACES)
"""The interfaces go through the same queue as a component, before all of them."""
GATHERING: Final = ComponentId(PROJECTS)
"""So do the files of other repositories, before the interfaces."""


def is_made(name: ComponentId) -> bool:
    """Tell whether a part of the feature is made and not built: no run of its own has it."""
    return name in {LOCKING, GATHERING} or is_publication(name)


def is_component(name: ComponentId) -> bool:
    """Tell whether a part of the feature is a component of its plan."""
    return name != WATCHED and not is_made(name)


class FeatureWish(StrEnum):
    """What a person can tell a feature that is being built."""

    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    SKIP = "skip"
    RESTART = "restart"
    ROLLBACK = "rollback"

    @classmethod
    def read(cls, word: str) -> "FeatureWish | None":
        """Find the wish that a word stands for."""
        return next((it for it in cls if it.value == word), None)


class Undoing(Struct, frozen=True, kw_only=True):
    """A phase that is being taken back."""

    phase: PhaseId
    wish: FeatureWish
    components: frozenset[ComponentId]
    """The phase's, and all that builds on them."""
    stopped: frozenset[RunId] = frozenset()
    """The runs that were asked to stop for it."""


class FeatureState(Struct, frozen=True, kw_only=True):
    """Everything that decisions about a feature depend on."""

    definition: FeatureDefinition
    tip: Snapshot
    """Where the feature's branch stands, or will begin."""
    landed: CommitSha | None = None
    left: CommitSha | None = None
    """Where a run that has ended left the branch with which this one goes on."""
    branch: str | None = None
    """The branch on which all of this has landed."""
    watched: CommitSha | None = None
    """What quality supervisors have been shown last."""
    parts: dict[ComponentId, Part] = field(default_factory=dict)
    queue: tuple[ComponentId, ...] = ()
    is_paused: bool = False
    landings: dict[ComponentId, CommitSha] = field(default_factory=dict)
    """What of each component is on the branch, the oldest first."""
    undoing: Undoing | None = None
    problem: str = ""
    """Why a phase could not be taken back."""
    skips: tuple[ComponentId, ...] = ()
    """Which components a person wants to do without."""
    is_home: bool = False
    """Whether the run has come to its own step."""
    is_called: bool = False
    """Whether a person said something since the run began to wait."""
    is_looked: bool = False
    """Whether it is known which files components at work have changed by now."""
    line: tuple[tuple[ComponentId, Snapshot], ...] = ()
    """What has landed, in its order."""
    origins: tuple[ProjectOrigin, ...] = ()
    """From where the files of other repositories were taken."""
    are_locked: bool = False
    """Whether the interfaces are on the branch."""
    lock_checks: tuple[InterfaceCheck, ...] | None = None
    """What came of looking at them when they were locked last."""
    book: InterfaceBook = field(default_factory=InterfaceBook)
    clearance: Clearance = field(default_factory=Clearance)
    """Whether the plan may be built."""
    lengths: dict[Node, float] = field(default_factory=dict)
    first: dict[Node, tuple[Node, ...]] = field(default_factory=dict)
    knowledge: KnowledgeOrigin | None = None
    """The commits whose knowledge documents count; None: those of the run's base."""

    @property
    def is_resting(self) -> bool:
        """Tell whether nothing new begins for now."""
        return self.is_paused or self.undoing is not None

    def part(self, component: ComponentId) -> Part:
        """Tell where a component stands."""
        return self.parts.get(component, Part())

    @property
    def interface_names(self) -> frozenset[str]:
        """Name the interfaces that are locked, or were."""
        if not self.are_locked:
            return frozenset()
        return frozenset(it.name for it in self.definition.feature.interfaces)

    @property
    def statuses(self) -> dict[ComponentId, ComponentStatus]:
        """Tell the status of each component that has begun."""
        return {name: it.status for name, it in self.parts.items() if is_component(name)}


def evolve(state: FeatureState, event: Event) -> FeatureState:
    """Fold one recorded fact into the state."""
    book = evolve_book(state.book, event, state.interface_names)
    if book is not state.book:
        state = replace(state, book=book)
    if isinstance(event, _TURNS):
        state = replace(state, is_looked=False)
    if isinstance(event, i.ComponentReopened):
        return _reopened(state, event.component, event.why)
    return _evolved(state, event)


_TURNS: Final = (
    *(e.ChildEnded, e.SignalReceived, e.StepPassed, e.StepFailed, e.StepSkipped),
    *(f.PhaseUndone, i.InterfaceLocked, i.ComponentReopened),
)
"""After these others may be ready to begin."""


def _evolved(state: FeatureState, event: Event) -> FeatureState:
    match event:
        case f.TouchedFilesSeen(seen=seen):
            return _touched(state, seen)
        case e.SignalReceived(signal=signal):
            return _told(state, signal)
        case e.ChildEnded():
            return _child_ended(state, event)
        case e.ChildCancelRequested(child=child) if state.undoing is not None:
            stopped = state.undoing.stopped | {child}
            return replace(state, undoing=replace(state.undoing, stopped=stopped))
        case f.PhaseUndone():
            return _undone(state)
        case e.SignalAwaited():
            return replace(state, is_called=False)
        case e.StepEntered(step=step) if step == FEATURE:
            return replace(state, is_home=True)
        case e.PlacedEvent(step=step) if step != FEATURE:
            return _placed(state, ComponentId(step), event)
        case e.PlacedEvent():
            cleared = evolve_clearance(state.clearance, event, ApprovalReason.RISK)
            return replace(state, clearance=cleared)
        case _:
            return state


def _touched(state: FeatureState, seen: tuple[f.TouchedFiles, ...]) -> FeatureState:
    """Take in what was seen of components that are still at work, and not merged meanwhile."""
    parts = dict(state.parts)
    for it in seen:
        part = state.part(it.component)
        if part.child == it.child and part.snapshot is None:
            parts[it.component] = replace(part, touched=it.files)
    return replace(state, parts=parts, is_looked=True)


def forked(state: FeatureState) -> FeatureState:
    """Return the state with which another run goes on: what nobody builds any more is pending."""
    parts = {name: _stopped(it) for name, it in state.parts.items() if name != WATCHED}
    calm = replace(state, parts=parts, queue=(), undoing=None, skips=(), is_paused=False)
    return replace(calm, landed=None, left=state.landed or state.left, is_looked=False)


def _stopped(part: Part) -> Part:
    """Forget what is under way; what was about to be taken back is on the branch as before."""
    if part.status not in AT_WORK:
        return part
    status = ComponentStatus.COMPLETED if part.is_undone else ComponentStatus.PENDING
    return Part(status=status, visit=part.visit, child=part.child)


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
        case FeatureWish.RESTART | FeatureWish.ROLLBACK as wish if state.undoing is None:
            return _undo(state, wish, PhaseId(name))
        case FeatureWish.SKIP if part.status in {ComponentStatus.FAILED, ComponentStatus.PENDING}:
            return replace(state, skips=(*state.skips, component))
        case _:
            return state


def _reopened(state: FeatureState, name: ComponentId, why: ArtifactHash) -> FeatureState:
    """Let a component begin again as if it never had been built, with what it has to know."""
    fresh = Part(visit=state.part(name).visit, feedback=(why,), is_reopened=True)
    parts = {**state.parts, name: fresh}
    return replace(state, parts=parts, queue=_without(state.queue, name))


def _without(queue: tuple[ComponentId, ...], name: ComponentId) -> tuple[ComponentId, ...]:
    return tuple(it for it in queue if it != name)


def _undo(state: FeatureState, wish: FeatureWish, phase: PhaseId) -> FeatureState:
    """Begin to take a phase back; a phase that nobody knows has nothing to take back."""
    components = undone_with(state.definition.feature, phase)
    if not components:
        return state
    undoing = Undoing(phase=phase, wish=wish, components=components)
    return replace(state, undoing=undoing, problem="")


def _undone(state: FeatureState) -> FeatureState:
    """Let all components begin again; whoever only rolls back says when they do."""
    if state.undoing is None:
        return state
    gone = state.undoing.components
    fresh = {it: Part(visit=part.visit) for it, part in state.parts.items() if it in gone}
    return replace(
        state,
        parts={**state.parts, **fresh},
        undoing=None,
        is_paused=state.undoing.wish is FeatureWish.ROLLBACK,
    )


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


def _next_part(state: FeatureState, name: ComponentId, event: e.PlacedEvent) -> Part:
    before = state.part(name)
    is_undone = state.undoing is not None and name in state.landings
    if isinstance(event, e.StepEntered) and is_undone:
        return taken_back(before, event.visit)
    part = evolve_part(before, event)
    if before.is_undone:
        return part
    if isinstance(event, e.ChildStarted):
        return replace(part, start=state.tip.commit)
    if isinstance(event, f.InterfacesWritten | p.ProjectsGathered | p.HandoverMade):
        return replace(part, onto=state.tip.tree)
    return part


def _placed(state: FeatureState, name: ComponentId, event: e.PlacedEvent) -> FeatureState:
    before, part = state.part(name), _next_part(state, name, event)
    state = replace(state, parts={**state.parts, name: part})
    match event:
        case e.StepEntered(start=start) if name == WATCHED:
            return replace(state, watched=start)
        case e.IntegrationLanded(commit=commit, tree=tree) if before.snapshot is not None:
            tip = Snapshot(commit=commit, tree=tree or before.snapshot.tree)
            landings = {it: at for it, at in state.landings.items() if it != name}
            if not before.is_undone:
                landings[name] = commit
            line = (*state.line, (name, tip))
            if name == WATCHED and state.knowledge is not None:
                known = state.knowledge.looked(state.tip.commit, commit)
                state = replace(state, knowledge=known)
            return replace(state, tip=tip, landed=commit, landings=landings, line=line)
        case f.RevertNeedless():
            landings = {it: at for it, at in state.landings.items() if it != name}
            return replace(state, landings=landings)
        case e.StepFailed(reason=reason) if before.is_undone:
            return replace(state, undoing=None, problem=reason, is_paused=True)
        case e.StepPassed() if name == LOCKING:
            queue = _without(state.queue, name)
            return replace(state, queue=queue, are_locked=True, lock_checks=part.checks)
        case e.StepPassed() | e.StepFailed() | e.StepSkipped() | f.MergeEvicted():
            skips = tuple(it for it in state.skips if it != name)
            return replace(state, queue=_without(state.queue, name), skips=skips)
        case _:
            return _queued(state, name, event)


def _queued(state: FeatureState, name: ComponentId, event: e.PlacedEvent) -> FeatureState:
    """Let what is made join the queue, or leave it to be made anew."""
    match event:
        case p.ProjectsGathered(origins=origins):
            return replace(state, queue=(*state.queue, name), origins=origins)
        case f.InterfacesWritten() | p.HandoverMade():
            return replace(state, queue=(*state.queue, name))
        case f.MergeDropped() if is_made(name):
            return _made_anew(state, name)
        case _:
            return state


def _made_anew(state: FeatureState, name: ComponentId) -> FeatureState:
    """Let what nobody builds be made on top of where the branch stands."""
    part = replace(state.part(name), stage=PartStage.ASSIGN)
    parts = {**state.parts, name: part}
    return replace(state, parts=parts, queue=_without(state.queue, name))


def step_of(component: ComponentId) -> StepName:
    """Name the step of a component."""
    return StepName(component)
