"""What a driver can ask the engine to do, and the intent that is recorded first."""

from abc import abstractmethod
from datetime import datetime, timedelta
from typing import ClassVar

from msgspec import Struct, field

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    RunId,
    SessionId,
    StepName,
    TimerName,
    TreeSha,
)
from supervisor_ai.domain.issues import IssueLink
from supervisor_ai.domain.knowledge.selection import KnowledgeScope
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.run.approvals.policy import ApprovalPolicy, Assessment
from supervisor_ai.domain.run.definition import (
    Cli,
    FollowPolicy,
    ForgeChoice,
    Gate,
    Role,
    SandboxPolicy,
    WorkspacePolicy,
)
from supervisor_ai.domain.run.events import (
    ApprovalRequested,
    AssessmentStarted,
    AttemptStarted,
    BaselineEnded,
    BaselineStarted,
    FilesLeftOut,
    GateStarted,
    IntegrationStarted,
    LaunchRequested,
    NotificationStarted,
    OperationStarted,
    PullRequestLookStarted,
    PullRequestSeen,
    PullRequestStarted,
    PullRequestUnseen,
    RunEvent,
    SignalAwaited,
    TimerSet,
)
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.gates import Authorship, HarnessRules, Health
from supervisor_ai.domain.run.spending.budgets import NOTHING, Amount, Scope
from supervisor_ai.domain.run.spending.prices import CostCap, PriceTable
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Base, Feedback, ReasonWord
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.structs import replace


class Effect(Struct, frozen=True, kw_only=True):
    """A deed outside the ledger."""

    begins_with: ClassVar[tuple[str, ...]] = ()
    """The fields that name commits without which the deed cannot begin."""

    @property
    def commits(self) -> tuple[CommitSha, ...]:
        """Name the commits that the deed begins with."""
        return tuple(sha for it in self.begins_with if (sha := getattr(self, it)) is not None)


class PlacedEffect(Effect, frozen=True, kw_only=True):
    """A deed for one slot of one visit to one step."""

    step: StepName
    visit: int
    slot: int = 1


class OperationEffect(PlacedEffect, frozen=True, kw_only=True):
    """A deed that takes time: the engine performs it between an intent and an outcome."""

    @abstractmethod
    def intent(self) -> OperationStarted:
        """State what is about to be done."""


class ContextItem(Struct, frozen=True, kw_only=True):
    """An earlier answer that the worker should know."""

    title: str
    artifact: ArtifactHash


class RunWorker(OperationEffect, frozen=True, kw_only=True):
    """Start a worker in a fresh workspace and wait for its answer."""

    begins_with: ClassVar = ("start", "base")

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
    instructions: str = ""
    assignment: str = ""
    """What is asked of it in place of the run's task."""
    writable: Writable | None = None
    """What it may write; None: as its role says."""
    nonce: str = ""
    """What its answer repeats; nothing: one that is new."""
    session: SessionId | None = None
    """The session in which it is a member while it works."""
    knowledge: KnowledgeScope = KnowledgeScope()
    hears_directives: bool = False
    """Whether it is told what the project's quality supervisors want done."""
    answers_directives: bool = False
    """Whether it plans, and so has to say what becomes of each of them."""

    def intent(self) -> AttemptStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return AttemptStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            attempt=self.attempt,
            role=self.role.name,
            cli=self.cli.name,
            start=self.start,
            level=self.level,
            is_told=self.is_told,
            turn=self.turn,
            breaker=self.breaker,
            nonce=self.nonce,
        )


class RunGate(OperationEffect, frozen=True, kw_only=True):
    """Find out whether a snapshot passes a gate."""

    begins_with: ClassVar = ("snapshot",)

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
    reviews: tuple[ArtifactHash, ...] = ()
    accepted: tuple[ArtifactHash, ...] = ()
    baseline: ArtifactHash | None = None
    """Which tests there were before the change, by name; None: nobody looked."""
    baseline_output: ArtifactHash | None = None
    """What it printed before the change, where it was green and nobody knows which tests ran."""
    least_tests: int | None = None
    """How many tests there were, where nobody knows which."""
    has_new_tests: bool = False
    """Whether there was nothing before the change that its tests could be compared with."""
    is_replayed: bool = False
    """Whether the tests as they were before the run judge the same change, now or later."""
    harness: HarnessRules = HarnessRules()
    mutants: int | None = None
    """How many faults a mutation check tries at most."""
    own: tuple[tuple[CommitSha, CommitSha], ...] = ()
    """Where the visits of the step began and ended whose new tests it looks at; none: all."""

    def intent(self) -> GateStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return GateStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            gate=self.gate.name,
            snapshot=self.snapshot,
        )

    @property
    def replay_decides(self) -> bool:
        """Tell whether of what tests say only that counts what those older than the run say."""
        return self.is_replayed and self.vouched == self.origin

    def compared_with(self, before: BaselineEnded) -> "RunGate":
        """Let it be compared with how the tests stood before the change."""
        is_unnamed = before.results is None and before.health is Health.GREEN
        return replace(
            self,
            baseline=before.results,
            baseline_output=before.output if is_unnamed else None,
            least_tests=before.tests if is_unnamed else None,
            has_new_tests=before.results is None and before.health is not Health.GREEN,
        )


class RunBaseline(RunGate, frozen=True, kw_only=True):
    """Find out how a gate stands on the files that the run starts from."""

    def intent(self) -> BaselineStarted:  # type: ignore[explicit-override,override]
        """State what is about to be done."""
        return BaselineStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            gate=self.gate.name,
            base=self.snapshot,
        )


class RequestApproval(PlacedEffect, frozen=True, kw_only=True):
    """Ask a person about a tree."""

    begins_with: ClassVar = ("commit",)

    reason: ReasonWord
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None
    assessment: Assessment | None = None
    """What the policy demands; None: one person, whoever it is."""
    needs_reason: bool = False
    """Whether a yes counts only with a word on why."""


class AssessChange(OperationEffect, frozen=True, kw_only=True):
    """Find out what a change needs before it lands."""

    begins_with: ClassVar = ("commit", "since")

    tree: TreeSha
    commit: CommitSha
    since: CommitSha
    """What the change is compared with."""
    policy: ApprovalPolicy
    coverage: float | None = None
    """How much of the code the tests reach, as a gate measured it, in percent."""
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """What gates said last, by their names."""
    reviews: tuple[ContextItem, ...] = ()
    """What reviewers said last."""
    declared: tuple[str, ...] = ()
    """The files that are to change, where nothing has changed yet and a plan is judged."""

    def intent(self) -> AssessmentStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return AssessmentStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            tree=self.tree,
            commit=self.commit,
        )


class CommitStyle(Struct, frozen=True, kw_only=True):
    """How a commit is described, where nobody has written its subject."""

    plans: tuple[ArtifactHash, ...] = ()
    """What planners answered; they may have named the type of the change."""
    is_conventional: bool = False
    """Whether type and scope are found also where no plan names them."""


class Integrate(OperationEffect, frozen=True, kw_only=True):
    """Put a snapshot on the run's branch."""

    begins_with: ClassVar = ("snapshot", "base")

    snapshot: CommitSha
    branch: str
    base: CommitSha
    expected: CommitSha | None
    task: ArtifactHash
    subject: str = ""
    """What the commit is called; nothing: as the task is."""
    style: CommitStyle = CommitStyle()
    is_signed: bool = True
    """Whether it is signed where the user's git says so."""

    def intent(self) -> IntegrationStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return IntegrationStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            snapshot=self.snapshot,
            branch=self.branch,
            expected=self.expected,
        )


class OpenPullRequest(OperationEffect, frozen=True, kw_only=True):
    """Push the run's branch and ask others to look at it."""

    branch: str
    commit: CommitSha
    target: str
    task: ArtifactHash
    base: CommitSha | None = None
    style: CommitStyle = CommitStyle()
    issue: IssueLink | None = None
    """What it settles."""
    forge: ForgeChoice = ForgeChoice.AUTO

    def intent(self) -> PullRequestStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return PullRequestStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            branch=self.branch,
            commit=self.commit,
        )


class Notify(OperationEffect, frozen=True, kw_only=True):
    """Tell people about a tree, and wait until they have been told."""

    tree: TreeSha
    channels: tuple[str, ...]
    severity: NoticeSeverity
    about: NoticeState
    task: ArtifactHash
    wait: timedelta | None = None
    """How long they have to object, where that is what they are told."""

    def intent(self) -> NotificationStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return NotificationStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            tree=self.tree,
            channels=self.channels,
            severity=self.severity,
            about=self.about,
        )


class LookEffect(OperationEffect, frozen=True, kw_only=True):
    """A deed that changes nothing: where a run only waits and it brings no news, none is told."""

    again: timedelta | None = None
    """How long to wait once more where nothing is new; None: whatever it brings is news."""

    @abstractmethod
    def is_known(self, outcome: RunEvent) -> bool:
        """Tell whether an outcome says what was known before."""


class LookAtPullRequest(LookEffect, frozen=True, kw_only=True):
    """See how the checks and the reviews of a pull request stand."""

    url: str
    commit: CommitSha
    policy: FollowPolicy
    handled: tuple[str, ...] = ()
    """The comments that were handed on before."""
    known: PullRequestSeen | PullRequestUnseen | None = None
    """What the last look brought."""

    def intent(self) -> PullRequestLookStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return PullRequestLookStarted(
            step=self.step, visit=self.visit, slot=self.slot, commit=self.commit
        )

    def is_known(self, outcome: RunEvent) -> bool:  # type: ignore[explicit-override]
        """Tell whether an outcome says what was known; of failures, the reason alone counts."""
        before = self.known
        if isinstance(before, PullRequestUnseen) and isinstance(outcome, PullRequestUnseen):
            return (before.reason, before.is_passing) == (outcome.reason, outcome.is_passing)
        return before == outcome


class AwaitSignal(PlacedEffect, frozen=True, kw_only=True):
    """Do nothing until somebody says that something happened."""

    signal: str


class StartRun(PlacedEffect, frozen=True, kw_only=True):
    """Submit a child run."""

    driver: str
    workflow: str
    task: ArtifactHash
    definition: ArtifactHash
    base: Base | None = None
    """Where it starts from; None: where its parent did."""


class CancelRun(Effect, frozen=True, kw_only=True):
    """Ask a child run to stop."""

    child: RunId


class SetTimer(Effect, frozen=True, kw_only=True):
    """Be woken after a while, or at a time; `parks` when the run only waits meanwhile."""

    timer: TimerName
    after: timedelta = timedelta()
    at: datetime | None = None
    parks: bool = False


class CancelTimer(Effect, frozen=True, kw_only=True):
    """Forget a timer."""

    timer: TimerName


class TakePermit(Effect, frozen=True, kw_only=True):
    """Wait for one of `limit` places that all runs of the project share."""

    permit: str
    limit: int


class ReleasePermit(Effect, frozen=True, kw_only=True):
    """Give the place back."""

    permit: str


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


def signal_intent(effect: AwaitSignal) -> SignalAwaited:
    """State what the run waits for."""
    return SignalAwaited(
        step=effect.step, visit=effect.visit, slot=effect.slot, signal=effect.signal
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
        assessment=effect.assessment,
        needs_reason=effect.needs_reason,
    )
