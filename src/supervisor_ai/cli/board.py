"""What a person sees of a run while it is driven: a fold of its facts."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, stream_run
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import StepStatus, Verdict
from supervisor_ai.domain.terminal import plain

_TAIL: Final = 15
_LINE: Final = 500
_TOLD: Final = 20_000


def _nothing(artifact: ArtifactHash) -> str:
    del artifact
    return ""


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
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """What the gates of the present visit said."""
    voices: dict[str, str] = field(default_factory=dict)
    """How the roles of the present visit stand."""

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
    is_mixed: bool = False
    """Whether the last lines may come from several gates that ran side by side."""
    read: Callable[[ArtifactHash], str] = _nothing
    """Returns a text that was kept, or nothing."""
    _open_line: str = ""
    _under_way: set[tuple[StepName, int]] = field(default_factory=set)

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
        self._see_gates(event)
        if isinstance(event, e.PlacedEvent):
            row = self.rows.setdefault(event.step, BoardRow(step=event.step))
            _see_step(row, event, envelope.recorded_at)
            _see_files(row, event)
        self._see_wait(event)

    def hear(self, text: str) -> list[str]:
        """Take in output; return the lines that it completes."""
        *lines, self._open_line = (self._open_line + text).split("\n")
        self._open_line = self._open_line[-_LINE:]
        self.tail.extend(line[:_LINE] for line in lines if line.strip())
        return lines

    def _see_gates(self, event: object) -> None:
        match event:
            case e.GateStarted(step=step, slot=slot):
                self.is_mixed = bool(self._under_way)
                self._under_way.add((step, slot))
            case e.GateEnded() | e.GateLost() | e.GateCancelled():
                self._under_way.discard((event.step, event.slot))
            case _:
                pass

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
            row.verdicts, row.voices = {}, {}
        case e.StepPassed():
            _leave(row, StepStatus.PASSED, at)
        case e.StepFailed():
            _leave(row, StepStatus.FAILED, at)
        case e.StepSkipped():
            _leave(row, StepStatus.SKIPPED, at)
            row.word = "skipped"
        case e.LaunchRefused(kind=kind):
            row.word = kind.value
        case e.AttemptStarted(role=role):
            row.attempts += 1
            _hear_role(row, role, "works")
        case e.AttemptSucceeded(role=role, said=said):
            _hear_role(row, role, said)
        case e.AttemptFailed(role=role, category=category):
            _hear_role(row, role, category.value)
        case e.AttemptLost():
            row.word = "lost"
        case e.GateEnded(gate=gate, verdict=verdict):
            row.verdicts[gate] = verdict
            row.word = _verdicts(row.verdicts)
        case e.StepQuarantined():
            row.word = "gets nowhere"
        case e.PullRequestOpened():
            row.word = "pull request"
        case e.PullRequestRefused():
            row.word = "no pull request"
        case e.ApprovalRequested():
            row.status, row.word = StepStatus.WAITING, "waits for a person"
        case e.ApprovalGiven():
            row.status, row.word = StepStatus.RUNNING, "approved"
        case e.ApprovalRefused():
            row.status, row.word = StepStatus.RUNNING, "rejected"
        case _:
            pass


def _see_files(row: BoardRow, event: e.PlacedEvent) -> None:
    match event:
        case e.KanbanRead(tasks=tasks, open=still, current=current):
            named = f", {current.rpartition('/')[2]}" if current else ""
            row.word = f"{len(still)} of {len(tasks)} open{named}"
        case e.KanbanUnreadable():
            row.word = "unreadable"
        case e.WriteRefused():
            row.word = "a write was refused"
        case e.FilesLeftOut():
            row.word = "files left out"
        case e.KanbanSaveRefused() | e.IntegrationRefused():
            row.word = "could not be put there"
        case _:
            pass


def _hear_role(row: BoardRow, role: str, word: str) -> None:
    """Show how a role stands; where there are several side by side, each is named."""
    if role:
        row.voices[role] = word
    named = ", ".join(f"{name} {said}" for name, said in row.voices.items())
    row.word = named if role and len(row.voices) > 1 else word


def _verdicts(verdicts: Mapping[str, Verdict]) -> str:
    """Name the gates that did not pass; where there is one alone, its verdict is enough."""
    if len(verdicts) == 1:
        return next(iter(verdicts.values())).value
    others = [f"{gate} {it.value}" for gate, it in verdicts.items() if it is not Verdict.PASSED]
    return ", ".join(others) or f"{len(verdicts)} gates passed"


def _leave(row: BoardRow, status: StepStatus, at: datetime) -> None:
    row.spent, row.since, row.status = row.elapsed(at), None, status


def excerpt(board: Board, event: Event) -> list[str]:
    """Return what a gate that failed printed at last: a person wants to see the real failure.

    Where these lines may be another gate's, it is what a worker is told; where there is more to
    read, it is said where.
    """
    if not isinstance(event, e.GateEnded) or event.verdict is Verdict.PASSED:
        return []
    is_failed = event.verdict is Verdict.FAILED
    is_known = event.is_reused or board.is_mixed
    own = [] if is_known else list(board.tail)
    said = (own or _told(board, event)) if is_failed else []
    lines = [f"  {event.gate} │ {line}" for line in said]
    if event.findings or (is_known and is_failed):
        lines.append(f"  {event.gate} │ supervisor logs {board.run} --gate {event.gate}")
    return lines


def _told(board: Board, event: e.GateEnded) -> list[str]:
    """Return what a worker is told about a failure, without the reason that is shown anyway."""
    if event.feedback is None:
        return []
    text = plain(board.read(event.feedback).removeprefix(event.reason)[:_TOLD])
    lines = [line[:_LINE].rstrip() for line in text.splitlines() if line.strip()]
    if len(lines) <= _TAIL:
        is_heading = len(lines) == 1 and lines[0].endswith(":")
        return [] if is_heading else lines
    end = _TAIL // 2
    return [*lines[: _TAIL - end], "…", *lines[-end:]]
