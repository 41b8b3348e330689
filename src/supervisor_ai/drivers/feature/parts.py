"""Where one component stands, and what each fact makes of it."""

from enum import StrEnum

from msgspec import Struct, field

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.checks import InterfaceCheck
from supervisor_ai.drivers.feature.plan.merge_search import MergeSearch
from supervisor_ai.drivers.feature.plan.model import ComponentStatus
from supervisor_ai.drivers.feature.projects import events as p


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
    SEARCH = "search"
    """It is red together with others, and it is found out with whom."""
    NEEDLESS = "needless"
    """It adds nothing to what it was merged with."""
    LAND = "land"
    BACK = "back"
    """It could not be merged, and is built again with what was said."""
    UNDO = "undo"
    """What it has put on the branch is taken back."""
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
    onto: TreeSha | None = None
    """All files of what it is merged with."""
    known: tuple[str, ...] = ()
    """The gates that need not run on it."""
    start: CommitSha | None = None
    """Where the branch stood when its run began."""
    search: MergeSearch | None = None
    verdicts: dict[int, e.GateEnded] = field(default_factory=dict)
    checks: tuple[InterfaceCheck, ...] | None = None
    """What came of looking at the interfaces; None: nobody has looked since it was merged."""
    feedback: tuple[ArtifactHash, ...] = ()
    returns: int = 0
    is_reopened: bool = False
    """Whether it was built before, and is built again without a fault of its own."""
    touched: tuple[str, ...] = ()
    """Which files it has really changed, as far as somebody looked."""
    reason: str = ""
    is_undone: bool = False
    """Whether the visit takes it back."""
    notes: tuple[f.WorkerNote, ...] = ()
    """What its worker leaves for those of others, which hear of it once it is on the branch."""


def evolve_part(part: Part, event: e.PlacedEvent) -> Part:
    """Fold a fact about a component that is built, merged, or taken back."""
    if part.is_undone:
        return _undone_part(part, event)
    if part.search is not None:
        return _searched(part, part.search, event)
    return _moved(part, event)


def _moved(part: Part, event: e.PlacedEvent) -> Part:
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
                is_reopened=part.is_reopened and not is_return,
            )
        case f.AssignmentWritten(task=task):
            return replace(part, task=task, stage=PartStage.START)
        case e.ChildStarted(child=child):
            return replace(part, child=child, stage=PartStage.BUILD)
        case e.GateEnded(slot=slot):
            return replace(part, verdicts={**part.verdicts, slot: event})
        case (
            e.IntegrationRefused(reason=reason)
            | p.ProjectsRefused(reason=reason)
            | p.HandoverRefused(reason=reason)
        ):
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
            return _merged(part, event)


def _merged(part: Part, event: e.PlacedEvent) -> Part:
    """Fold what came of merging a component."""
    match event:
        case (
            f.InterfacesWritten(snapshot=snapshot, task=task)
            | p.ProjectsGathered(snapshot=snapshot, task=task)
            | p.HandoverMade(snapshot=snapshot, task=task)
        ):
            return replace(part, snapshot=snapshot, task=task, stage=PartStage.GATES)
        case f.MergeStarted(tree=tree):
            begun = replace(part, status=ComponentStatus.TESTING, onto=tree)
            return replace(begun, verdicts={}, checks=None)
        case f.MergePrepared(snapshot=snapshot, touched=touched, notes=notes, known=known):
            merged = replace(part, snapshot=snapshot, touched=touched, notes=notes, known=known)
            return replace(merged, stage=PartStage.GATES)
        case f.MergeRefused(report=report, reason=reason):
            return _sent_back(part, reason, report)
        case f.MergeNeedless():
            return replace(part, stage=PartStage.NEEDLESS)
        case e.IntegrationLanded() | p.HandoverNeedless():
            return replace(part, stage=PartStage.DONE)
        case i.InterfacesValidated(checks=checks):
            return replace(part, checks=checks)
        case f.MergeEvicted():
            search = MergeSearch(
                slot=event.slot,
                gate=event.gate,
                low=event.low,
                high=event.high,
                reason=event.reason,
                told=event.told,
            )
            return replace(_unmerged(part), stage=PartStage.SEARCH, search=search)
        case f.MergeDropped():
            return replace(_unmerged(part), stage=PartStage.QUEUE)
        case _:
            return part


def _unmerged(part: Part) -> Part:
    """Forget a merge that does not count."""
    return replace(part, snapshot=None, onto=None, verdicts={}, checks=None)


def _undone_part(part: Part, event: e.PlacedEvent) -> Part:
    """Take a step on the way back; where it fails, the component is on the branch as before."""
    match event:
        case f.RevertPrepared(snapshot=snapshot, task=task):
            return replace(part, snapshot=snapshot, task=task, stage=PartStage.GATES)
        case f.RevertRefused(reason=reason):
            return replace(part, stage=PartStage.STOP, reason=reason)
        case f.RevertNeedless():
            return replace(part, stage=PartStage.DONE)
        case e.StepPassed():
            return Part(visit=part.visit)
        case e.StepFailed(reason=reason):
            done = ComponentStatus.COMPLETED
            return Part(status=done, visit=part.visit, child=part.child, reason=reason)
        case _:
            return _moved(part, event)


def taken_back(part: Part, visit: int) -> Part:
    """Enter a component once more to take it back; its own work is kept in its refs."""
    return Part(
        status=ComponentStatus.TESTING,
        stage=PartStage.UNDO,
        visit=visit,
        child=part.child,
        is_undone=True,
    )


def _searched(part: Part, search: MergeSearch, event: e.PlacedEvent) -> Part:
    """Take in what came of a merge with a landing in the middle."""
    match event:
        case f.MergePrepared(known=known) if search.gate in known:
            return replace(part, search=search.narrowed(is_green=True))
        case f.MergePrepared(snapshot=snapshot):
            return replace(part, snapshot=snapshot)
        case f.MergeNeedless() | f.MergeRefused():
            # What cannot be tried there is not what turned it red: at the end it could be merged.
            return replace(part, search=search.narrowed(is_green=True))
        case e.GateEnded(verdict=verdict):
            is_green = verdict in {Verdict.PASSED, Verdict.WARNED}
            return replace(part, search=search.narrowed(is_green=is_green), snapshot=None)
        case e.StepEntered() | e.StepFailed():
            return _moved(replace(part, search=None), event)
        case _:
            return part


def _sent_back(part: Part, reason: str, report: ArtifactHash) -> Part:
    return replace(part, stage=PartStage.BACK, reason=reason, feedback=(report,))
