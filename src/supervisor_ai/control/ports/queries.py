"""Port of queries about runs: the read models that the ledger keeps beside the events."""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    RunId,
    StepName,
    StreamId,
    TreeSha,
)
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, RiskLevel
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.domain.run.status import (
    AttemptStatus,
    FailureCategory,
    Outcome,
    RunStatus,
    StepStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import Base, ForkPoint, ReasonWord, Usage
from supervisor_ai.engine.ports.ledger import CachedState


class RunRow(Struct, frozen=True, kw_only=True):
    """A run as lists show it."""

    id: RunId
    task: ArtifactHash
    driver: str
    workflow: str
    status: RunStatus
    outcome: Outcome | None
    degraded: bool
    parent: RunId | None
    root: RunId
    base: Base | None
    branch: str | None
    commit: CommitSha | None
    created_at: datetime
    updated_at: datetime
    usage: Usage
    waits_for: str | None = None
    waits_until: datetime | None = None
    """When it goes on by itself, where it waits for a time."""
    rests_until: datetime | None = None
    """When the next try begins, where it rests for a moment between two of them."""
    has_children: bool = False
    """Whether runs that it started go on."""
    fork: ForkPoint | None = None
    """What it shares with the run that it was forked from."""


class StepRow(Struct, frozen=True, kw_only=True):
    """A step of a run, in the order of its first visit."""

    step: StepName
    role: str | None
    status: StepStatus
    visits: int
    attempts: int
    last_verdict: str | None


class AttemptRow(Struct, frozen=True, kw_only=True):
    """An attempt, with the names of everything that was sent and came back."""

    step: StepName
    visit: int
    slot: int
    attempt: int
    role: str
    cli: str
    status: AttemptStatus
    started_at: datetime
    ended_at: datetime | None
    said: str | None
    category: FailureCategory | None
    reason: str | None
    prompt: ArtifactHash | None
    transcript: ArtifactHash | None
    answer: ArtifactHash | None
    snapshot: CommitSha | None


class GateRow(Struct, frozen=True, kw_only=True):
    """A gate's run on a snapshot; without a verdict while it is under way."""

    step: StepName
    visit: int
    gate: str
    snapshot: CommitSha
    verdict: Verdict | None
    reason: str | None
    output: ArtifactHash | None
    started_at: datetime
    ended_at: datetime | None
    tests: int | None = None
    findings: int = 0
    report: ArtifactHash | None = None
    feedback: ArtifactHash | None = None
    is_reused: bool = False
    exit_code: int | None = None


class ClaimsRow(Struct, frozen=True, kw_only=True):
    """How often the workers of a role and an agent reported what git does not bear out."""

    role: str
    cli: str
    attempts: int
    """How many of their attempts gave a valid answer."""
    refuted: int
    """How many of those reported something that is not so."""
    files: int
    tests: int
    commits: int


class ApprovalRow(Struct, frozen=True, kw_only=True):
    """A question to a person, and the answer if there is one."""

    step: StepName
    visit: int
    reason: ReasonWord
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None
    asked_at: datetime
    is_approved: bool | None
    answered_by: str | None
    answered_at: datetime | None
    note: ArtifactHash | None = None
    """What the person said with the answer."""
    answer: str | None = None
    """approved, rejected, nobody_objected or edited."""
    level: RiskLevel | None = None
    """How risky the policy holds the change; None: it was not the policy that asked."""
    action: ApprovalAction | None = None
    needs: int = 1
    """How many people have to agree."""
    approvers: tuple[str, ...] = ()
    """The groups whose members may."""
    because: tuple[str, ...] = ()
    """What led to the level."""
    votes: tuple[str, ...] = ()
    """Those who have agreed so far, where one is not enough."""


class CommentRow(Struct, frozen=True, kw_only=True):
    """What a person said about one line of a change."""

    number: int
    step: StepName
    visit: int
    tree: TreeSha
    file: str
    line: int
    text: ArtifactHash
    person: str
    made_at: datetime
    side: LineSide = LineSide.NEW
    quote: ArtifactHash | None = None


class NoticeStatus(StrEnum):
    """What came of a notice."""

    OWED = "owed"
    DELIVERED = "delivered"
    FAILED = "failed"
    DROPPED = "dropped"


class NoticeRow(Struct, frozen=True, kw_only=True):
    """What people were to hear of a run, and whether they did."""

    key: str
    run: RunId
    about: NoticeState
    severity: NoticeSeverity
    words: ArtifactHash
    status: NoticeStatus
    channels: tuple[str, ...]
    """Those that took it; those that should, while it is owed or where none did."""
    reason: str
    """What stood in the way of channels that did not take it."""
    owed_at: datetime
    ended_at: datetime | None
    is_current: bool
    """Whether the run still waits, where that is what it is about."""


class OwnerRow(Struct, frozen=True, kw_only=True):
    """Who drives a run now."""

    owner: str
    epoch: int
    is_alive: bool


class RunQueries(Protocol):
    """Questions about runs."""

    def runs(self, *, limit: int) -> tuple[Sequence[RunRow], int]:
        """Return the newest runs and how many there are in all."""
        ...

    def runs_of(self, driver: str) -> Sequence[RunRow]:
        """Return all runs of a driver, the newest first."""
        ...

    def children(self, run: RunId) -> Sequence[RunRow]:
        """Return the runs that a run has started, the newest first."""
        ...

    def run(self, run: RunId) -> RunRow | None:
        """Return one run."""
        ...

    def matching(self, part: str) -> Sequence[RunId]:
        """Return the runs whose name begins or ends so."""
        ...

    def steps(self, run: RunId) -> Sequence[StepRow]:
        """Return the steps that the run has visited, in the past that a fork shares too."""
        ...

    def attempts(self, run: RunId) -> Sequence[AttemptRow]:
        """Return the run's attempts in order."""
        ...

    def gates(self, run: RunId) -> Sequence[GateRow]:
        """Return the run's gates in order."""
        ...

    def claims(self) -> Sequence[ClaimsRow]:
        """Return what was found false in workers' reports, by role and agent, over all runs."""
        ...

    def approvals(self, run: RunId) -> Sequence[ApprovalRow]:
        """Return the run's questions to people in order."""
        ...

    def notices(self, run: RunId | None = None, *, limit: int) -> Sequence[NoticeRow]:
        """Return the newest notices, of one run or of all."""
        ...

    def waiting(self) -> Sequence[RunId]:
        """Return the runs that wait for people's answers, in the order in which they asked."""
        ...

    def comments(self, run: RunId) -> Sequence[CommentRow]:
        """Return what people said about lines of the run's changes, in order."""
        ...

    def letters(self, run: RunId) -> Sequence[InboxCommand]:
        """Return the commands that the run's owner has not taken in yet, oldest first."""
        ...

    def owner(self, run: RunId) -> OwnerRow | None:
        """Return who holds the run's lease, if anybody."""
        ...


class FaultKind(StrEnum):
    """What of a ledger is not as it should be."""

    EVENT = "event"
    ANCHOR = "anchor"
    TABLE = "table"
    SCHEMA = "schema"
    LETTER = "letter"
    LEASE = "lease"
    WAKE = "wake"
    STATE = "state"
    ARTIFACT = "artifact"
    FILE = "file"


class LedgerFault(Struct, frozen=True, kw_only=True):
    """A place where the ledger is not what it should be, and what to do about it."""

    kind: FaultKind
    where: str
    message: str
    hint: str
    seq: int | None = None
    """The event that is wrong, or that speaks of what is wrong."""


class Verification(Struct, frozen=True, kw_only=True):
    """What a check of the ledger found; notes are no faults, but worth a look."""

    events: int
    faults: tuple[LedgerFault, ...]
    notes: tuple[str, ...] = ()


Progress = Callable[[str, int, int], None]
"""Is told from time to time what is looked at, how many events were, and how many there are."""


def tell_nobody(part: str, done: int, total: int) -> None:
    """Take no notice of how far something is."""
    del part, done, total


class LedgerMaintenance(Protocol):
    """Looking after the ledger itself."""

    def verify(self, progress: Progress = tell_nobody) -> Verification:
        """Check the database: chain, anchor, schema, tables, inbox commands, leases and wakes."""
        ...

    def verify_artifacts(self, progress: Progress = tell_nobody) -> Verification:
        """Check every artifact that an event or an inbox command names."""
        ...

    def states(self) -> Sequence[tuple[StreamId, CachedState]]:
        """Return the folded states that are kept."""
        ...

    def rebuild(self) -> int:
        """Throw the projections away and make them again; return how many events were read."""
        ...
