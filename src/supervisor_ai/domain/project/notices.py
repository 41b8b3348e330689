"""What people are owed: one notice for each state of a run, and who is about to deliver it."""

from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.policy import ApprovalAction
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Process
from supervisor_ai.domain.structs import replace

NOTICE_EVENTS: Final = (
    *(p.NoticeOwed, p.NoticeTaken),
    *(p.NoticeDelivered, p.NoticeFailed, p.NoticeDropped),
)
_TOLD: Final = ApprovalAction.NOTIFY_AND_TIMEOUT
_ENDS: Final = {
    RunStatus.COMPLETED: NoticeState.COMPLETED,
    RunStatus.FAILED: NoticeState.FAILED,
    RunStatus.CANCELLED: NoticeState.CANCELLED,
}


class OwedNotice(Struct, frozen=True, kw_only=True):
    """A notice that has not reached anybody yet."""

    key: str
    run: RunId
    about: NoticeState
    severity: NoticeSeverity
    channels: tuple[str, ...]
    words: ArtifactHash
    taken_by: Process | None = None


class Notices(Struct, frozen=True, kw_only=True):
    """The notices of a project."""

    owed: dict[str, OwedNotice] = field(default_factory=dict)
    known: dict[RunId, frozenset[str]] = field(default_factory=dict)
    """What was ever owed for runs that have not ended."""

    def is_known(self, run: RunId, key: str) -> bool:
        """Tell whether the notice was owed before."""
        return key in self.known.get(run, frozenset())


def evolve(notices: Notices, event: Event) -> Notices:
    """Fold one recorded fact into the notices."""
    match event:
        case p.NoticeOwed(key=key, run=run):
            owed = OwedNotice(
                key=key,
                run=run,
                about=event.about,
                severity=event.severity,
                channels=event.channels,
                words=event.words,
            )
            keys = notices.known.get(run, frozenset()) | {key}
            known = {**notices.known, run: keys}
            return Notices(owed={**notices.owed, key: owed}, known=known)
        case p.NoticeTaken(key=key, process=process) if key in notices.owed:
            taken = replace(notices.owed[key], taken_by=process)
            return replace(notices, owed={**notices.owed, key: taken})
        case p.NoticeDelivered(key=key) | p.NoticeFailed(key=key) | p.NoticeDropped(key=key):
            return _settled(notices, key)
        case _:
            return notices


def _settled(notices: Notices, key: str) -> Notices:
    """Forget a notice; of a run that has ended, nobody asks again what was said."""
    settled = notices.owed.get(key)
    owed = {name: it for name, it in notices.owed.items() if name != key}
    has_ended = settled is not None and settled.about in _ENDS.values()
    gone = {settled.run} if settled is not None and has_ended else set()
    known = {run: keys for run, keys in notices.known.items() if run not in gone}
    return Notices(owed=owed, known=known)


class StateOfRun(Struct, frozen=True, kw_only=True):
    """A state of a run that people may want to hear of, by a name of its own."""

    about: NoticeState
    key: str
    reason: str = ""
    """Why, in one sentence of our own."""


def state_of(run: Run) -> StateOfRun | None:
    """Say in which state a run is that people may want to hear of.

    How a child ends is its parent's business.
    """
    if run.status is RunStatus.WAITING:
        return _waiting(run)
    if run.status not in _ENDS or run.birth.parent is not None:
        return None
    about, outcome = _ENDS[run.status], run.outcome
    if outcome is not None and outcome.kind is OutcomeKind.BUDGET_EXHAUSTED:
        about = NoticeState.BUDGET
    key = f"{run.id}/{run.status.value}"
    return StateOfRun(about=about, key=key, reason=outcome.reason if outcome else "")


def _waiting(run: Run) -> StateOfRun | None:
    """Name what the run waits for, where that is a person or a budget."""
    asked = run.approval
    if asked is not None:
        if asked.assessment is not None and asked.assessment.action is _TOLD:
            return None  # They were told before the time to object began.
        is_blocked = asked.reason == ApprovalReason.BLOCKED
        about = NoticeState.BLOCKED if is_blocked else NoticeState.APPROVAL
        return StateOfRun(about=about, key=f"{_place(run, asked)}/{about}/{asked.tree[:12]}")
    launch = next((it for it in run.open.values() if isinstance(it, e.LaunchRequested)), None)
    if launch is None:
        return None
    about = NoticeState.BUDGET
    return StateOfRun(about=about, key=f"{_place(run, launch)}/{about}")


def _place(run: Run, at: e.PlacedEvent) -> str:
    return f"{run.id}/{at.step}/{at.visit}/{at.slot}"
