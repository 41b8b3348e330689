"""What a person sees of a run while it is driven: a fold of its facts."""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.ids import RunId, StepName, stream_run
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import StepStatus, Verdict

_TAIL: Final = 15
_LINE: Final = 500


@dataclass(slots=True, kw_only=True)
class BoardRow:
    """One step on the board."""

    step: StepName
    status: StepStatus = StepStatus.PENDING
    visits: int = 0
    attempts: int = 0
    word: str = ""
    since: datetime | None = None
    spent: timedelta = timedelta()

    def elapsed(self, now: datetime) -> timedelta:
        """Return how long the step has taken, the present visit included."""
        return self.spent + (now - self.since if self.since else timedelta())


@dataclass(slots=True, kw_only=True)
class Board:
    """The steps of one run, and the last lines that were printed."""

    run: RunId
    title: str
    started: datetime
    rows: dict[StepName, BoardRow] = field(default_factory=dict)
    waits_for: str | None = None
    due: datetime | None = None
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL))
    _open_line: str = ""

    def expect(self, *steps: StepName) -> None:
        """Show steps before the run comes to them."""
        for step in steps:
            self.rows.setdefault(step, BoardRow(step=step))

    def see(self, envelope: Envelope) -> None:
        """Take in a fact of the run."""
        if stream_run(envelope.stream) != self.run:
            return
        event = envelope.event
        if isinstance(event, e.AttemptStarted | e.GateStarted):
            self.tail.clear()
            self._open_line = ""
        if isinstance(event, e.PlacedEvent):
            row = self.rows.setdefault(event.step, BoardRow(step=event.step))
            _see_step(row, event, envelope.recorded_at)
        self._see_wait(event)

    def hear(self, text: str) -> list[str]:
        """Take in output; return the lines that it completes."""
        *lines, self._open_line = (self._open_line + text).split("\n")
        self._open_line = self._open_line[-_LINE:]
        self.tail.extend(line[:_LINE] for line in lines if line.strip())
        return lines

    def _see_wait(self, event: object) -> None:
        match event:
            case e.TimerSet(due=due, parks=True):
                self.due = due
            case e.RunWaiting(reason=reason):
                self.waits_for = reason
            case e.RunContinued():
                self.waits_for = self.due = None
            case _:
                pass


def _see_step(row: BoardRow, event: e.PlacedEvent, at: datetime) -> None:  # noqa: C901 - per fact
    match event:
        case e.StepEntered(visit=visit):
            row.status, row.visits, row.since, row.word = StepStatus.RUNNING, visit, at, ""
        case e.StepPassed():
            _leave(row, StepStatus.PASSED, at)
        case e.StepFailed():
            _leave(row, StepStatus.FAILED, at)
        case e.StepSkipped():
            _leave(row, StepStatus.SKIPPED, at)
            row.word = "skipped"
        case e.LaunchRefused(kind=kind):
            row.word = kind.value
        case e.AttemptStarted():
            row.attempts += 1
            row.word = "works"
        case e.AttemptSucceeded(said=said):
            row.word = said
        case e.AttemptFailed(category=category):
            row.word = category.value
        case e.AttemptLost():
            row.word = "lost"
        case e.GateEnded(verdict=verdict):
            row.word = verdict.value
        case e.ApprovalRequested():
            row.status, row.word = StepStatus.WAITING, "waits for a person"
        case e.ApprovalGiven():
            row.status, row.word = StepStatus.RUNNING, "approved"
        case e.ApprovalRefused():
            row.status, row.word = StepStatus.RUNNING, "rejected"
        case _:
            pass


def _leave(row: BoardRow, status: StepStatus, at: datetime) -> None:
    row.spent, row.since, row.status = row.elapsed(at), None, status


def excerpt(board: Board, event: Event) -> list[str]:
    """Return the last lines of a gate that failed: a person wants to see the real failure."""
    if not isinstance(event, e.GateEnded) or event.verdict is not Verdict.FAILED:
        return []
    return [f"  {event.gate} │ {line}" for line in board.tail]
