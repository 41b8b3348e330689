"""The live board on a terminal, drawn with rich."""

from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from supervisor_ai.control.dashboard.board import Board, excerpt
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.live_output import LiveOutput
from supervisor_ai.domain.picture import StepPicture
from supervisor_ai.domain.run.definition import StepLabel
from supervisor_ai.domain.run.status import StepStatus

_MARKS: Final = {
    StepStatus.PENDING: ("○", "dim"),
    StepStatus.RUNNING: ("●", "cyan"),
    StepStatus.WAITING: ("◆", "yellow"),
    StepStatus.PASSED: ("✓", "green"),
    StepStatus.FAILED: ("✗", "red"),
    StepStatus.SKIPPED: ("-", "dim"),
    StepStatus.CANCELLED: ("-", "dim"),
}
_REFRESHES: Final = 8
_TAIL: Final = 6


class LiveProgress:
    """Draws the board again and again; what it shows changes under its lock only."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._board: Board | None = None
        self._lock = Lock()
        self._is_ended = False
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(
            get_renderable=self._draw, console=self._console, refresh_per_second=_REFRESHES
        )

    def begin(self, board: Board) -> None:
        """Start to show a run."""
        self._board = board
        self._live.start()

    def recorded(self, envelope: Envelope) -> None:
        """Show a fact."""
        if self._board is None:
            return
        with self._lock:
            self._board.see(envelope)
            failure = excerpt(self._board, envelope.event)
        for line in failure:
            self._console.print(Text(line, style="red"))

    def output(self, output: LiveOutput) -> None:
        """Show a piece of output."""
        if self._board is None:
            return
        with self._lock:
            lines = self._board.hear(output.text)
        if self._verbose:
            for line in lines:
                self._console.print(Text(f"{output.step} | {line}", style="dim"))

    def end(self) -> None:
        """Leave the board as it stands, without the last lines of output."""
        if self._board is not None:
            self._is_ended = True
            self._live.stop()

    def _draw(self) -> Group:
        with self._lock:
            return draw(self._board, now=datetime.now(UTC), is_ended=self._is_ended)


def draw(board: Board | None, *, now: datetime, is_ended: bool) -> Group:
    """Draw the board as it stands."""
    if board is None:
        return Group()
    parts: list[Table | Text] = [_header(board, now), _steps(board, now)]
    due = board.picture.waits_until
    if due is not None and not is_ended:
        parts.append(Text(f"  waits, {_clock(due - now)} left", style="yellow"))
    if board.tail and not is_ended:
        parts += [Text(f"  │ {line}", style="dim", no_wrap=True) for line in [*board.tail][-_TAIL:]]
    return Group(*parts)


def _header(board: Board, now: datetime) -> Table:
    header = Table.grid(expand=True)
    header.add_column(ratio=1, no_wrap=True)
    header.add_column(justify="right")
    header.add_row(Text(board.title, style="bold"), Text(_clock(now - board.started)))
    return header


def _steps(board: Board, now: datetime) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for justify in ("left", "left", "left", "left", "left"):
        table.add_column(justify=justify)
    table.add_column(justify="right")
    for row in board.steps:
        mark, style = _MARKS[row.status]
        label = board.labels.get(row.step, StepLabel(text=row.step))
        if label.heading:
            table.add_row(Text(), Text(one_line(label.heading), style="bold"))
        table.add_row(
            Text(f"  {mark}", style=style),
            Text(one_line(label.text)),
            Text(_count(row.visits, "visit"), style="dim"),
            Text(_count(row.attempts, "attempt"), style="dim"),
            Text(board.words.get(row.step, ""), style=style),
            Text(_spent(row, now), style="dim"),
        )
    return table


def _count(number: int, noun: str) -> str:
    if number == 0:
        return ""
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _spent(row: StepPicture, now: datetime) -> str:
    return f"{row.elapsed(now).total_seconds():.1f} s" if row.visits else ""


def _clock(time: timedelta) -> str:
    seconds = max(0, int(time.total_seconds()))
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
