"""What a driver can ask the engine to do, and the intent that is recorded first."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import assert_never

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    EffectKey,
    RunId,
    StepName,
    TimerName,
    TreeSha,
)
from supervisor_ai.domain.kanban.policy import Duty, KanbanPlace
from supervisor_ai.domain.run.breaker import BreakerPolicy
from supervisor_ai.domain.run.budgets import NOTHING, Amount, Scope
from supervisor_ai.domain.run.definition import Cli, Gate, Role, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.degradation import Level
from supervisor_ai.domain.run.events import (
    ApprovalRequested,
    AttemptStarted,
    FilesLeftOut,
    GateStarted,
    IntegrationStarted,
    KanbanReadStarted,
    KanbanSaveStarted,
    LaunchRequested,
    PermitRequested,
    PullRequestStarted,
    TimerSet,
)
from supervisor_ai.domain.run.facts import ApprovalReason, Feedback
from supervisor_ai.domain.run.gates import Authorship
from supervisor_ai.domain.run.prices import CostCap, PriceTable
from supervisor_ai.domain.run.writable import Writable


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A deed outside the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedEffect(Effect):
    """A deed for one slot of one visit to one step."""

    step: StepName
    visit: int
    slot: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """An earlier answer that the worker should know."""

    title: str
    artifact: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWorker(PlacedEffect):
    """Start a worker in a fresh workspace and wait for its answer."""

    attempt: int
    role: Role
    cli: Cli
    start: CommitSha
    base: CommitSha
    task: ArtifactHash
    timeout: timedelta
    output_bytes: int
    sandbox: SandboxPolicy
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    tokens: int | None = None
    cost_cap: CostCap | None = None
    level: Level = Level.PRIMARY
    is_told: bool = True
    turn: int = 0
    turns: tuple[ArtifactHash, ...] = ()
    breaker: BreakerPolicy | None = None
    """Whether failures are remembered for all runs, and how; its driver has to follow refusals."""
    budgets: dict[Scope, Amount] = field(default_factory=dict)
    wish: Amount = NOTHING
    has_leave: bool = False
    """Whether the project has already said that it may start."""
    prices: PriceTable = field(default_factory=PriceTable)
    feedback: tuple[Feedback, ...] = ()
    left_out: FilesLeftOut | None = None
    """What of the attempt before could not be kept."""
    context: tuple[ContextItem, ...] = ()
    plans: tuple[ArtifactHash, ...] = ()
    """Those of the earlier answers that are plans."""
    instructions: str = ""
    assignment: str = ""
    """What is asked of it in place of the run's task."""
    writable: Writable | None = None
    """What it may write; None: as its role says."""
    duty: Duty | None = None
    """What it owes a kanban besides its answer."""
    nonce: str = ""
    """What its answer repeats; nothing: one that is new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGate(PlacedEffect):
    """Find out whether a snapshot passes a gate."""

    gate: Gate
    snapshot: CommitSha
    tree: TreeSha
    sandbox: SandboxPolicy
    output_bytes: int
    origin: CommitSha
    """Where the run began."""
    vouched: CommitSha
    """What the gates that look at changes have let pass last."""
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    author: Authorship | None = None
    plans: tuple[ArtifactHash, ...] = ()
    mutants: int | None = None
    """How many faults a mutation check tries at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestApproval(PlacedEffect):
    """Ask a person about a tree."""

    reason: ApprovalReason
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrate(PlacedEffect):
    """Put a snapshot on the run's branch."""

    snapshot: CommitSha
    branch: str
    base: CommitSha
    expected: CommitSha | None
    task: ArtifactHash
    subject: str = ""
    """What the commit is called; nothing: as the task is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadKanban(PlacedEffect):
    """Find out what a kanban's files say now."""

    place: KanbanPlace
    branch: str
    base: CommitSha
    landed: CommitSha | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveKanban(PlacedEffect):
    """Write what changed in a kanban's files into its plain directory."""

    place: KanbanPlace
    start: CommitSha
    snapshot: CommitSha
    base: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPullRequest(PlacedEffect):
    """Push the run's branch and ask others to look at it."""

    branch: str
    commit: CommitSha
    target: str
    task: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun(PlacedEffect):
    """Submit a child run."""

    driver: str
    workflow: str
    task: ArtifactHash
    definition: ArtifactHash


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRun(Effect):
    """Ask a child run to stop."""

    child: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTimer(Effect):
    """Be woken after a while, or at a time; `parks` when the run only waits meanwhile."""

    timer: TimerName
    after: timedelta = timedelta()
    at: datetime | None = None
    parks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTimer(Effect):
    """Forget a timer."""

    timer: TimerName


@dataclass(frozen=True, slots=True, kw_only=True)
class TakePermit(Effect):
    """Wait for one of `limit` places that all runs of the project share."""

    permit: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePermit(Effect):
    """Give the place back."""

    permit: str


AnyEffect = (
    RunWorker
    | RunGate
    | RequestApproval
    | Integrate
    | OpenPullRequest
    | ReadKanban
    | SaveKanban
    | StartRun
    | CancelRun
    | SetTimer
    | CancelTimer
    | TakePermit
    | ReleasePermit
)
TaskEffect = RunWorker | RunGate | Integrate | OpenPullRequest | ReadKanban | SaveKanban
"""Effects that the engine performs as tasks between an intent and an outcome."""

TaskIntent = (
    AttemptStarted
    | GateStarted
    | IntegrationStarted
    | PullRequestStarted
    | KanbanReadStarted
    | KanbanSaveStarted
)
"""Facts that say: such a task is about to begin."""

Intent = (
    LaunchRequested
    | AttemptStarted
    | GateStarted
    | ApprovalRequested
    | IntegrationStarted
    | PullRequestStarted
    | KanbanReadStarted
    | KanbanSaveStarted
    | PermitRequested
)
"""Facts that say: this is under way, and has no end yet."""


def operation_key(run: RunId, intent: Intent) -> EffectKey:
    """Name the deed; only what is about a worker contains the attempt."""
    match intent:
        case LaunchRequested(step=step, visit=visit, slot=slot, attempt=attempt):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/launch/{attempt}")
        case AttemptStarted():
            return attempt_key(run, intent)
        case GateStarted(step=step, visit=visit, slot=slot):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/gate")
        case ApprovalRequested(step=step, visit=visit, slot=slot):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/approval")
        case IntegrationStarted(step=step, visit=visit, slot=slot):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/integrate")
        case PullRequestStarted(step=step, visit=visit, slot=slot):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/pull_request")
        case KanbanReadStarted(step=step, visit=visit, slot=slot):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/kanban")
        case KanbanSaveStarted(step=step, visit=visit, slot=slot):
            return EffectKey(f"{run}/{step}/{visit}/{slot}/save")
        case PermitRequested(permit=permit):
            return EffectKey(f"{run}/permit/{permit}")
        case _:
            assert_never(intent)


def attempt_key(run: RunId, intent: LaunchRequested | AttemptStarted) -> EffectKey:
    """Name the attempt, also before it has leave to start."""
    place = f"{intent.step}/{intent.visit}/{intent.slot}"
    return EffectKey(f"{run}/{place}/worker/{intent.attempt}")


def task_intent(effect: TaskEffect) -> TaskIntent:
    """State what is about to be done."""
    match effect:
        case RunWorker():
            return _attempt_intent(effect)
        case RunGate():
            return GateStarted(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                gate=effect.gate.name,
                snapshot=effect.snapshot,
            )
        case Integrate():
            return IntegrationStarted(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                snapshot=effect.snapshot,
                branch=effect.branch,
                expected=effect.expected,
            )
        case OpenPullRequest():
            return PullRequestStarted(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                branch=effect.branch,
                commit=effect.commit,
            )
        case ReadKanban():
            return KanbanReadStarted(
                step=effect.step, visit=effect.visit, slot=effect.slot, file=effect.place.file
            )
        case SaveKanban():
            return KanbanSaveStarted(
                step=effect.step,
                visit=effect.visit,
                slot=effect.slot,
                start=effect.start,
                snapshot=effect.snapshot,
            )
        case _:
            assert_never(effect)


def _attempt_intent(effect: RunWorker) -> AttemptStarted:
    return AttemptStarted(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        attempt=effect.attempt,
        role=effect.role.name,
        cli=effect.cli.name,
        start=effect.start,
        level=effect.level,
        is_told=effect.is_told,
        turn=effect.turn,
        breaker=effect.breaker,
        nonce=effect.nonce,
    )


def launch_intent(effect: RunWorker) -> LaunchRequested:
    """State what a worker would need to start."""
    return LaunchRequested(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        attempt=effect.attempt,
        role=effect.role.name,
        cli=effect.cli.name,
        level=effect.level,
        is_told=effect.is_told,
        turn=effect.turn,
        breaker=effect.breaker,
        budgets=effect.budgets,
        wish=effect.wish,
        nonce=effect.nonce,
    )


def timer_intent(effect: SetTimer, *, now: datetime) -> TimerSet:
    """Fix the time at which the timer is due."""
    due = effect.at or now + effect.after
    return TimerSet(timer=effect.timer, due=due, parks=effect.parks)


def approval_intent(effect: RequestApproval) -> ApprovalRequested:
    """State what a person is asked."""
    return ApprovalRequested(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        reason=effect.reason,
        tree=effect.tree,
        commit=effect.commit,
        question=effect.question,
    )
