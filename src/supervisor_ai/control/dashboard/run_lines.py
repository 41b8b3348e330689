"""Lines of a board: each run in one line, with what it waits for."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Final

from msgspec import Struct

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.registered_kinds import ApprovalPhrases, approval_phrases
from supervisor_ai.control.run_views import ACTIVE, asked_of, is_attended, is_interrupted
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.approvals.policy import RISKIEST_FIRST, ApprovalAction, RiskLevel
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus
from supervisor_ai.domain.run.values import ReasonWord

LISTED: Final = 200
"""So many of the newest runs are on the board."""
_TASK: Final = 300
_READ: Final = 4_000
_UNKNOWN: Final = ApprovalPhrases(
    asking="",
    why="a person is asked",
    yes="the run goes on",
    no="back to the worker with your words, or the run ends",
)


class RunLine(Struct, frozen=True, kw_only=True):
    """A run as a board shows it; its words are plain and on one line."""

    id: RunId
    task: str
    driver: str
    status: RunStatus
    word: str
    """Its status, or that it was interrupted."""
    degraded: bool
    at: str
    """The steps that are under way or failed, or the kind of its outcome."""
    cost: Decimal
    is_estimated: bool
    created_at: datetime
    ended_at: datetime | None
    level: RiskLevel | None = None
    """How risky the policy holds its change."""
    waits: str | None = None
    waits_until: datetime | None = None
    is_over: bool = False
    """Whether the time until which it waits has passed."""
    is_attended: bool = False
    """Whether a process goes on with it then."""
    asked_at: datetime | None = None
    """Since when a person is asked."""
    can_lapse: bool = False
    """Whether it goes on when nobody objects in time."""

    @property
    def needs_person(self) -> bool:
        """Tell whether a person is asked."""
        return self.asked_at is not None


class RunLines:
    """Reads lines, and reads those again that may have changed."""

    def __init__(self, records: Records, *, limit: int) -> None:
        self._records = records
        self._limit = limit
        self._lines: dict[RunId, RunLine] = {}
        self.total = 0

    def refresh(self) -> None:
        """Read the newest runs anew: also who drives them may have changed."""
        rows, self.total = self._records.queries.runs(limit=self._limit)
        self._lines = {row.id: self._line(row) for row in rows}

    def update(self, runs: Iterable[RunId]) -> None:
        """Read these runs anew; the newest ones push the oldest ones out."""
        for run in runs:
            row = self._records.queries.run(run)
            if row is None:
                continue
            if run not in self._lines:
                self.total += 1
                self._lines = {run: self._line(row), **self._lines}
            self._lines[run] = self._line(row)
        while len(self._lines) > self._limit:
            self._lines.popitem()

    @property
    def lines(self) -> tuple[RunLine, ...]:
        """Return those that ask a person, riskiest and oldest first, then the newest first."""
        found = self._lines.values()
        asking = sorted((it for it in found if it.needs_person), key=_urgency)
        return (*asking, *(it for it in found if not it.needs_person))

    def _line(self, row: RunRow) -> RunLine:
        known = self._lines.get(row.id)
        return read_line(self._records, row, task=None if known is None else known.task)


def read_line(records: Records, row: RunRow, *, task: str | None = None) -> RunLine:
    """Put a run on one line; a task that is known is not read again."""
    questions = records.queries.approvals(row.id)
    asked = asked_of(row, questions)
    interrupted = is_interrupted(records, row)
    return RunLine(
        id=row.id,
        task=_title(records, row) if task is None else task,
        driver=row.driver,
        status=row.status,
        word="interrupted" if interrupted else row.status.value,
        degraded=row.degraded,
        at=_at(records, row),
        cost=row.usage.cost,
        is_estimated=row.usage.estimated,
        created_at=row.created_at,
        ended_at=row.updated_at if row.status in ENDED else None,
        level=next((it.level for it in reversed(questions) if it.level), None),
        waits=_waits(row, asked),
        waits_until=row.waits_until,
        is_over=row.waits_until is not None and row.waits_until <= records.now(),
        is_attended=row.waits_until is not None and is_attended(records, row.id),
        asked_at=None if asked is None else asked.asked_at,
        can_lapse=asked is not None and asked.action is ApprovalAction.NOTIFY_AND_TIMEOUT,
    )


def select_lines(
    lines: Iterable[RunLine], *, words: str = "", statuses: frozenset[str] = frozenset()
) -> tuple[RunLine, ...]:
    """Return the lines that have all words somewhere, and one of the statuses if any are named."""
    wanted = words.lower().split()
    return tuple(
        line
        for line in lines
        if (not statuses or line.word in statuses)
        and all(word in _searched(line) for word in wanted)
    )


def phrases_of(reason: ReasonWord) -> ApprovalPhrases:
    """Find what is said about a question; a board does not fail at a reason that nobody knows."""
    try:
        return approval_phrases(reason)
    except SupervisorError:
        return _UNKNOWN


def _searched(line: RunLine) -> str:
    told = (line.id, line.task, line.word, line.at, line.level or "", line.waits or "", line.driver)
    return "\n".join(told).lower()


def _urgency(line: RunLine) -> tuple[int, datetime]:
    rank = RISKIEST_FIRST.index(line.level or RiskLevel.UNKNOWN)
    return rank, line.asked_at or line.created_at


def _title(records: Records, row: RunRow) -> str:
    text = records.text(row.task)[:_READ].strip()
    return one_line(text.partition("\n")[0])[:_TASK]


def _at(records: Records, row: RunRow) -> str:
    steps = records.queries.steps(row.id)
    if row.outcome is None:
        return one_line(", ".join(it.step for it in steps if it.status in ACTIVE))
    failed = [it.step for it in steps if it.status is StepStatus.FAILED]
    return one_line(", ".join(failed) or row.outcome.kind.value)


def _waits(row: RunRow, asked: ApprovalRow | None) -> str | None:
    if asked is not None:
        return phrases_of(asked.reason).why
    return None if row.waits_for is None else one_line(row.waits_for)
