"""Views of runs: the shapes that the JSON of every face has."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.queries import ApprovalRow, RunRow, StepRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.run.approvals.policy import ApprovalAction
from supervisor_ai.domain.run.status import Outcome, RunStatus, StepStatus
from supervisor_ai.domain.run.values import ForkPoint

_LATE: Final = timedelta(seconds=5)
"""So much later than it meant to somebody may go on with a run."""
ACTIVE: Final = frozenset({StepStatus.RUNNING, StepStatus.WAITING})


class OriginView(Struct, frozen=True, kw_only=True):
    """The commit that a run starts from."""

    ref: str
    sha: CommitSha


class UsageView(Struct, frozen=True, kw_only=True):
    """What a run consumed."""

    tokens_in: int
    tokens_out: int
    cost: Decimal
    estimated: bool


NEEDS_YOU: Final = "needs you"
"""How a run is called that waits for a person's answer."""
MAY_OBJECT: Final = "may object"
"""How a run is called that goes on unless a person says no."""


class RunView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run; `fork`, `interrupted` and `asks` are there only where they say something."""

    id: RunId
    task: str
    driver: str
    workflow: str
    status: RunStatus
    outcome: Outcome | None
    degraded: bool
    parent: RunId | None
    base: OriginView | None
    branch: str | None
    commit: CommitSha | None
    created_at: datetime
    updated_at: datetime
    active_steps: tuple[StepName, ...]
    steps: tuple[StepRow, ...]
    usage: UsageView
    fork: ForkPoint | None = None
    """Which run it was forked from, and after how many of its facts."""
    interrupted: bool = False
    """Whether it should go on, and nobody drives it."""
    asks: str = ""
    """Whether it needs you, or you may object, where it waits for a person."""

    @property
    def standing(self) -> str:
        """Say in a word or two how it stands, as every list and page of every driver does."""
        word = "interrupted" if self.interrupted else self.asks or self.status.value
        return f"{word} (degraded)" if self.degraded else word


class MutationView(Struct, frozen=True, kw_only=True):
    """What a command changed, or would change."""

    target: str
    applied: bool
    dry_run: bool
    detail: str


class RunList(Struct, frozen=True, kw_only=True):
    """The newest runs, and how many there are in all."""

    runs: tuple[RunView, ...]
    total: int

    @property
    def is_truncated(self) -> bool:
        """Tell whether there are more runs than are shown."""
        return self.total > len(self.runs)


def list_runs(records: Records, *, limit: int) -> RunList:
    """Show the newest runs."""
    rows, total = records.queries.runs(limit=limit)
    return RunList(runs=tuple(view_run(records, row) for row in rows), total=total)


def show_run(records: Records, name: str) -> RunView:
    """Show one run."""
    return view_run(records, records.find(name))


def view_run(records: Records, row: RunRow) -> RunView:
    """Bring together what is known of a run."""
    steps = tuple(records.queries.steps(row.id))
    usage = row.usage
    return RunView(
        id=row.id,
        task=records.text(row.task),
        driver=row.driver,
        workflow=row.workflow,
        status=row.status,
        outcome=row.outcome,
        degraded=row.degraded,
        parent=row.parent,
        base=OriginView(ref=row.base.ref, sha=row.base.sha) if row.base else None,
        branch=row.branch,
        commit=row.commit,
        created_at=row.created_at,
        updated_at=row.updated_at,
        active_steps=tuple(step.step for step in steps if step.status in ACTIVE),
        steps=steps,
        usage=UsageView(
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            cost=usage.cost,
            estimated=usage.estimated,
        ),
        fork=row.fork,
        interrupted=is_interrupted(records, row),
        asks=_asks(records, row),
    )


def asked_of(row: RunRow, approvals: Iterable[ApprovalRow]) -> ApprovalRow | None:
    """Return the question that a run waits with, if it does."""
    waits = row.status is RunStatus.WAITING
    return next((it for it in approvals if waits and it.answered_at is None), None)


def _asks(records: Records, row: RunRow) -> str:
    waits = row.status is RunStatus.WAITING
    asked = asked_of(row, records.queries.approvals(row.id) if waits else ())
    if asked is None:
        return ""
    return MAY_OBJECT if asked.action is ApprovalAction.NOTIFY_AND_TIMEOUT else NEEDS_YOU


def is_attended(records: Records, run: RunId) -> bool:
    """Tell whether a process goes on with a run when its time has come."""
    owner = records.queries.owner(run)
    is_owned = owner is not None and owner.is_alive
    return records.is_served or is_owned or records.is_resident_served(run)


def due_words(until: str, *, is_over: bool, is_attended: bool) -> str:
    """Say until when a run waits, and promise that it goes on only where a process is there."""
    if is_over:
        return f"until {until}, which is over{'' if is_attended else '; no process drives it'}"
    promise = "then it goes on by itself" if is_attended else "then somebody has to go on with it"
    return f"until {until}, {promise}"


def is_interrupted(records: Records, row: RunRow) -> bool:
    """Tell whether a run should go on, and no process drives it or is there to take it over."""
    if row.status is not RunStatus.RUNNING or row.has_children:
        return False
    if records.is_served:
        return False
    owner = records.queries.owner(row.id)
    if owner is not None:
        return not owner.is_alive
    return row.rests_until is None or row.rests_until + _LATE < records.now()
